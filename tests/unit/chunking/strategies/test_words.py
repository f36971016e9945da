from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.strategies.words import split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" \n\u00a0", []),
        ("Плита ПК 60.15, мм.", ["Плита", "ПК", "60.15,", "мм."]),
        ("漢字仮名交じり文を書く。次", ["漢字仮名交じり文", "を書く。", "次"]),
        ("IPv6を使う", ["IPv6", "を使う"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert [text[slice(*span)] for span in split_words(text, "und", newline_ends=False)] == words


@given(st.text())
def test_every_character_that_is_not_blank_is_in_one_word(text: str) -> None:
    spans = split_words(text, "und", newline_ends=False)
    position = 0
    for start, end in spans:
        assert not text[position:start].strip()
        assert text[start:end] == text[start:end].strip()
        position = end
    assert not text[position:].strip()
