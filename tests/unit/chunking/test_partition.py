from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.partition.full import cut_full
from chunking.partition.layout import Layout
from chunking.partition.optimal import PartitionCosts, cheapest_partition, cut_optimal, partition_costs
from chunking.partition.standing import cut_values, location, sharpness_costs
from chunking.partition.tree import cut_tree
from chunking.rules import Severity

FREE, FORCED, GLUED, TORN, HEADING = (
    Severity.FREE,
    Severity.FORCED,
    Severity.GLUED,
    Severity.TORN,
    Severity.HEADING,
)


def layout(
    sizes: list[int],
    room: int,
    *,
    severity: list[Severity] | None = None,
    min_tokens: int = 0,
    comfort: int | None = None,
) -> Layout:
    offsets = [0, *(int(total) for total in np.cumsum(sizes))]
    return Layout(
        offsets=offsets,
        severity=severity or [FREE] * (len(sizes) - 1),
        room=room,
        comfort=[comfort or room] * len(sizes),
        header=[0] * len(sizes),
        min_tokens=min_tokens,
    )


def published(sizes: list[int], scores: list[float], room: int, first: int = 0) -> list[int]:
    """The published recursion, as plainly as it can be written."""
    if sum(sizes) <= room or len(sizes) == 1:
        return [first]
    cut = scores.index(min(scores))
    left = published(sizes[: cut + 1], scores[:cut], room, first)
    return left + published(sizes[cut + 1 :], scores[cut + 1 :], room, first + cut + 1)


# --- window --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "room", "starts"),
    [
        ([0.5, 0.1, 0.9], 40, [0]),
        ([0.5, 0.1, 0.9], 20, [0, 2]),
        ([0.1, 0.5, 0.9], 20, [0, 1, 2]),
        ([0.5, 0.5, 0.5], 20, [0, 1, 2]),
        ([0.9, 0.5, 0.5], 30, [0, 2]),
        ([0.9, 0.5, 0.1], 10, [0, 1, 2, 3]),
        ([-1.0, -2.0, -1.0], 20, [0, 2]),
    ],
)
def test_window_by_hand(scores: list[float], room: int, starts: list[int]) -> None:
    assert cut_tree(layout([10] * 4, room), np.array(scores)) == starts


@given(st.data())
def test_window_is_the_published_recursion(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 12), min_size=1, max_size=40))
    score = st.sampled_from([0.0, 0.25, 0.5]) | st.floats(-5, 5)
    scores = data.draw(st.lists(score, min_size=len(sizes) - 1, max_size=len(sizes) - 1))
    room = data.draw(st.integers(12, 60))
    assert cut_tree(layout(sizes, room), np.array(scores)) == published(sizes, scores, room)


def test_window_takes_a_flat_list_of_100_000() -> None:
    count = 100_000
    starts = cut_tree(layout([10] * count, 40), np.zeros(count - 1))
    # The first of equal scores wins, so units come off the front one by one.
    assert starts == list(range(count - 3))


@pytest.mark.parametrize("step", [1, -1])
def test_window_takes_a_slope_of_100_000(step: int) -> None:
    count = 100_000
    starts = cut_tree(layout([10] * count, 10), np.arange(count - 1)[::step].astype(float))
    assert starts == list(range(count))


def test_window_cuts_forced_first_and_severe_last() -> None:
    severity = [FREE, FORCED, TORN, HEADING, FREE]
    values = np.array([5.0, 9.0, 0.0, 0.0, 1.0])
    assert cut_tree(layout([10] * 6, 60, severity=severity), values) == [0, 2]
    assert cut_tree(layout([10] * 6, 30, severity=severity), values) == [0, 2, 5]
    assert cut_tree(layout([10] * 6, 20, severity=severity), values) == [0, 2, 3, 5]


def test_a_run_held_together_may_use_the_room_of_what_chunks_carry() -> None:
    plan = layout([10] * 4, 40, severity=[TORN] * 3, comfort=30)
    assert cut_tree(plan, np.zeros(3)) == [0]
    assert cut_tree(layout([10] * 4, 40, comfort=30), np.zeros(3)) == [0, 1]


# --- full ----------------------------------------------------------------------------------------


@given(st.data())
def test_full_on_scores_of_cuts_is_window(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 12), min_size=1, max_size=20))
    cuts = len(sizes) - 1
    scores = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=cuts, max_size=cuts))
    severity = data.draw(st.lists(st.sampled_from(list(Severity)), min_size=cuts, max_size=cuts))
    plan = layout(sizes, 20, severity=severity)
    starts, made = cut_full(plan, lambda splits: [scores[cut] for _, cut in splits], {})
    assert starts == cut_tree(plan, np.array(scores, dtype=float))
    assert made == {start - 1: scores[start - 1] for start in starts[1:]}


