"""Reads tables whose cells are enclosed by rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from extraction.pdf.glyphs.characters import PageGlyphs
from extraction.pdf.glyphs.lines import build_rows
from extraction.pdf.layout import Cell, Line, TableRegion
from extraction.pdf.tables.cells import count_header_rows, resolve_spans, split_rows, write_cell
from extraction.pdf.tables.frames import (
    cuts_text,
    is_drawing,
    is_form,
    is_frame,
    is_single,
    is_sparse,
    is_title_block,
    lacks_columns,
)
from extraction.pdf.tables.grid import Grid, distribute, give_back
from extraction.pdf.tables.lattice import find_cells
from extraction.pdf.tables.rules import Rule
from extraction.pdf.tables.values import opens_note
from rubrica.model import BBox

_PAGE_SHARE = 0.35
_CAPTION = re.compile(
    r"(?:Таблица|Табл\.|Table|Exhibit|Форма|Рисунок|Рис\.|Figure|Fig\.)\W*\d", re.IGNORECASE
)


class Sheet(NamedTuple):
    """A page.

    Attributes:
        number: Its number, from 1.
        width: Width in points.
        height: Height in points.
        scanned: Whether its rules are read from a picture, which may hold drawings.
    """

    number: int
    width: float
    height: float
    scanned: bool = False

    @property
    def area(self) -> float:
        """Area in square points."""
        return self.width * self.height


@dataclass(slots=True)
class Reading:
    """What grids of a page hold.

    Attributes:
        tables: Their tables.
        rest: The characters that stand outside all tables.
        drawings: Boxes of grids that are charts, diagrams or forms; no table is to be looked for there.
    """

    rest: PageGlyphs
    tables: list[TableRegion] = field(default_factory=list)
    drawings: list[BBox] = field(default_factory=list)


def read_grids(grids: Sequence[Grid], glyphs: PageGlyphs, sheet: Sheet) -> Reading:
    """Read the tables that stand in grids.

    Frames around running text are no tables, and a caption or a note in a row of its own stands above or
    below its table.

    Args:
        grids: Grids of a page.
        glyphs: Its characters.
        sheet: Number and size of the page.
    """
    grids = sorted(grids, key=lambda grid: grid.area)
    if not grids:
        return Reading(glyphs)
    reading = Reading(distribute(grids, glyphs))
    for grid in grids:
        lines = [_cell_lines(cell, sheet.number) for cell in grid.glyphs]
        texts = _texts(lines)
        if is_frame(grid, texts, sheet.area) or lacks_columns(grid, lines):
            if is_title_block(texts):
                reading.drawings.append(grid.bbox)
            give_back(grid, reading.rest)
            continue
        first, last = _inner_rows(grid, lines)
        table = _read(grid, lines, range(first, last), sheet)
        if table is None:
            reading.drawings.append(grid.bbox)
            give_back(grid, reading.rest)
        else:
            reading.tables.append(table)
            outer = [*range(first), *range(last, len(grid.slots))]
            give_back(grid, reading.rest, {grid.slots[row][0] for row in outer})
    return reading


def _inner_rows(grid: Grid, lines: Sequence[Sequence[Line]]) -> tuple[int, int]:
    """The first row of a grid, and the row after the last, without captions and notes inside its frame."""

    def opens(row: int, test: Callable[[str], object]) -> bool:
        index = grid.slots[row][0]
        whole = index >= 0 and len(set(grid.slots[row])) == 1
        return whole and bool(lines[index]) and bool(test(lines[index][0].text))

    first, last = 0, len(grid.slots)
    while first < last - 1 and opens(first, _CAPTION.match):
        first += 1
    while last > first + 1 and opens(last - 1, opens_note):
        last -= 1
    return first, last


def find_grids(rules: Sequence[Rule], shades: Sequence[BBox], sheet: Sheet) -> Iterator[Grid]:
    """The ruled grids of a page, without cells as large as the page, which only frame its text."""
    largest = _PAGE_SHARE * sheet.area
    for found in find_cells(rules, shades):
        cells = [cell for cell in found if (cell[2] - cell[0]) * (cell[3] - cell[1]) < largest]
        grid = Grid(cells) if len(cells) > 1 else None
        if grid and grid.slots and len(grid.xs) > 2:
            yield grid


def _read(grid: Grid, lines: list[list[Line]], inner: range, sheet: Sheet) -> TableRegion | None:
    """The table that some rows of a grid hold, if it is one."""
    rows, columns = _useful_slots(grid, lines)
    rows = [row for row in rows if row in inner]
    if len(columns) < 2 or not rows or cuts_text(grid, lines):
        return None
    slots, lines = split_rows([[grid.slots[r][c] for c in columns] for r in rows], lines)
    texts = _texts(lines)
    if is_single(slots, texts) or is_sparse(slots, texts) or is_form(slots):
        return None
    if sheet.scanned and is_drawing(slots, texts, len(rows)):
        return None
    return TableRegion(
        page=sheet.number,
        x0=grid.xs[0],
        top=grid.ys[inner.start],
        x1=grid.xs[-1],
        bottom=grid.ys[inner.stop],
        edges=(*(grid.xs[c] for c in columns), grid.xs[-1]),
        rows=resolve_spans(slots, texts),
        header_rows=count_header_rows(slots, texts),
        slots=tuple(map(tuple, slots)),
    )


def _cell_lines(glyphs: PageGlyphs, page: int) -> list[Line]:
    return [
        line
        for direction in (glyphs.upright, glyphs.rising, glyphs.falling)
        for line in build_rows(direction, page)
    ]


def _texts(cells: Sequence[Sequence[Line]]) -> list[Cell]:
    return [write_cell(cell) for cell in cells]


def _useful_slots(grid: Grid, lines: Sequence[Sequence[Line]]) -> tuple[list[int], list[int]]:
    """Rows and columns of the grid that hold the start of a cell with text.

    The others are slivers between double rules, or empty.
    """
    rows, columns = set(), set()
    seen: set[int] = set()
    for r, slots in enumerate(grid.slots):
        for c, index in enumerate(slots):
            if index >= 0 and index not in seen:
                seen.add(index)
                if lines[index]:
                    rows.add(r)
                    columns.add(c)
    wide = {c for c in range(len(grid.xs) - 1) if _has_own_cell(grid, c)}
    return sorted(rows), sorted(columns | wide)


def _has_own_cell(grid: Grid, column: int) -> bool:
    """Whether some cell stands in this column alone and is wide enough to be written into."""
    if grid.xs[column + 1] - grid.xs[column] < 6.0:
        return False
    return any(
        row[column] >= 0
        and (column == 0 or row[column - 1] != row[column])
        and (column + 1 == len(row) or row[column + 1] != row[column])
        for row in grid.slots
    )
