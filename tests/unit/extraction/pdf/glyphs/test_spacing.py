"""Words are neither run together nor torn, also where their letters are set apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.pdf.glyphs.spacing import Break, tidy, write_run, write_words
from tests.unit.extraction.pdf.drawing import LEFT, Sheets


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1 .2 Общие положения", "1.2 Общие положения"),
        ("1. 2. Общие положения", "1.2. Общие положения"),
        ("4.1.12В конце документа", "4.1.12 В конце документа"),
        ("5.1Общие требования", "5.1 Общие требования"),
        ("ГОСТ 27751— 88 «Надёжность»", "ГОСТ 27751—88 «Надёжность»"),
        ("лицами , получившими", "лицами, получившими"),
        ("2.5В батарея", "2.5В батарея"),
        ("3. 12 Мая", "3. 12 Мая"),
        ("5 — 10 м", "5 — 10 м"),
        ("12.05.2020 Москва", "12.05.2020 Москва"),
    ],
)
def test_numbers_that_recognition_tore_or_glued(line: str, expected: str) -> None:
    assert tidy(line) == expected


@pytest.mark.parametrize(
    ("words", "gaps", "expected"),
    [
        (["П", "Р", "И", "К", "А", "З"], [0.5] * 5, "ПРИКАЗ"),
        (list("ИЗДАНИЕ"), [0.25] * 6, "ИЗДАНИЕ"),
        (list("ПОДВА"), [0.3, 1.2, 0.3, 0.3], "ПО ДВА"),
        (["С", "Н", "и", "П", "2.01"], [0.3, 0.3, 0.3, 0.4], "СНиП 2.01"),
        (["и", "в", "том", "числе"], [0.3] * 3, "и в том числе"),
        (["а", "б", "в", "г"], [5.0] * 3, "а б в г"),
        (["1", "2", "3", "4", "5"], [0.3] * 4, "1 2 3 4 5"),
    ],
)
def test_words_set_letter_by_letter_are_closed_up(words: list[str], gaps: list[float], expected: str) -> None:
    assert write_words(words, gaps) == expected


def test_letters_set_apart_in_a_line_with_real_spaces_are_not_torn() -> None:
    text = "Металлические конструкции"
    breaks = [Break(1, 0.23, drawn=False), Break(13, 0.5, drawn=True)]
    assert write_run([c for c in text if c != " "], breaks, 0.12 * 21) == text


@given(st.lists(st.text(alphabet="аб1.", min_size=1, max_size=3), min_size=1, max_size=12), st.data())
def test_no_letter_is_lost(words: list[str], data: st.DataObject) -> None:
    gaps = data.draw(st.lists(st.floats(0, 4), min_size=len(words) - 1, max_size=len(words) - 1))
    assert write_words(words, gaps).replace(" ", "") == "".join(words)


@pytest.mark.parametrize("space", [1.5, 2.5, 5.0])
def test_a_spaced_out_title_is_read_as_words(sheets: Sheets, space: float) -> None:
    sheets.canvas.setFont("Regular", 10)
    sheets.canvas.drawString(LEFT, sheets.height - 100, "МЕЖГОСУДАРСТВЕННЫЙ СТАНДАРТ", charSpace=space)
    assert sheets.read().text == "МЕЖГОСУДАРСТВЕННЫЙ СТАНДАРТ"