def test_full_scores_every_split_of_every_span_that_does_not_fit() -> None:
    asked: list[tuple[tuple[int, int], int]] = []

    def score(splits: Sequence[tuple[tuple[int, int], int]]) -> list[float]:
        asked.extend(splits)
        return [abs(cut - (span[0] + span[1]) / 2 + 1) for span, cut in splits]

    starts, _ = cut_full(layout([10] * 4, 10), score, {})
    assert starts == [0, 1, 2, 3]
    assert asked == [((0, 4), 0), ((0, 4), 1), ((0, 4), 2), ((0, 2), 0), ((2, 4), 2)]


def test_full_asks_nothing_about_fixed_cuts_and_takes_them_last() -> None:
    asked: list[int] = []

    def score(splits: Sequence[tuple[tuple[int, int], int]]) -> list[float]:
        asked.extend(cut for _, cut in splits)
        return [5.0 for _ in splits]

    starts, made = cut_full(layout([10] * 6, 20), score, {2: 0.5, 3: 0.0, 4: 1.0})
    assert starts == [0, 1, 2, 4]
    assert made == {0: 5.0, 1: 5.0}
    assert asked == [0, 1, 1]


# --- optimal -------------------------------------------------------------------------------------


def chunk_cost(plan: Layout, costs: PartitionCosts, start: int, stop: int) -> int:
    tokens = plan.tokens(start, stop)
    cost = costs.sizes[min(tokens, plan.room)]
    return cost + costs.cramped if tokens > plan.comfort[start] else cost


def total(plan: Layout, costs: PartitionCosts, starts: list[int]) -> int:
    edges = [*starts, plan.size]
    chunks = sum(chunk_cost(plan, costs, a, b) for a, b in pairwise(edges))
    return chunks + sum(costs.starting[start] for start in starts)


def allowed(plan: Layout, starts: list[int]) -> bool:
    edges = [*starts, plan.size]
    fitting = all(plan.fits(a, b) for a, b in pairwise(edges))
    return fitting and set(plan.forced) <= set(starts)


def by_brute_force(plan: Layout, costs: PartitionCosts) -> int:
    inner = range(1, plan.size)
    partitions = ([0, *cuts] for count in range(plan.size) for cuts in combinations(inner, count))
    return min(total(plan, costs, starts) for starts in partitions if allowed(plan, starts))


def by_the_plain_program(plan: Layout, costs: PartitionCosts) -> list[int]:
    """Over the end of the last chunk, every start asked anew; of equal totals the longest last chunk."""
    best, last_start = [0], [0]
    for stop in range(1, plan.size + 1):
        first = max(start for start in plan.forced if start < stop)
        starts = (start for start in range(first, stop) if plan.fits(start, stop))
        lowest, winner = min(
            (best[start] + costs.starting[start] + chunk_cost(plan, costs, start, stop), start)
            for start in starts
        )
        best.append(lowest)
        last_start.append(winner)
    chosen, stop = [], plan.size
    while stop > 0:
        stop = last_start[stop]
        chosen.append(stop)
    return chosen[::-1]


@st.composite
def layouts(draw: st.DrawFn, most: int, smallest: int = 0) -> Layout:
    sizes = draw(st.lists(st.integers(smallest, 12) | st.just(30), min_size=1, max_size=most))
    count = len(sizes)
    return Layout(
        offsets=[0, *(int(total) for total in np.cumsum(sizes))],
        severity=draw(st.lists(st.sampled_from(list(Severity)), min_size=count - 1, max_size=count - 1)),
        room=24,
        comfort=draw(st.lists(st.integers(8, 24), min_size=count, max_size=count)),
        header=draw(st.lists(st.sampled_from([0, 0, 0, 5, 12]), min_size=count, max_size=count)),
        min_tokens=draw(st.integers(0, 24)),
    )


def values_of(plan: Layout, values: st.SearchStrategy[float]) -> st.SearchStrategy[np.ndarray]:
    return st.lists(values, min_size=plan.size - 1, max_size=plan.size - 1).map(np.array)


@given(st.data())
def test_optimal_is_the_best_of_all_partitions(data: st.DataObject) -> None:
    plan = data.draw(layouts(9))
    costs = partition_costs(plan, data.draw(values_of(plan, st.floats(0.01, 0.99))))
    starts = cheapest_partition(plan, costs)
    assert allowed(plan, starts)
    assert total(plan, costs, starts) == by_brute_force(plan, costs)


@given(st.data())
def test_sizes_may_have_any_cost(data: st.DataObject) -> None:
    plan = data.draw(layouts(8))
    cost = st.floats(-2, 2) | st.just(0.0)
    sizes = np.array(data.draw(st.lists(cost, min_size=25, max_size=25)))
    costs = partition_costs(plan, data.draw(values_of(plan, cost)), sizes)
    assert total(plan, costs, cheapest_partition(plan, costs)) == by_brute_force(plan, costs)


