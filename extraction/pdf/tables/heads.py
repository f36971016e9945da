"""Reads the header of a table without a grid: names of columns, and names over several of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from extraction.pdf.layout import Cell, Line
from extraction.pdf.tables.area import Window
from extraction.pdf.tables.pieces import Splitter
from extraction.pdf.tables.stacks import overlaps

Span = tuple[float, float]


@dataclass(slots=True)
class Head:
    """The header of a table.

    Attributes:
        slots: For every row and column the index of the cell that covers it.
        texts: The lines of each cell.
    """

    slots: list[list[int]] = field(default_factory=list)
    texts: list[Cell] = field(default_factory=list)


@dataclass(slots=True)
class _Piece:
    line: Line
    first: int
    last: int


def read_head(window: Window, spans: Sequence[Span], splitter: Splitter) -> Head:
    """Read the header of a table.

    A piece over several columns, in the middle of them or with a rule below it, names them together; the
    others name single columns, line by line.

    Args:
        window: The table.
        spans: Left and right edge of every column.
        splitter: Cuts pieces that hold the names of several columns.
    """
    if not window.head:
        return Head()
    rows = [_pieces(row, spans, splitter, window) for row in window.head]
    levels = _levels(rows)
    head = Head()
    current = [-1] * len(spans)
    for pieces in levels:
        slots = [-1] * len(spans)
        for piece in sorted((p for row in pieces for p in row), key=lambda p: (p.line.top, p.line.x0)):
            _write(head, slots, current, piece)
        current = slots
        head.slots.append(slots)
    _fill(head)
    return head


def _pieces(row: Sequence[Line], spans: Sequence[Span], splitter: Splitter, window: Window) -> list[_Piece]:
    pieces = []
    parts: list[Line] = []
    for line in row:
        over = _over(line, spans)
        centers = [(spans[c][0] + spans[c][1]) / 2 for c in over]
        borders = list(pairwise(centers))
        parts += splitter.between(line, borders) if borders else [line]
    for line in parts:
        first, last = _reach(line, parts, spans, window)
        pieces.append(_Piece(line, first, last))
    return pieces


def _over(line: Line, spans: Sequence[Span]) -> list[int]:
    """Columns that a piece stands over."""
    over = [i for i, span in enumerate(spans) if overlaps(line.x0, line.x1, *span)]
    if over:
        return list(range(over[0], over[-1] + 1))
    return [min(range(len(spans)), key=lambda i: max(spans[i][0] - line.x1, line.x0 - spans[i][1]))]


def _reach(line: Line, row: Sequence[Line], spans: Sequence[Span], window: Window) -> tuple[int, int]:
    """First and last column that a piece names."""
    over = _over(line, spans)
    ruled = _by_rule(line, spans, window)
    if ruled:
        return ruled
    if len(row) > 1 or line.center > spans[0][1]:
        centered = _by_center(line, row, spans)
        if centered:
            return centered
    return (over[0], over[-1])


def _by_rule(line: Line, spans: Sequence[Span], window: Window) -> tuple[int, int] | None:
    """The columns over which the rule right below a piece reaches."""
    for rule in sorted(window.parts, key=lambda rule: rule.at):
        near = -0.3 * line.size <= rule.at - line.bottom <= 0.8 * line.size
        if near and rule.start - 2 <= line.center <= rule.end + 2:
            under = [i for i, s in enumerate(spans) if rule.start - 3 <= (s[0] + s[1]) / 2 <= rule.end + 3]
            if len(under) > 1 and abs((rule.start + rule.end) / 2 - line.center) < 0.25 * rule.length:
                return under[0], under[-1]
    return None


def _by_center(line: Line, row: Sequence[Line], spans: Sequence[Span]) -> tuple[int, int] | None:
    """Two or more columns that nothing else in the row stands over and in whose middle the piece stands."""
    others = [c for other in row if other is not line for c in _over(other, spans)]
    best: tuple[float, tuple[int, int]] | None = None
    own = _over(line, spans)
    for first in range(1 if own[0] else 0, own[0] + 1):
        for last in range(own[-1], len(spans)):
            if last == first or any(first <= c <= last for c in others):
                continue
            off = abs((spans[first][0] + spans[last][1]) / 2 - line.center)
            single = abs((spans[own[0]][0] + spans[own[-1]][1]) / 2 - line.center)
            if off < min(line.size, 0.5 * single + 1) and (best is None or off < best[0]):
                best = (off, (first, last))
    return best[1] if best else None


def _levels(rows: Sequence[list[_Piece]]) -> list[list[list[_Piece]]]:
    """The rows of a header: each line that names several columns is one, the lines below them another."""
    levels: list[list[list[_Piece]]] = [[]]
    for row in rows:
        spanning = any(piece.first != piece.last for piece in row)
        if levels[-1] and any(p.first != p.last for each in levels[-1] for p in each):
            same = spanning and _same_spans(levels[-1][-1], row)
            if not same:
                levels.append([])
        levels[-1].append(row)
    return levels


def _same_spans(above: Sequence[_Piece], row: Sequence[_Piece]) -> bool:
    spans = {(p.first, p.last) for p in above if p.first != p.last}
    return {(p.first, p.last) for p in row if p.first != p.last} <= spans


def _write(head: Head, slots: list[int], above: Sequence[int], piece: _Piece) -> None:
    covered = range(piece.first, piece.last + 1)
    index = next((slots[c] for c in covered if slots[c] >= 0), -1)
    if index < 0 and piece.first == piece.last and above[piece.first] >= 0:
        upper = above[piece.first]
        if sum(slot == upper for slot in above) == 1:
            index = upper  # the name of a single column goes on below
    if index < 0:
        index = len(head.texts)
        head.texts.append(())
    head.texts[index] = (*head.texts[index], piece.line.text)
    for column in covered:
        slots[column] = index


def _fill(head: Head) -> None:
    """Let the names of single columns reach down to the values, and give blank places cells."""
    for upper, lower in pairwise(head.slots):
        for column, index in enumerate(lower):
            if index < 0 and upper[column] >= 0 and upper.count(upper[column]) == 1:
                lower[column] = upper[column]
    for row in range(len(head.slots) - 1, 0, -1):
        for column, index in enumerate(head.slots[row - 1]):
            below = head.slots[row][column]
            if index < 0 and below >= 0 and head.slots[row].count(below) == 1:
                head.slots[row - 1][column] = below
    for slots in head.slots:
        for column, index in enumerate(slots):
            if index < 0:
                slots[column] = len(head.texts)
                head.texts.append(())
