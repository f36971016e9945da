"""Reads the ruled tables of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pdfplumber.page import Page  # noqa: TID253 - this module is imported lazily

from extraction.pdf.cells import count_header_rows, resolve_spans, split_rows
from extraction.pdf.characters import PageGlyphs
from extraction.pdf.grid import Grid, distribute, give_back
from extraction.pdf.layout import Cell, Line, TableRegion
from extraction.pdf.lines import build_rows
from extraction.pdf.rules import find_cells

# A cell with this many lines, on a page-sized grid of few cells, is a frame around running text.
_FRAME_LINES = 12
_PAGE_SHARE = 0.35
_LEAST_FILLED = 0.15


def take_tables(page: Page, glyphs: PageGlyphs) -> tuple[list[TableRegion], PageGlyphs]:
    """Read the tables of a page.

    Args:
        page: The page, for its rules.
        glyphs: Its characters.

    Returns:
        The tables, and the characters that stand outside all of them. Frames around running text
        are no tables; their characters are among the rest.
    """
    grids = sorted(_find_grids(page), key=lambda grid: grid.area)
    if not grids:
        return [], glyphs
    rest = distribute(grids, glyphs)
    tables = []
    for grid in grids:
        table = _read(grid, page)
        if table is None:
            give_back(grid, rest)
        else:
            tables.append(table)
    return tables, rest


def _find_grids(page: Page) -> Iterator[Grid]:
    """The ruled grids of a page, without cells as large as the page, which only frame its text."""
    largest = _PAGE_SHARE * page.width * page.height
    for found in find_cells(page):
        cells = [cell for cell in found if (cell[2] - cell[0]) * (cell[3] - cell[1]) < largest]
        grid = Grid(cells) if len(cells) > 1 else None
        if grid and grid.slots and len(grid.xs) > 2:
            yield grid


def _read(grid: Grid, page: Page) -> TableRegion | None:
    """The table that a grid holds, if it is one."""
    lines = [_cell_lines(glyphs, page.page_number) for glyphs in grid.glyphs]
    if _is_frame(grid, _texts(lines), page):
        return None
    rows, columns = _useful_slots(grid, lines)
    if len(columns) < 2 or not rows:
        return None
    slots, lines = split_rows([[grid.slots[r][c] for c in columns] for r in rows], lines)
    if len(slots) == 1 and sum(bool(lines[i]) for i in slots[0] if i >= 0) < 2:
        return None
    texts = _texts(lines)
    x0, top, x1, bottom = grid.bbox
    return TableRegion(
        page=page.page_number,
        x0=x0,
        top=top,
        x1=x1,
        bottom=bottom,
        edges=(*(grid.xs[c] for c in columns), grid.xs[-1]),
        rows=resolve_spans(slots, texts),
        header_rows=count_header_rows(slots, texts),
    )


def _cell_lines(glyphs: PageGlyphs, page: int) -> list[Line]:
    return [
        line
        for direction in (glyphs.upright, glyphs.rising, glyphs.falling)
        for line in build_rows(direction, page)
    ]


def _texts(cells: Sequence[Sequence[Line]]) -> list[Cell]:
    return [tuple(line.text for line in cell) for cell in cells]


def _is_frame(grid: Grid, texts: list[Cell], page: Page) -> bool:
    """Whether a grid is a box, a page border or a chart rather than a table."""
    filled = [cell for cell in texts if cell]
    if len(filled) < 2:
        return True
    longest = max(filled, key=len)
    total = sum(len(line) for cell in filled for line in cell)
    few = len(grid.slots) == 1 or len(filled) <= 3
    if len(longest) > _FRAME_LINES and (few or sum(map(len, longest)) > 0.7 * total):
        return True
    large = grid.area > 0.5 * page.width * page.height
    return (large and sum(map(len, longest)) > 0.6 * total) or len(filled) < _LEAST_FILLED * len(texts)


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
