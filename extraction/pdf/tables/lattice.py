"""Finds the cells that rules enclose."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from extraction.pdf.tables.rules import Rule, closing_rules, connected, merge_rules, shade_rules
from rubrica.model import BBox

# Bounds for drawings: comparisons between rules, and places on the grid of one group of them.
_MOST_COMPARISONS = 4_000_000
_MOST_PLACES = 100_000
# Share of the side of a place that a rule must cover to close it.
_COVER = 0.9


def find_cells(rules: Sequence[Rule], shades: Sequence[BBox]) -> list[list[BBox]]:
    """The boxes of the cells of each ruled table.

    Shaded areas count where no rules are drawn, and there only if they make rows and columns: a drawn
    table is often shaded line by line, and one shaded row is the header of a table without a grid.
    """
    tables = list(_tables(rules))
    outside = [box for box in shades if not _within(box, tables)]
    if len(outside) < 2:
        return tables
    shaded = list(_tables(merge_rules([*rules, *shade_rules(outside)])))
    return [cells for cells in shaded if _is_drawn(cells, tables) or _has_rows_and_columns(cells)]


def _is_drawn(cells: Sequence[BBox], tables: Sequence[Sequence[BBox]]) -> bool:
    return any(_within(cell, tables) for cell in cells)


def _has_rows_and_columns(cells: Sequence[BBox]) -> bool:
    return len({cell[0] for cell in cells}) > 1 and len({cell[1] for cell in cells}) > 1


def _within(box: BBox, tables: Sequence[Sequence[BBox]]) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(x0 <= x <= x1 and top <= y <= bottom for table in tables for x0, top, x1, bottom in table)


def _tables(rules: Sequence[Rule]) -> Iterator[list[BBox]]:
    for group in connected(rules, most=_MOST_COMPARISONS):
        if len(group) > 3:
            yield from _cells(group)


def _cells(group: Sequence[Rule]) -> Iterator[list[BBox]]:
    """Cells that a connected group of rules encloses, those that touch each other together."""
    rules = merge_rules([*group, *closing_rules(group)])
    xs = sorted({rule.at for rule in rules if not rule.horizontal})
    ys = sorted({rule.at for rule in rules if rule.horizontal})
    if len(xs) < 2 or len(ys) < 2 or len(xs) * len(ys) > _MOST_PLACES:
        return
    places = _Places(xs, ys, rules)
    for cells in places.tables():
        if len(cells) > 1:
            yield [(xs[c0], ys[r0], xs[c1], ys[r1]) for r0, c0, r1, c1 in cells]


Area = tuple[int, int, int, int]
"""First row, first column, row after the last, column after the last."""


class _Places:
    """The places between neighbouring rules, and the walls between them."""

    def __init__(self, xs: Sequence[float], ys: Sequence[float], rules: Sequence[Rule]) -> None:
        self.rows, self.columns = len(ys) - 1, len(xs) - 1
        self.above = [[False] * self.columns for _ in ys]
        self.before = [[False] * len(xs) for _ in range(self.rows)]
        for rule in rules:
            if rule.horizontal:
                line = bisect_left(ys, rule.at)
                for column in _covered(xs, rule):
                    self.above[line][column] = True
            else:
                line = bisect_left(xs, rule.at)
                for row in _covered(ys, rule):
                    self.before[row][line] = True

    def tables(self) -> Iterator[list[Area]]:
        """Closed cells in groups that touch at least at a corner."""
        owner: dict[tuple[int, int], int] = {}
        areas: list[Area] = []
        for room in self._rooms():
            for area in _rectangles(room):
                owner.update(dict.fromkeys(_inside(area), len(areas)))
                areas.append(area)
        seen: set[int] = set()
        for first in range(len(areas)):
            if first not in seen:
                yield [areas[i] for i in sorted(_touching(first, areas, owner, seen))]

    def _rooms(self) -> Iterator[set[tuple[int, int]]]:
        """Places without a wall between them, closed all around."""
        seen: set[tuple[int, int]] = set()
        for start in ((r, c) for r in range(self.rows) for c in range(self.columns)):
            if start in seen:
                continue
            room, stack, closed = {start}, [start], True
            while stack:
                for place in self._open_to(*stack.pop()):
                    if not (0 <= place[0] < self.rows and 0 <= place[1] < self.columns):
                        closed = False
                    elif place not in room:
                        room.add(place)
                        stack.append(place)
            seen |= room
            if closed:
                yield room

    def _open_to(self, row: int, column: int) -> Iterator[tuple[int, int]]:
        if not self.above[row][column]:
            yield row - 1, column
        if not self.above[row + 1][column]:
            yield row + 1, column
        if not self.before[row][column]:
            yield row, column - 1
        if not self.before[row][column + 1]:
            yield row, column + 1


def _covered(borders: Sequence[float], rule: Rule) -> Iterator[int]:
    """Stretches between neighbouring borders that a rule covers."""
    for i in range(
        max(bisect_right(borders, rule.start) - 1, 0), min(bisect_left(borders, rule.end), len(borders) - 1)
    ):
        start, end = max(borders[i], rule.start), min(borders[i + 1], rule.end)
        if end - start >= _COVER * (borders[i + 1] - borders[i]):
            yield i


def _rectangles(room: set[tuple[int, int]]) -> Iterator[Area]:
    """A room as one area, or, if it has corners inside, as an area for each of its rows."""
    rows = [row for row, _ in room]
    columns = [column for _, column in room]
    area = (min(rows), min(columns), max(rows) + 1, max(columns) + 1)
    if len(room) == (area[2] - area[0]) * (area[3] - area[1]):
        yield area
        return
    for row in sorted(set(rows)):
        line = sorted(column for r, column in room if r == row)
        start = line[0]
        for column, following in zip(line, [*line[1:], -1], strict=True):
            if following != column + 1:
                yield row, start, row + 1, column + 1
                start = following


def _inside(area: Area) -> Iterator[tuple[int, int]]:
    return ((row, column) for row in range(area[0], area[2]) for column in range(area[1], area[3]))


def _touching(
    first: int, areas: Sequence[Area], owner: dict[tuple[int, int], int], seen: set[int]
) -> set[int]:
    """Areas that touch an area, directly or by way of others; they are added to ``seen``."""
    group, stack = {first}, [first]
    seen.add(first)
    while stack:
        top, left, bottom, right = areas[stack.pop()]
        for place in _inside((top - 1, left - 1, bottom + 1, right + 1)):
            other = owner.get(place, first)
            if other not in seen:
                seen.add(other)
                group.add(other)
                stack.append(other)
    return group
