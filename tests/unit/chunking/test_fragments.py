from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.fragments import fragment


def cut(text: str, most: int) -> list[str]:
    spans = fragment(text, (0, len(text)), lambda part: len(part) <= most)
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("text", "most", "parts"),
    [
        ("aa bb cc", 8, ["aa bb cc"]),
        ("aa bb cc", 5, ["aa bb", "cc"]),
        ("aa bb cc", 4, ["aa", "bb", "cc"]),
        ("aa   bbbbbb", 4, ["aa", "bbbb", "bb"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("e\u0301e\u0301e\u0301", 3, ["e\u0301", "e\u0301", "e\u0301"]),
        ("ok \U0001f469\u200d\U0001f680x", 6, ["ok", "\U0001f469\u200d\U0001f680x"]),
        ("\U0001f1f7\U0001f1fa\U0001f1eb\U0001f1f7", 3, ["\U0001f1f7\U0001f1fa", "\U0001f1eb\U0001f1f7"]),
        ("e" + "\u0301" * 5, 4, ["e\u0301\u0301\u0301", "\u0301\u0301"]),
        ("abc", 0, ["a", "b", "c"]),
        ("  ", 4, []),
    ],
)
def test_by_hand(text: str, most: int, parts: list[str]) -> None:
    assert cut(text, most) == parts


def test_an_endless_word_asks_seldom() -> None:
    asked = 0

    def fits(text: str) -> bool:
        nonlocal asked
        asked += 1
        return len(text) <= 250

    assert len(list(fragment("щ" * 20_000, (0, 20_000), fits))) == 80
    assert asked < 80 * 20


@given(st.text(alphabet="ab \n\u0301щ\U0001f469\u200d", max_size=200), st.integers(1, 30))
def test_fragments_tile_and_fit(text: str, most: int) -> None:
    spans = list(fragment(text, (0, len(text)), lambda part: len(part) <= most))
    position = 0
    for start, end in spans:
        assert not text[position:start].strip()
        assert 0 < end - start <= most
        assert text[start:end] == text[start:end].strip()
        position = end
    assert not text[position:].strip()
