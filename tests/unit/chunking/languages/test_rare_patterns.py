"""A sign that is missing where its pattern matches would lose an end of a sentence in silence."""

from __future__ import annotations

from pathlib import Path

import punkt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.languages import english, marks
from chunking.languages.marks import RarePattern

RARE = {
    "citation": marks.CITED,
    "point": marks.POINT,
    "letter": english.LETTER_END,
    "hour": english.HOUR_END,
    "ellipsis": english.ELLIPSIS,
    "glued": english.GLUED,
}
MATCHED = {
    "citation": ["Готова.¹ Крыша", "Готова. [1, 2] Крыша", "It holds.1 It", "holds!» [3] Then", "»² Он"],
    "point": ["1. Первый", "см.: 2) «Второй", "a 12. The", "3)\nA"],
    "letter": [
        "of class A. The slab",
        "on Axis   B. “It",
        "at 45°C. The",
        "3 m. The",
        "a, J. S. The",
        "U.S.A. The",
        "x -m. The",
        "A.\t\t(They",
    ],
    "hour": ["at 5 p.m. The", "a.m.  Then"],
    "ellipsis": ["Wait... The", "Wait… “The"],
    "glued": ["5 mm.The next", "holds.The next", "(2)!Then"],
}
WORDS = st.sampled_from(
    [
        "A",
        "B",
        "m",
        "°C",
        "45",
        "12",
        "1.",
        "2)",
        "[1]",
        "¹",
        ".",
        "..",
        "...",
        "…",
        "!",
        "?",
        "p.m.",
        "a.m.",
        "U.S.",
        "class",
        "Axis",
        "The",
        "It",
        "Он",
        "Готова",
        "готова",
        "holds",
        "mm",
        "«",
    ]
)
TEXTS = st.lists(st.tuples(WORDS, st.sampled_from(["", " ", "  ", "\n", "(", "“", ", ", "-", "_"]))).map(
    lambda parts: "".join(word + blank for word, blank in parts)
)


def every_match(rare: RarePattern, text: str) -> list[tuple[int, int]]:
    return [match.span() for match in rare.pattern.finditer(text)]


@pytest.mark.parametrize("name", RARE)
def test_a_sign_is_found_where_the_pattern_matches(name: str) -> None:
    for text in MATCHED[name]:
        assert every_match(RARE[name], text), text
        assert [match.span() for match in RARE[name].finditer(text)] == every_match(RARE[name], text)


@pytest.mark.parametrize("name", RARE)
@given(text=TEXTS)
def test_no_match_is_lost_in_any_text(name: str, text: str) -> None:
    assert [match.span() for match in RARE[name].finditer(text)] == every_match(RARE[name], text)


@pytest.mark.parametrize("language", ["en", "ru"])
def test_no_match_is_lost_in_real_text(language: str) -> None:
    folder = Path(__file__).parents[4] / "benchmarks" / "sentence_truth"
    passages = (folder / f"{language}.txt").read_text(encoding="utf-8").split("\n\n")
    for rare in RARE.values():
        for text in (*passages, *(passage.replace("\n", " ") for passage in passages)):
            assert [match.span() for match in rare.finditer(text)] == every_match(rare, text)


@given(text=st.text(st.sampled_from(list(' .!?…。！？;·aА1\n)"»')), max_size=12))
@pytest.mark.parametrize("model", ["english", "greek", "chinese"])
def test_what_is_not_shown_to_punkt_is_not_cut_by_it(text: str, model: str) -> None:
    every = punkt.tokenizer_for(model, prefixes=True).span_tokenize(text)
    assert english.punkt_cuts(text, model) == [start for start, _ in every if start]
