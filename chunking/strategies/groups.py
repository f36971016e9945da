"""Groups of units: joined where they are too small, cut where they are too long."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from chunking.partition.optimal import cut_optimal
from chunking.partition.standing import Values
from chunking.plan import Plan
from chunking.rules import Severity
from chunking.units import Span

Joins = Callable[[Span, Span], bool]


def meaningful_cuts(plan: Plan) -> list[int]:
    """Cuts that meaning may decide about: they break no rule, and no row, line or word stands there."""
    rules = plan.rules
    return [
        cut
        for cut, severity in enumerate(rules.severity)
        if severity <= Severity.FREE and rules.standing[cut] is None
    ]


def join_groups(starts: Sequence[int], size: int, order: Iterable[int], joins: Joins) -> list[int]:
    """Join neighbouring groups.

    Args:
        starts: Units that start a group, in order, the first included.
        size: Number of units.
        order: Starts whose group may be joined with the one before it, in the order of asking.
        joins: Whether two neighbours, as they have grown so far, become one.

    Returns:
        Units that start a group.
    """
    begin = {stop: start for start, stop in zip(starts, [*starts[1:], size], strict=True)}
    end = {start: stop for stop, start in begin.items()}
    for start in order:
        left, right = (begin[start], start), (start, end[start])
        if joins(left, right):
            del end[start], begin[start]
            end[left[0]], begin[right[1]] = right[1], left[0]
    return sorted(end)


def cut_to_size(plan: Plan, starts: Sequence[int], costs: Values) -> list[int]:
    """Starts of chunks: those of the groups, and more where a group is too long for one chunk.

    Args:
        plan: Units, limits and rules.
        starts: Units that start a group.
        costs: Per cut its cost, in ``(0, 1)``.
    """
    severity = list(plan.layout.severity)
    for start in starts[1:]:
        severity[start - 1] = Severity.FORCED
    return cut_optimal(replace(plan.layout, severity=severity), costs)


def without_small(plan: Plan, starts: Sequence[int], values: Values) -> list[int]:
    """Groups of at least ``min_tokens``, joined with their nearer neighbour where they had less.

    Args:
        plan: Units, limits and rules.
        starts: Units that start a group.
        values: Per cut its value; groups across the highest are joined first.
    """
    layout = plan.layout

    def joins(left: Span, right: Span) -> bool:
        return min(layout.tokens(*left), layout.tokens(*right)) < layout.min_tokens

    return join_groups(starts, layout.size, dullest_first(plan, starts, values), joins)


def dullest_first(plan: Plan, starts: Sequence[int], values: Values) -> list[int]:
    """Starts that are not forced, those across which the two sides are nearest first."""
    free = (start for start in starts[1:] if plan.layout.severity[start - 1] is not Severity.FORCED)
    return sorted(free, key=lambda start: (-values[start - 1], start))
