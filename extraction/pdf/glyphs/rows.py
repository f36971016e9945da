"""Finds the pieces that stand on one row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from extraction.pdf.layout import Line

# A drop cap is one or two letters, larger than the text by this factor.
_CAP_SIZE = 1.8
_CAP_LETTERS = 2
_MOST_CAPS = 50
# Symbols of a formula that stand above and below its row: no more characters than this.
_SCATTERED = 8
_TOUCHING = 0.2
_MARK = 3


def group_rows(lines: Iterable[Line]) -> list[list[Line]]:
    """Group pieces that stand on one row, top to bottom, each row from left to right."""
    rows: list[list[Line]] = []
    leader: Line | None = None
    for line in sorted(lines, key=lambda line: (line.middle, line.x0)):
        if leader is not None and _same_row(leader, line):
            rows[-1].append(line)
            leader = max(leader, line, key=lambda line: line.weight)
        else:
            rows.append([line])
            leader = line
    rows = _attach_scattered(rows)
    for row in rows:
        row.sort(key=lambda line: line.x0)
    return rows


def _same_row(leader: Line, line: Line) -> bool:
    first, second = leader.bottom - leader.top, line.bottom - line.top
    if max(first, second) > _CAP_SIZE * min(first, second) and _spans_more(leader, line):
        return False
    overlap = min(leader.bottom, line.bottom) - max(leader.top, line.top)
    return overlap >= 0.5 * min(first, second)


def _spans_more(first: Line, second: Line) -> bool:
    """Whether the larger of two pieces reaches well below the other one, which is no mere mark."""
    large, small = sorted((first, second), key=lambda line: line.top - line.bottom)
    return small.weight > _MARK and large.bottom - small.bottom > 0.35 * (small.bottom - small.top)


def _attach_scattered(rows: list[list[Line]]) -> list[list[Line]]:
    """Put symbols that stand a little above or below a row, as in fractions, into that row."""
    if len(rows) < 2:
        return rows
    kept: list[list[Line]] = []
    waiting: list[Line] = []
    for i, row in enumerate(rows):
        scattered = sum(line.weight for line in row) <= _SCATTERED
        above = _touching(row, kept[-1]) if scattered and kept else 0.0
        below = _touching(row, rows[i + 1]) if scattered and i + 1 < len(rows) else 0.0
        if below > above:
            waiting += row
        elif above:
            kept[-1] += row + waiting
            waiting = []
        else:
            kept.append(row + waiting)
            waiting = []
    return kept


def _touching(row: Sequence[Line], other: Sequence[Line]) -> float:
    """Share of its height by which a row reaches into another, heavier one that goes past its sides."""
    main = max(other, key=lambda line: line.weight)
    weight = sum(line.weight for line in row)
    if main.weight <= weight or sum(line.weight for line in other) < 2 * weight:
        return 0.0
    left, right = min(line.x0 for line in other), max(line.x1 for line in other)
    if row[0].x0 < left - main.size or max(line.x1 for line in row) > right + main.size:
        return 0.0
    piece = max(row, key=lambda line: line.weight)
    overlap = min(piece.bottom, main.bottom) - max(piece.top, main.top)
    share = overlap / max(piece.bottom - piece.top, 0.1)
    return share if share >= _TOUCHING else 0.0


def place_drop_caps(lines: Sequence[Line]) -> list[Line]:
    """Put each drop cap in front of the first of the lines that it stands beside."""
    caps = [i for i, line in enumerate(lines) if _may_be_cap(line)]
    if not 0 < len(caps) <= _MOST_CAPS:
        return list(lines)
    placed: dict[int, Line] = dict(enumerate(lines))
    for i in caps:
        beside = [k for k, line in enumerate(lines) if k != i and _stands_beside(lines[i], line)]
        if len(beside) < 2:
            continue
        first = min(beside, key=lambda k: (lines[k].top, lines[k].x0))
        cap, line = placed.pop(i), placed[first]
        glue = "" if line.text[:1].isalpha() and cap.text.isalpha() else " "
        placed[first] = replace(line, text=cap.text + glue + line.text, weight=line.weight + cap.weight)
    return list(placed.values())


def _may_be_cap(line: Line) -> bool:
    return line.weight <= _CAP_LETTERS and line.size > 15 and line.text[-1:].isalpha()


def _stands_beside(cap: Line, line: Line) -> bool:
    if cap.size < _CAP_SIZE * line.size or not 0 <= line.x0 - cap.x1 + 0.3 * line.size <= 1.5 * line.size:
        return False
    overlap = min(cap.bottom, line.bottom) - max(cap.top, line.top)
    return overlap >= 0.5 * (line.bottom - line.top)
