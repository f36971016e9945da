"""Mode ``optimal``: the partition with the best total.

**Objective.** A partition pays for each of its cuts and for each of its chunks, and the total is compared
level by level; a lower level decides only between partitions that are equal on all levels above it:

1. ``HEADING``: headings parted from what follows them;
2. ``TORN``: cuts through clauses, tables and code blocks that would have fitted;
3. ``GLUED``: lead-ins parted from their list, captions from their table;
4. ``UNDER``: chunks whose body is shorter than ``min_tokens``;
5. ``CRAMPED``: chunks so full that context line or overlap must be cut short;
6. the sum of the cuts' costs in ``(0, 1)`` (``standing.sharpness_costs``), plus, for a chunk under
   ``min_tokens``, the share that is missing, so that of two evils the smaller is taken.

The token limit and forced cuts are no costs: partitions that break them are not looked at. As every cut
costs something, no chunk is cut that need not be; as sharp turns cost little and smooth text much, two
sharp cuts are preferred to one in the middle of a thought. Of equal totals the one with the longest last
chunk wins, then the longest before it, and so on.

**Exactness.** The levels are fields of one Python integer (scores are rounded to 2**-20), so sums are
exact and their order does not matter: the same input gives the same partition on every machine.
"""

from __future__ import annotations

from chunking.partition.layout import Layout
from chunking.partition.standing import Values
from chunking.rules import Severity

_FIELD = 28
_SCALE = 1 << 20
_SCORE_FIELD = 20 + _FIELD
_CRAMPED = 1 << _SCORE_FIELD
_UNDER = _CRAMPED << _FIELD
_GLUED = _UNDER << _FIELD
_TORN = _GLUED << _FIELD
_HEADING = _TORN << _FIELD
_BREACH = {
    Severity.FORCED: 0,
    Severity.FREE: 0,
    Severity.GLUED: _GLUED,
    Severity.TORN: _TORN,
    Severity.HEADING: _HEADING,
}


def cut_optimal(layout: Layout, costs: Values) -> list[int]:
    """Partition with the lowest total, by dynamic programming over the end of the last chunk.

    Takes ``O(units * units per chunk)`` steps.

    Args:
        layout: Units, limits and rules.
        costs: Per cut its cost, in ``(0, 1)``.

    Returns:
        Units that start a chunk, in order.
    """
    starting = starting_costs(layout, costs)
    best = [0]
    last_start = [0]
    for stop in range(1, layout.size + 1):
        total, start = _best_last_chunk(layout, stop, best, starting)
        best.append(total)
        last_start.append(start)
    starts = []
    stop = layout.size
    while stop > 0:
        stop = last_start[stop]
        starts.append(stop)
    return starts[::-1]


def starting_costs(layout: Layout, costs: Values) -> list[int]:
    """Per unit, what it costs to start a chunk there."""
    cuts = zip(layout.severity, costs, strict=True)
    return [0, *(_BREACH[severity] + round(float(cost) * _SCALE) for severity, cost in cuts)]


def chunk_cost(layout: Layout, start: int, stop: int) -> int:
    """What a chunk costs, its left edge aside."""
    tokens = layout.tokens(start, stop)
    cost = 0
    if tokens < layout.min_tokens:
        cost += _UNDER + _SCALE * (layout.min_tokens - tokens) // layout.min_tokens
    if tokens > layout.comfort[start]:
        cost += _CRAMPED
    return cost


def _best_last_chunk(layout: Layout, stop: int, best: list[int], starting: list[int]) -> tuple[int, int]:
    """Lowest total of a partition of the first ``stop`` units, and where its last chunk starts."""
    start = stop - 1
    lowest = best[start] + starting[start] + chunk_cost(layout, start, stop)
    winner = start
    while start > 0 and layout.severity[start - 1] is not Severity.FORCED:
        start -= 1
        if layout.tokens(start, stop) > layout.room:
            break
        if not layout.fits(start, stop):
            continue
        total = best[start] + starting[start] + chunk_cost(layout, start, stop)
        if total <= lowest:
            lowest, winner = total, start
    return lowest, winner
