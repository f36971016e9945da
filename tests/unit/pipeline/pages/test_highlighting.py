"""Words of a query in a text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.pages.highlighting import Excerpt, excerpt


def marked(found: Excerpt) -> list[str]:
    return [part.text for part in found.parts if part.found]


def shown(found: Excerpt) -> str:
    return "".join(part.text for part in found.parts)


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("Толщина стены и стен", "какая толщина стенами", ["Толщина", "стены", "стен"]),
        ("The loads of a pier", "what is the load", ["loads"]),
        ("По п. 5.2.1 и по 2", "пункт 5.2.1", ["5.2.1"]),
        ("СП 63.13330.2018", "63.13330.2018", ["63.13330.2018"]),
        ("Ёлка и елка", "ёлка", ["Ёлка", "елка"]),
        ("и на под", "и на", []),
        ("", "слово", []),
    ],
)
def test_words_are_found_in_any_form(text: str, query: str, expected: list[str]) -> None:
    assert marked(excerpt(text, query)) == expected


def test_a_long_text_shows_where_most_words_are() -> None:
    filler = "Пустые слова тянутся долго. " * 60
    text = f"Причал. {filler}Нагрузка на причал мала. {filler}"
    found = excerpt(text, "нагрузка на причал")
    assert (found.before, found.after) == (True, True)
    assert marked(found) == ["Нагрузка", "причал"]
    assert len(shown(found)) < 700


def test_a_long_text_without_the_words_shows_its_beginning() -> None:
    found = excerpt("слово " * 500, "причал")
    assert (found.before, found.after) == (False, True)
    assert shown(found).startswith("слово")


@given(st.text(), st.text(max_size=50), st.integers(20, 200))
@example("0" * 500, "0" * 500, 420)  # a word longer than what is shown
def test_what_is_shown_stands_in_the_text(text: str, query: str, length: int) -> None:
    found = excerpt(text, query, length)
    words, kept = text.split(), shown(found).split()
    assert " ".join(kept) in " ".join(words)
    assert found.before or words[: len(kept) - 1] == kept[:-1]
    assert found.after or "".join(words).endswith("".join(kept))
