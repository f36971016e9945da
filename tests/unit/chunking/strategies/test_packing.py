from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chunking.partition.layout import Layout
from chunking.partition.optimal import cut_optimal
from chunking.rules import Severity
from chunking.strategies.packing import pack


def layout(
    tokens: list[int], severity: list[Severity] | None = None, *, room: int = 10, comfort: int | None = None
) -> Layout:
    return Layout(
        offsets=[0, *np.cumsum(tokens).tolist()],
        severity=severity or [Severity.FREE] * (len(tokens) - 1),
        room=room,
        comfort=[comfort or room] * len(tokens),
        header=[0] * len(tokens),
    )


def breaches(plan: Layout, starts: list[int]) -> list[int]:
    made = [plan.severity[start - 1] for start in starts[1:]]
    return [made.count(kind) for kind in (Severity.HEADING, Severity.TORN, Severity.GLUED)]


def test_windows_are_filled_from_the_front() -> None:
    assert pack(layout([3] * 7)) == [0, 3, 6]
    assert pack(layout([9, 2, 9, 9])) == [0, 1, 2, 3]


def test_a_unit_over_the_limit_stands_alone() -> None:
    assert pack(layout([2, 40, 2])) == [0, 1, 2]


def test_a_forced_cut_ends_a_window() -> None:
    free, forced = Severity.FREE, Severity.FORCED
    assert pack(layout([1] * 6, [free, forced, free, free, free])) == [0, 2]


def test_a_window_ends_before_what_would_be_torn() -> None:
    free, torn = Severity.FREE, Severity.TORN
    assert pack(layout([4, 4, 4, 4], [free, torn, free])) == [0, 1, 3]


def test_the_room_of_the_context_line_is_taken_only_by_what_would_be_torn() -> None:
    free, torn = Severity.FREE, Severity.TORN
    assert pack(layout([3, 3, 3], [free, free], comfort=7)) == [0, 2]
    assert pack(layout([3, 3, 3], [torn, torn], comfort=7)) == [0]


def test_an_earlier_rule_is_broken_rather_than_a_graver_one_later() -> None:
    glued, heading = Severity.GLUED, Severity.HEADING
    assert pack(layout([6, 4, 6], [glued, heading])) == [0, 1]


@given(
    st.lists(st.tuples(st.integers(1, 12), st.sampled_from(Severity)), min_size=1, max_size=9),
    st.integers(3, 10),
)
def test_as_little_as_possible_is_broken(units: list[tuple[int, Severity]], comfort: int) -> None:
    plan = layout([size for size, _ in units], [kind for _, kind in units[1:]], comfort=comfort)
    starts = pack(plan)
    assert set(plan.forced) <= set(starts)
    assert all(plan.fits(*span) for span in zip(starts, [*starts[1:], plan.size], strict=True))
    best = cut_optimal(plan, np.full(plan.size - 1, 0.5))
    assert breaches(plan, starts) == breaches(plan, best)


@given(st.lists(st.integers(1, 12), min_size=1, max_size=9))
def test_without_rules_no_partition_has_fewer_chunks(tokens: list[int]) -> None:
    plan = layout(tokens)
    fewer = range(len(pack(plan)) - 1)
    for count in fewer:
        for inner in combinations(range(1, plan.size), count):
            bounds = [0, *inner, plan.size]
            assert not all(plan.fits(*span) for span in pairwise(bounds))
