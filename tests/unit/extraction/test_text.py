from __future__ import annotations

import pytest

from extraction.text import clean, clean_block, clean_line, drop_soft_hyphens


@pytest.mark.parametrize(
    ("raw", "right"),
    [
        ("строка\r\nстрока\rстрока", "строка\nстрока\nстрока"),
        ("сохранения:\x0020.09", "сохранения: 20.09"),  # NUL between words
        ("слово\x00", "слово"),
        ("Формула \ud835 x", "Формула \N{REPLACEMENT CHARACTER} x"),  # lone surrogate
        ("\ud835\udc65", "\U0001d465"),  # the halves of one character
        ("\ufeffначало\u200b и\u2060 конец\x07", "начало и конец"),
        ("и\u0306", "й"),  # NFC
        ("а\u2028б\x0cв", "а\nб\nв"),
        ("чистый текст", "чистый текст"),
    ],
)
def test_clean(raw: str, right: str) -> None:
    assert clean(raw) == right
    assert clean(right) == right


def test_lines_and_blocks() -> None:
    assert clean_line("  а\u00a0\tб \n в ") == "а б в"
    assert clean_block("\n  а   б  \n\n  в\n\n") == "а б\n\nв"


def test_soft_hyphens() -> None:
    assert drop_soft_hyphens("конст\u00ad\n  рукции, инже\u00adнер") == "конструкции, инженер"
    assert drop_soft_hyphens("10\u00ad\n20") == "10\n20"
    assert clean("инже\u00adнер") == "инже\u00adнер"
