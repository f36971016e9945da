"""Puts the pieces of a page in reading order: column by column where it has columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from extraction.pdf.layout import Box, Frame, Line, PageLayout
from extraction.pdf.lines import merge_rows

_MIN_LINES = 4
_MIN_SHARE = 0.2
_MIN_LETTERS = 12
_MIN_WIDTH = 150.0
_SUPPORT = 3.0


def reading_order(page: PageLayout) -> list[Frame]:
    """The frames of a page in the order in which they are read."""
    groups = list(_arrange(page.boxes))
    frames = [_frame(boxes) for boxes in groups]
    if len(frames) == 1:
        frames = [replace(frames[0], right=_right_margin(frames[0], page.width))]
    return [*frames, *(replace(_frame([line]), aside=True) for line in page.turned)]


def _right_margin(frame: Frame, width: float) -> float:
    """Where full lines end; on a page that has short ones only, where they might end."""
    narrow = frame.left < 0.4 * width and frame.right < 0.6 * width
    return 0.75 * width if narrow else frame.right


def _arrange(boxes: Sequence[Box]) -> Iterator[list[Box]]:
    """Split boxes at their gutter, band by band; what crosses the gutter stands between bands."""
    gutter = _find_gutter(boxes)
    if gutter is None:
        if boxes:
            yield list(boxes)
        return
    pending: list[Box] = []
    for crosses, group in groupby(
        sorted(boxes, key=lambda box: (box.top, box.x0)), key=lambda box: box.x0 < gutter < box.x1
    ):
        band = list(group)
        left = [box for box in band if box.x1 <= gutter]
        right = [box for box in band if box.x0 >= gutter]
        if crosses or not (_is_column(left) and _is_column(right)):
            pending += band
            continue
        if pending:
            yield pending
            pending = []
        yield from _arrange(left)
        yield from _arrange(right)
    if pending:
        yield pending


def _is_column(boxes: Sequence[Box]) -> bool:
    return len(boxes) >= 2


def _find_gutter(boxes: Sequence[Box]) -> float | None:
    """The x of the widest vertical gap between two columns of running text, if there is one."""
    lines = [box for box in boxes if isinstance(box, Line)]
    if len(lines) < 2 * _MIN_LINES:
        return None
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    width = right - left
    if width < _MIN_WIDTH:
        return None
    margin = _MIN_SHARE * width
    for gutter in _gaps(lines, left + margin, right - margin):
        before = [line for line in lines if line.x1 <= gutter]
        after = [line for line in lines if line.x0 >= gutter]
        if _is_prose(before, width) and _is_prose(after, width):
            return gutter
    return None


def _gaps(lines: Sequence[Line], low: float, high: float) -> list[float]:
    """Middles of the stretches that the fewest lines cross, the widest first."""
    first, last = int(low), int(high) + 1
    cover = [0] * (last - first + 1)
    for line in lines:
        start, end = max(int(line.x0), first), min(int(line.x1) + 1, last)
        if start < end:
            cover[start - first] += 1
            cover[end - first] -= 1
    total, counts = 0, []
    for change in cover[:-1]:
        total += change
        counts.append(total)
    least = min(counts)
    if least > 0.5 * len(lines):
        return []
    stretches: list[tuple[int, float]] = []
    position = first
    for value, run in groupby(counts):
        length = len(list(run))
        if value == least:
            stretches.append((length, position + length / 2))
        position += length
    return [middle for length, middle in sorted(stretches, reverse=True)[:3] if length >= 3]


def _is_prose(lines: Sequence[Line], width: float) -> bool:
    """Whether lines fill a column of their own, as running text does and a list of values does not."""
    if len(lines) < _MIN_LINES:
        return False
    widths = sorted(line.width for line in lines)
    full = widths[int(0.9 * (len(widths) - 1))]
    letters = sorted(line.weight for line in lines)[len(lines) // 2]
    filled = sum(w >= 0.7 * full for w in widths)
    return full >= _MIN_SHARE * width and filled >= 0.5 * len(lines) and letters >= _MIN_LETTERS


def _frame(boxes: Sequence[Box]) -> Frame:
    lines = merge_rows(box for box in boxes if isinstance(box, Line))
    ordered: list[Box] = [*lines, *(box for box in boxes if not isinstance(box, Line))]
    ordered.sort(key=lambda box: (box.middle, box.x0))
    return Frame(
        left=_supported([line.x0 for line in lines]),
        right=-_supported([-line.x1 for line in lines]),
        boxes=tuple(ordered),
    )


def _supported(values: Sequence[float]) -> float:
    """The least value that has another one near it; the least at all where none has."""
    ordered = sorted(values)
    for value, following in pairwise(ordered):
        if following - value <= _SUPPORT:
            return value
    return ordered[0] if ordered else 0.0
