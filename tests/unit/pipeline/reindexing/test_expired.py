"""Which generations are deleted, and when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.catalog import Generation
from indexing.catalog.generations import GenerationState
from pipeline.reindexing.dropping import expired
from rubrica.settings import ReindexSettings

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def generation(number: int, state: str, days: float) -> Generation:
    ended = None if state in {"live", "building"} else NOW - timedelta(days=days)
    return Generation(
        number, "a", number, f"a_g{number}", "", {}, {}, "e", 8, state, NOW - timedelta(99), None, ended, ""
    )


@pytest.mark.parametrize(
    ("known", "keep", "due"),
    [
        ([("soaking", 9), ("live", 0)], 1, []),
        ([("soaking", 9), ("live", 0)], 0, [1]),
        ([("soaking", 9), ("soaking", 4), ("live", 0)], 1, [1]),
        ([("soaking", 9), ("soaking", 12), ("live", 0)], 1, [2]),
        ([("soaking", 2), ("soaking", 1), ("live", 0)], 0, []),
        ([("refused", 4), ("soaking", 9), ("live", 0)], 1, [1]),
        ([("dropped", 9), ("live", 0), ("building", 9)], 0, []),
    ],
)
def test_the_oldest_go_first_and_the_youngest_stay(
    known: list[tuple[str, float]], keep: int, due: list[int]
) -> None:
    generations = [generation(number, *item) for number, item in enumerate(known, start=1)]
    limits = ReindexSettings(soak_days=3, keep_generations=keep)
    assert [item.number for item in expired(generations, limits, now=NOW)] == due


@given(
    st.lists(st.tuples(st.sampled_from(list(GenerationState)), st.floats(0, 30))),
    st.floats(0, 30),
    st.integers(0, 4),
)
def test_neither_the_live_one_nor_one_that_is_built_goes_ever(
    known: list[tuple[GenerationState, float]], soak_days: float, keep: int
) -> None:
    generations = [generation(number, *item) for number, item in enumerate(known, start=1)]
    limits = ReindexSettings(soak_days=soak_days, keep_generations=keep)
    due = expired(generations, limits, now=NOW)
    assert {item.state for item in due} <= {GenerationState.SOAKING, GenerationState.REFUSED}
    soaking = [item for item in generations if item.state == GenerationState.SOAKING]
    assert len([item for item in soaking if item not in due]) >= min(keep, len(soaking))
    assert due == sorted(due, key=lambda item: item.ended_at or NOW)
