"""The form of the search page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.pages.asking import MODES, Question

_word = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Zs", "Cc"]), min_size=1)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(("q", "source", "clause", "since", "path"), _word)))
def test_a_question_survives_its_address(values: dict[str, str]) -> None:
    question = Question.of(values | {"mode": "sparse", "rerank": "1"})
    assert Question.of(question.values()) == question


@given(st.dictionaries(st.sampled_from(["q", "page", "mode", "rerank", "until"]), st.text()))
def test_any_address_is_a_question(values: dict[str, str]) -> None:
    question = Question.of(values)
    assert question.mode in MODES
    assert 1 <= question.page <= 1000


@pytest.mark.parametrize(
    ("page", "expected"), [("3", 3), ("-1", 1), ("x", 1), ("٣", 1), ("99999999", 1), ("", 1)]
)
def test_pages(page: str, expected: int) -> None:
    assert Question.of({"page": page}).page == expected


def test_filters_are_what_is_set() -> None:
    question = Question.of({"q": " стены ", "standard": "СП 70", "section": "  "})
    assert question.q == "стены"
    assert question.filters == {"standard": "СП 70"}
