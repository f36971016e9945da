"""Mode ``optimal``: the partition with the best total.

**Objective.** A partition pays for each of its cuts and for each of its chunks, and the total is compared
level by level; a lower level decides only between partitions that are equal on all levels above it:

1. ``HEADING``: headings parted from what follows them;
2. ``TORN``: cuts through clauses, tables and code blocks that would have fitted;
3. ``GLUED``: lead-ins parted from their list, captions from their table;
4. ``UNDER``: chunks whose body is shorter than ``min_tokens``;
5. ``CRAMPED``: chunks so full that context line or overlap must be cut short;
6. the sum of the cuts' costs (``objective.cut_costs``), plus, for a chunk under ``min_tokens``, the share
   that is missing, so that of two evils the smaller is taken.

The token limit and forced cuts are no costs: partitions that break them are not looked at. Of equal
totals the one with the longest last chunk wins, then the longest before it, and so on.

**Exactness.** The levels are fields of one Python integer (costs are rounded to 2**-20), so sums are
exact and their order does not matter: the same input gives the same partition on every machine.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

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
_UNREACHED = _HEADING << _FIELD


@dataclass(frozen=True, slots=True)
class PartitionCosts:
    """What a partition pays; each cost holds all levels in one integer.

    Attributes:
        starting: Per unit, of starting a chunk there.
        sizes: Of a chunk by the tokens of its body, ``[room + 1]``; a single longer unit pays the last.
        cramped: On top of that, of a chunk longer than the comfort of its first unit.
    """

    starting: Sequence[int]
    sizes: Sequence[int]
    cramped: int = _CRAMPED


def partition_costs(layout: Layout, costs: Values, sizes: Values | None = None) -> PartitionCosts:
    """Put costs of the lowest level together with what rules and limits say on the levels above.

    Args:
        layout: Units, limits and rules.
        costs: Per cut its cost.
        sizes: Cost of a chunk by the tokens of its body, ``[room + 1]``; without, a chunk under
            ``min_tokens`` costs the share that is missing and any other nothing.
    """
    starting = (_BREACH[kind] + cost for kind, cost in zip(layout.severity, _fixed_point(costs), strict=True))
    least = layout.min_tokens
    under = [_UNDER] * least + [0] * (layout.room + 1 - least)
    missing = (_SCALE * (least - tokens) // least for tokens in range(least))
    by_tokens = _fixed_point(sizes) if sizes is not None else [*missing, *([0] * (layout.room + 1 - least))]
    return PartitionCosts([0, *starting], list(map(int.__add__, under, by_tokens)))


def cut_optimal(layout: Layout, costs: Values, sizes: Values | None = None) -> list[int]:
    """Partition with the lowest total; see ``partition_costs`` for the arguments.

    Returns:
        Units that start a chunk, in order.
    """
    return cheapest_partition(layout, partition_costs(layout, costs, sizes))


def cheapest_partition(layout: Layout, costs: PartitionCosts) -> list[int]:
    """Partition with the lowest total, by dynamic programming over the start of the last chunk.

    Takes ``O(units * units per chunk)`` steps. The chunks that start at one unit and fit end in one
    stretch, its last part cramped, so that the inner loop does nothing but add and compare.

    Args:
        layout: Units, limits and rules.
        costs: What cuts and chunks cost.

    Returns:
        Units that start a chunk, in order.
    """
    offsets, starting = layout.offsets, costs.starting
    roomy = costs.sizes
    cramped = [cost + costs.cramped for cost in roomy]
    best = [_UNREACHED] * (layout.size + 1)
    best[0] = 0
    last_start = [0] * (layout.size + 1)
    for start, (comfortable, stop) in enumerate(_reaches(layout)):
        paid, before, end = best[start] + starting[start], offsets[start], start + 1
        if offsets[end] - before > layout.room:
            # A single unit is let pass however long it is.
            if paid + cramped[-1] < best[end]:
                best[end], last_start[end] = paid + cramped[-1], start
            continue
        for sizes, behind in ((roomy, comfortable), (cramped, stop + 1)):
            for after in offsets[end:behind]:
                total = paid + sizes[after - before]
                # Of equal totals that of the longest last chunk was here first.
                if total < best[end]:
                    best[end] = total
                    last_start[end] = start
                end += 1
    return _starts(last_start)


def _reaches(layout: Layout) -> Iterator[tuple[int, int]]:
    """Per unit, where chunks that start there end: the first cramped end, and the last end that fits.

    No chunk has more units than tokens of room: units without any would make the time quadratic.
    """
    offsets, room = layout.offsets, layout.room
    borders = iter([*layout.forced[1:], layout.size])
    border = 0
    for start in range(layout.size):
        if start == border:
            border = next(borders)
        first, before = start + 1, offsets[start]
        behind = min(border, start + room) + 1
        stop = bisect_right(offsets, before + room - layout.header[start], first, max(behind, first)) - 1
        stop = max(stop, first)
        yield bisect_right(offsets, before + layout.comfort[start], first, stop + 1), stop


def _starts(last_start: Sequence[int]) -> list[int]:
    starts = []
    end = len(last_start) - 1
    while end > 0:
        end = last_start[end]
        starts.append(end)
    return starts[::-1]


def _fixed_point(costs: Values) -> list[int]:
    scaled: list[int] = np.rint(np.asarray(costs, dtype=np.float64) * _SCALE).astype(np.int64).tolist()
    return scaled
