"""Puts the pieces of a page in reading order: column by column where it has columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise, zip_longest
from typing import NamedTuple

from extraction.pdf.glyphs.lines import group_rows, merge_rows
from extraction.pdf.layout import Box, Frame, Line, PageLayout
from extraction.pdf.text.bands import split_above, split_below
from extraction.pdf.text.gutters import find_gutter

_SUPPORT = 3.0
# A line that begins at the left edge and ends this little beyond the gutter is one of the left column.
_OVERRUN = 0.1
_TERM_SPACE = 0.6
# A row of a table has so many pieces, this share of them numbers of no more characters.
_MANY_PIECES = 5
_VALUES = 0.6
_SHORT_PIECE = 12
_FEWEST_BOXES = 3
_NUMERATOR = 8


def reading_order(page: PageLayout) -> list[Frame]:
    """The frames of a page in the order in which they are read."""
    frames = [replace(_frame(part.boxes), aside=part.aside) for part in _arrange(page.boxes)]
    if len(frames) == 1:
        frames = [replace(frames[0], right=_right_margin(frames[0], page.width))]
    return [*frames, *(replace(_frame([line]), aside=True) for line in page.turned)]


def _right_margin(frame: Frame, width: float) -> float:
    """Where full lines end; on a page that has short ones only, where they might end."""
    narrow = frame.left < 0.4 * width and frame.right < 0.6 * width
    return 0.75 * width if narrow else frame.right


class _Part(NamedTuple):
    """Boxes that make a frame; a term or a heading at the side is no text that others go on with."""

    boxes: Sequence[Box]
    aside: bool = False


def _arrange(boxes: Sequence[Box]) -> Iterator[_Part]:
    """Split boxes at their gutter, band by band; what crosses the gutter stands between bands."""
    lines = [box for box in boxes if isinstance(box, Line)]
    values = _rows_of_values(lines)
    found = find_gutter([line for line in lines if id(line) not in values])
    if found is None:
        if boxes:
            yield _Part(boxes)
        return
    pending: list[Box] = []
    bands = list(_bands(boxes, found.x, values))
    for i, (across, band) in enumerate(bands):
        if across:
            pending += band
            continue
        above, rest = split_above(band, found.x, crossed=bool(pending))
        rest, below = split_below(rest, found.x, bands[i + 1][1] if i + 1 < len(bands) else [])
        pending += above
        columns = [box for box in rest if box.x0 < found.x], [box for box in rest if box.x0 >= found.x]
        if not all(columns) or len(rest) < _FEWEST_BOXES:
            pending += rest + below
            continue
        if pending:
            yield _Part(pending)
            pending = []
        if found.paired:
            yield from _pairs(*columns)
        else:
            yield from _arrange(columns[0])
            yield from _arrange(columns[1])
        pending = below
    if pending:
        yield _Part(pending)


def _bands(boxes: Sequence[Box], gutter: float, values: set[int]) -> Iterator[tuple[bool, list[Box]]]:
    """Stretches from top to bottom, each with whether its boxes go across the gutter."""
    left, right = min(box.x0 for box in boxes), max(box.x1 for box in boxes)
    allowed = _OVERRUN * (right - left)

    def crosses(box: Box) -> bool:
        within = box.x0 < left + allowed and box.x1 < gutter + allowed
        return id(box) in values or (box.x0 < gutter < box.x1 and not within)

    for across, group in groupby(sorted(boxes, key=lambda box: (box.top, box.x0)), key=crosses):
        yield across, list(group)


def _rows_of_values(lines: Sequence[Line]) -> set[int]:
    """Ids of pieces in rows of many values, one below the other: a table goes across the columns."""
    rows = group_rows(lines)
    tabular = [len(row) >= _MANY_PIECES and sum(map(_is_value, row)) >= _VALUES * len(row) for row in rows]
    near = [any(tabular[max(0, i - 2) : i] + tabular[i + 1 : i + 3]) for i in range(len(rows))]
    return {id(line) for i, row in enumerate(rows) if tabular[i] and near[i] for line in row}


def _is_value(line: Line) -> bool:
    return line.weight <= _SHORT_PIECE and (line.text[-1:].isdigit() or not any(map(str.isalpha, line.text)))


def _pairs(terms: Sequence[Box], texts: Sequence[Box]) -> Iterator[_Part]:
    """Each group of lines at the left, followed by what stands beside and below it at the right."""
    groups: list[list[Box]] = []
    for box in terms:
        if groups and box.top - groups[-1][-1].bottom <= _TERM_SPACE * (box.bottom - box.top):
            groups[-1].append(box)
        else:
            groups.append([box])
    rest = list(texts)
    for group, following in zip_longest(groups, groups[1:]):
        end = following[0].top if following else math.inf
        beside = [box for box in rest if box.middle < end]
        rest = [box for box in rest if box.middle >= end]
        above = [box for box in beside if box.bottom <= group[0].top]
        below = [box for box in beside if box.bottom > group[0].top]
        yield from (part for part in (_Part(above), _Part(group, aside=True), _Part(below)) if part.boxes)


def _frame(boxes: Sequence[Box]) -> Frame:
    lines = merge_rows(box for box in boxes if isinstance(box, Line))
    ordered: list[Box] = [*lines, *(box for box in boxes if not isinstance(box, Line))]
    ordered.sort(key=lambda box: (box.middle, box.x0))
    _lower_numerators(ordered)
    return Frame(
        left=_supported([line.x0 for line in lines]),
        right=-_supported([-line.x1 for line in lines]),
        boxes=tuple(ordered),
    )


def _lower_numerators(boxes: list[Box]) -> None:
    """Put what stands a little above a row, as the upper parts of fractions do, behind the row."""
    for i in range(len(boxes) - 1):
        part, row = boxes[i], boxes[i + 1]
        if isinstance(part, Line) and isinstance(row, Line) and part.weight <= _NUMERATOR:
            above = 0 <= row.bottom - part.bottom < 0.6 * row.size and part.x0 > row.x0
            if above and row.weight > 3 * part.weight:
                boxes[i : i + 2] = row, part


def _supported(values: Sequence[float]) -> float:
    """The least value that has another one near it; the least at all where none has."""
    ordered = sorted(values)
    for value, following in pairwise(ordered):
        if following - value <= _SUPPORT:
            return value
    return ordered[0] if ordered else 0.0
