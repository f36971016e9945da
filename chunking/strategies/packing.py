"""Fills chunks from the front, breaking as little structure as can be."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from chunking.partition.layout import Layout
from chunking.rules import Severity

_FIELD = 28
_COST = {
    Severity.FREE: 0,
    Severity.GLUED: 1 << _FIELD,
    Severity.TORN: 1 << 2 * _FIELD,
    Severity.HEADING: 1 << 3 * _FIELD,
}
# A chunk so full that its context line or overlap must be cut short: worse than any free cut.
_CRAMPED = 1


def pack(layout: Layout) -> list[int]:
    """Cut so that every chunk is as long as it can be, the first ones first.

    Cuts that break the structure are counted, the gravest first; among the partitions that break least
    the first chunk is the longest possible, then the second, and so on. Without structure rules these
    are plain windows. A partition of what follows a cut breaks no more the later that cut is, so per
    chunk only the last cut of each severity has to be looked at: linear in the number of units.

    Args:
        layout: Units, limits and rules.

    Returns:
        Units that start a chunk, in order.
    """
    packer = _Packer(layout)
    total = [0] * (layout.size + 1)
    following = [layout.size] * (layout.size + 1)
    for start in reversed(range(layout.size)):
        choices = ((cost + total[stop], -stop) for cost, stop in packer.ends(start))
        total[start], stop = min(choices)
        following[start] = -stop
    starts = [0]
    while following[starts[-1]] < layout.size:
        starts.append(following[starts[-1]])
    return starts


class _Packer:
    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._borders = [*layout.forced[1:], layout.size]
        self._last = {severity: _last_cuts(layout, severity) for severity in _COST}

    def ends(self, start: int) -> Iterator[tuple[int, int]]:
        """Where a chunk that starts there may end, each with what ending there costs."""
        layout = self._layout
        border = self._borders[bisect_right(self._borders, start)]
        well = self._reach(start, layout.comfort[start])
        full = max(self._reach(start, layout.room - layout.header[start]), well)
        for reach, cost in ((well, 0), (full, _CRAMPED)):
            if border <= reach:
                yield cost, border
                continue
            for severity, last in self._last.items():
                if last[reach - 1] >= start:
                    yield cost + _COST[severity], last[reach - 1] + 1

    def _reach(self, start: int, room: int) -> int:
        """The unit after the last that still fits; a single unit always does."""
        offsets = self._layout.offsets
        return max(bisect_right(offsets, offsets[start] + room) - 1, start + 1)


def _last_cuts(layout: Layout, severity: Severity) -> list[int]:
    """Per cut, the last one of that severity up to it; -1 where there is none."""
    last, found = [], -1
    for cut, own in enumerate(layout.severity):
        found = cut if own is severity else found
        last.append(found)
    return last