@settings(max_examples=300)
@given(st.data())
def test_optimal_is_the_plain_program_ties_included(data: st.DataObject) -> None:
    plan = data.draw(layouts(24))
    few = st.sampled_from([0.25, 0.5])
    costs = partition_costs(plan, data.draw(values_of(plan, few) | values_of(plan, st.floats(0, 1))))
    assert cheapest_partition(plan, costs) == by_the_plain_program(plan, costs)


def test_costs_of_sizes_choose_sizes() -> None:
    plan = layout([10] * 12, 60)
    flat = np.full(11, 0.5)
    assert cut_optimal(plan, flat) == [0, 6]
    by_thirds = np.abs(np.arange(61) - 30.0)
    assert cut_optimal(plan, flat, by_thirds) == [0, 3, 6, 9]


def test_levels_outweigh_any_cost_below_them() -> None:
    plan = layout([10] * 6, 40, severity=[GLUED, FREE, FREE, FREE, FREE])
    assert cut_optimal(plan, np.array([0.0, 99.0, 99.0, 99.0, 99.0])) == [0, 2]


def test_units_without_tokens_do_not_make_it_quadratic() -> None:
    count = 50_000
    starts = cut_optimal(layout([0] * count, 16), np.full(count - 1, 0.5))
    assert starts == list(range(0, count, 16))


def test_optimal_leaves_no_fragment_where_window_does() -> None:
    sizes, scores = [10] * 6, np.array([0.1, 0.5, 0.5, 0.5, 0.2])
    assert cut_tree(layout(sizes, 40), scores) == [0, 1, 5]
    assert cut_optimal(layout(sizes, 40, min_tokens=20), scores) == [0, 2]


def test_optimal_prefers_two_sharp_cuts_to_one_in_a_thought() -> None:
    costs = np.array([0.9, 0.1, 0.9, 0.1, 0.9])
    assert cut_optimal(layout([10] * 6, 40, min_tokens=20), costs) == [0, 2]
    assert cut_optimal(layout([10] * 6, 50, min_tokens=20), np.array([0.9, 0.9, 0.9, 0.1, 0.9])) == [0, 4]
    assert cut_optimal(layout([15, 15, 15, 15], 30), np.array([0.2, 0.9, 0.3])) == [0, 1, 3]


def test_optimal_keeps_headings_before_clauses_before_sizes() -> None:
    severity = [HEADING, TORN, TORN]
    plan = layout([10, 20, 20, 10], 50, severity=severity, min_tokens=30)
    assert cut_optimal(plan, np.array([0.1, 0.9, 0.1])) == [0, 2]


def test_optimal_takes_a_long_flat_list() -> None:
    count = 20_000
    starts = cut_optimal(layout([10] * count, 40, min_tokens=20), np.full(count - 1, 0.5))
    assert starts == list(range(0, count, 4))


# --- which cuts matter ---------------------------------------------------------------------------


@given(st.data())
def test_cuts_that_are_not_open_are_never_chosen(data: st.DataObject) -> None:
    plan = data.draw(layouts(30, smallest=1))
    values = data.draw(values_of(plan, st.floats(-0.5, 0.99)))
    assert {start - 1 for start in cut_optimal(plan, values)[1:]} <= plan.open_cuts(keeps_whole=False)
    assert {start - 1 for start in cut_tree(plan, values)[1:]} <= plan.open_cuts(keeps_whole=True)


# --- scales --------------------------------------------------------------------------------------


def test_location_does_not_move_with_one_score() -> None:
    scores = list(np.random.default_rng(7).normal(3.0, 2.0, 500))
    moved = sum(location([*scores[:i], 9.0, *scores[i + 1 :]]) != location(scores) for i in range(500))
    assert moved == 0
    assert location(scores)[1] == 2.0


@pytest.mark.parametrize(("shift", "scale"), [(0.0, 1.0), (12.0, 8.0), (-5.0, 0.25)])
def test_costs_are_monotone_and_relative_to_the_document(shift: float, scale: float) -> None:
    logits = {i: shift + scale * float(x) for i, x in enumerate(np.linspace(-2, 2, 41))}
    values = cut_values([None] * 41, logits)
    costs = sharpness_costs(values, logits)
    assert np.all(np.diff(costs) > 0)
    assert 0 < costs[0] < 0.3
    assert 0.7 < costs[-1] < 1
    assert costs[20] == pytest.approx(0.5, abs=0.13)


def test_flat_scores_cost_the_same() -> None:
    logits = dict.fromkeys(range(20), 4.0)
    costs = sharpness_costs(cut_values([None] * 20, logits), logits)
    assert set(costs) == {0.5}


def test_unscored_cuts_stand_where_the_rules_put_them() -> None:
    logits = {i: float(i) for i in range(20)}
    values = cut_values([None] * 20 + [-2.0, 0.0, 3.0], logits)
    low, middle, high = values[20:]
    assert low < np.quantile(values[:20], 0.25) < middle < np.quantile(values[:20], 0.75) < high
