"""Finds the gap between two columns of running text."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from extraction.pdf.glyphs.lines import merge_rows
from extraction.pdf.layout import Line
from extraction.pdf.text.prose import MIN_SHARE, count_letters, full_width, is_mixed, is_prose

_MIN_LINES = 4
_LEAST_TEXT = 80
_LEAST_TERMS = 20
_MIN_WIDTH = 150.0
_MOST_CROSSING = 0.75
_TRIED = 6
_BAND_LINES = 3
_IN_BANDS = 0.6
_FACING = 0.6
_BIN = 3.0
# Least share of the lines of a right column that begin at the same x.
_FLUSH = 0.35
# A column of formulas, or the labels of a drawing, are seldom level with the lines of a text.
_MIXED_LEVEL = 0.7
_STRAY_LEVEL = 0.55
_LONG_COLUMN = 12
# Terms beside their definitions: so many fewer lines, so many of them level.
_FEWER = 0.6
_LEVEL = 0.85
_CLOSE = 0.6
_TERM_LETTERS = 5
_MARKS = 0.2
_FEWEST_TERMS = 3
_LONGEST_TERM = 4.5


class Gutter(NamedTuple):
    """A gap between two columns.

    Attributes:
        x: Where it is.
        paired: Whether the left column has headings or terms for the text at their right, which is
            read piece by piece; otherwise the left column is read as a whole, then the right one.
    """

    x: float
    paired: bool


def find_gutter(lines: Sequence[Line]) -> Gutter | None:
    """The gap between two columns of running text, if there are two.

    Args:
        lines: Pieces of lines, from one page or column.
    """
    if len(lines) < 2 * _MIN_LINES:
        return None
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    width = right - left
    if width < _MIN_WIDTH:
        return None
    margin = MIN_SHARE * width
    ordered = sorted(lines, key=lambda line: line.top)
    for x in _candidates(lines, left + margin, right - margin):
        before, after = _beside(ordered, x)
        if _are_columns(before, after, width):
            return Gutter(_settle(before, after, lines, x), paired=_explains(before, after))
    return None


def _settle(before: Sequence[Line], after: Sequence[Line], lines: Sequence[Line], x: float) -> float:
    """Where, in the gap between two columns, the fewest lines go across."""
    end, start = max(line.x1 for line in before), min(line.x0 for line in after)
    places = [x, (end + start) / 2, end + 1.0, start - 1.0]
    return min(places, key=lambda place: sum(line.x0 < place < line.x1 for line in lines))


def _beside(lines: Sequence[Line], gutter: float) -> tuple[list[Line], list[Line]]:
    """The lines left and right of a gutter where several stand on both sides with none across.

    Both are empty where most lines do not stand so, as beside the end of a short line.
    """
    sides: tuple[list[Line], list[Line]] = ([], [])
    total = 0
    for crosses, group in groupby(lines, key=lambda line: line.x0 < gutter < line.x1):
        if crosses:
            continue
        band = list(group)
        total += len(band)
        pair = [line for line in band if line.x1 <= gutter], [line for line in band if line.x0 >= gutter]
        if min(map(_count_rows, pair)) >= _BAND_LINES and _face(*pair):
            sides[0].extend(pair[0])
            sides[1].extend(pair[1])
    return sides if len(sides[0]) + len(sides[1]) >= _IN_BANDS * total else ([], [])


def _count_rows(lines: Sequence[Line]) -> int:
    """How many rows pieces stand on."""
    middles = sorted((line.middle, line.size) for line in lines)
    steps = sum(below[0] - above[0] > 0.5 * below[1] for above, below in pairwise(middles))
    return steps + 1 if lines else 0


def _face(before: Sequence[Line], after: Sequence[Line]) -> bool:
    """Whether the lines of the side that has fewer stand beside lines of the other one, not between them."""
    few, many = sorted((before, after), key=len)
    middles = sorted(line.middle for line in many)
    return sum(_has_near(middles, line.middle, line.size) for line in few) >= _FACING * len(few)


def _candidates(lines: Sequence[Line], low: float, high: float) -> list[float]:
    """Where a gutter may be: what fewer lines cross first, of these the wider."""
    found = dict.fromkeys([*_gaps(lines, low, high), *_edges(lines, low, high)])
    crossing = {x: sum(line.x0 < x < line.x1 for line in lines) / len(lines) for x in found}
    ordered = sorted(found, key=lambda x: (round(crossing[x], 2), -_room(lines, x)))
    return [x for x in ordered if crossing[x] <= _MOST_CROSSING][:_TRIED]


def _room(lines: Sequence[Line], x: float) -> float:
    """Width of the gap around ``x``, but for the few lines that reach furthest into it."""
    ends = sorted((line.x1 for line in lines if line.x1 <= x), reverse=True)
    starts = sorted(line.x0 for line in lines if line.x0 >= x)
    if not ends or not starts:
        return 0.0
    return starts[len(starts) // 20] - ends[len(ends) // 20]


def _edges(lines: Sequence[Line], low: float, high: float) -> Iterator[float]:
    """Just left of where many lines begin."""
    starts = [line.x0 for line in lines if low <= line.x0 <= high]
    bins = Counter(int(x / _BIN) for x in starts)
    counts = {key: bins[key] + bins[key + 1] for key in list(bins)}
    for key in sorted(counts, key=lambda key: -counts[key])[:_TRIED]:
        if counts[key] >= _MIN_LINES:
            yield min(x for x in starts if key <= int(x / _BIN) <= key + 1) - 0.5


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
    stretches: list[tuple[int, float]] = []
    position = first
    for value, run in groupby(counts):
        length = len(list(run))
        if value == least and length >= _BIN:
            stretches.append((length, position + length / 2))
        position += length
    return [middle for _, middle in sorted(stretches, reverse=True)[:_TRIED]]


def _are_columns(before: Sequence[Line], after: Sequence[Line], width: float) -> bool:
    sides = merge_rows(before), merge_rows(after)
    if min(map(len, sides)) < _MIN_LINES or _flush(sides[1]) < _FLUSH:
        return False
    letters = [sum(map(count_letters, side)) for side in sides]
    if _explains(before, after):
        marks = sum(line.weight < _TERM_LETTERS for line in sides[0])
        terms = letters[0] >= _LEAST_TERMS and marks <= _MARKS * len(sides[0])
        return terms and is_prose(sides[1], width)
    return min(letters) >= _LEAST_TEXT and _are_texts((before, after), sides, width)


def _are_texts(pieces: Sequence[Sequence[Line]], rows: Sequence[Sequence[Line]], width: float) -> bool:
    """Whether both sides are running text, or one is and the other has lists and formulas of its own."""
    strong = [
        is_prose(side, width) or is_prose(merged, width) for side, merged in zip(pieces, rows, strict=True)
    ]
    if all(strong):
        return True
    if not any(strong):
        return False
    weak, other = reversed(rows) if strong[0] else rows
    level = _level_share(weak, other)
    return (is_mixed(weak, width) and level <= _MIXED_LEVEL) or (
        len(other) >= _LONG_COLUMN and level <= _STRAY_LEVEL
    )


def _flush(lines: Sequence[Line]) -> float:
    """Largest share of the lines that begin at the same x."""
    bins = Counter(int(line.x0 / _BIN) for line in lines)
    return max(count + bins[key + 1] for key, count in list(bins.items())) / len(lines)


def _explains(before: Sequence[Line], after: Sequence[Line]) -> bool:
    """Whether the left side has terms or headings, with room between, that are level with the right one."""
    groups = _groups(before)
    if len(groups) < _FEWEST_TERMS:
        return False
    if len(before) <= _FEWER * len(after) and _level_share(before, after) >= _LEVEL:
        return True
    short = len(before) <= _LONGEST_TERM * len(groups)
    narrow = full_width(before) <= _FEWER * full_width(after)
    return short and narrow and _level_share([group[0] for group in groups], after) >= _LEVEL


def _groups(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines that follow each other closely."""
    groups: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.top):
        if groups and line.top - groups[-1][-1].bottom <= _CLOSE * line.size:
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _level_share(lines: Sequence[Line], others: Sequence[Line]) -> float:
    """Share of the lines whose foot is level with that of one of the others."""
    feet = sorted(line.bottom for line in others)
    return sum(_has_near(feet, line.bottom, 0.25 * line.size) for line in lines) / len(lines)


def _has_near(values: Sequence[float], value: float, distance: float) -> bool:
    after = bisect_left(values, value - distance)
    return after < len(values) and values[after] <= value + distance
