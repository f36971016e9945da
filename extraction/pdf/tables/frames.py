"""Tells ruled grids that are no tables: frames, title blocks, diagrams, charts, forms, drawings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from extraction.pdf.layout import Cell, Line
from extraction.pdf.tables.grid import Grid
from extraction.pdf.tables.values import is_number

# A cell with this many lines, on a page-sized grid of few cells, is a frame around running text.
_FRAME_LINES = 12
_LEAST_FILLED = 0.15
_COLUMN_GAP = 1.0
_COMPANY_LINES = 3
_WORD = re.compile(r"[^\W\d_]{3}")
_CUT = 0.08
_FEW_CELLS = 6
_FEW_BOXES = 8
# A form has so many rows and columns, and so few of the walls between its columns.
_FORM_ROWS = 8
_FORM_COLUMNS = 6
_WALLS = 0.4
_TITLE_BLOCK = frozenset(
    {
        "изм", "кол. уч", "кол.уч", "лист", "листов", "№ док", "№ докум", "подп", "подпись", "дата",
        "стадия", "лит", "масса", "масштаб", "разраб", "пров", "н. контр", "н.контр", "утв", "гип",
    }
)  # fmt: skip


def is_frame(grid: Grid, texts: list[Cell], page_area: float) -> bool:
    """Whether a grid is a box, a page border or a title block rather than a table."""
    filled = [cell for cell in texts if cell]
    if len(filled) < 2 or len(filled) < _LEAST_FILLED * len(texts) or is_title_block(texts):
        return True
    longest = max(range(len(texts)), key=lambda index: sum(map(len, texts[index])))
    total = sum(len(line) for cell in filled for line in cell)
    share = sum(map(len, texts[longest])) / total
    if _has_company(grid, texts, longest):
        return False
    few = len(grid.slots) == 1 or len(filled) <= 3
    if len(texts[longest]) > _FRAME_LINES and (few or share > 0.7):
        return True
    return grid.area > 0.5 * page_area and share > 0.6


def _has_company(grid: Grid, texts: Sequence[Cell], index: int) -> bool:
    """Whether another cell beside a long one holds several lines too, as the labels of its rows."""
    return (
        any(
            len(texts[other]) >= _COMPANY_LINES
            for row in grid.slots
            if index in row
            for other in row
            if other not in (index, -1)
        )
        and len(grid.slots) > 1
    )


def is_title_block(texts: Sequence[Cell]) -> bool:
    """Whether cells are those of the title block of a drawing (GOST 2.104, GOST R 21.101)."""
    words = {" ".join(cell).rstrip(".").casefold() for cell in texts}
    return len(words & _TITLE_BLOCK) >= 3


def lacks_columns(grid: Grid, lines: Sequence[Sequence[Line]]) -> bool:
    """Whether most rows are one cell that holds text in columns: only their header is ruled."""
    whole = [row[0] for row in grid.slots if row[0] >= 0 and len(set(row)) == 1]
    gapped = {index for index in whole if any(line.gap > _COLUMN_GAP for line in lines[index])}
    return len(gapped) > 1 and len(gapped) > 0.5 * len(grid.slots)


def cuts_text(grid: Grid, lines: Sequence[Sequence[Line]]) -> bool:
    """Whether rules run through words again and again, as the bars of a chart do."""
    pairs = {pair for row in grid.slots for pair in pairwise(row) if pair[0] != pair[1] and -1 not in pair}
    cuts = sum(any(_touch(a, b) for a in lines[left] for b in lines[right]) for left, right in pairs)
    filled = sum(map(bool, lines))
    return cuts >= _CUT * filled and (cuts > 1 or filled <= _FEW_CELLS) and cuts > 0


def _touch(left: Line, right: Line) -> bool:
    overlap = min(left.bottom, right.bottom) - max(left.top, right.top)
    return overlap > 0.5 * left.size and abs(right.x0 - left.x1) < 0.15 * left.size


def is_single(slots: Sequence[Sequence[int]], texts: Sequence[Cell]) -> bool:
    """Whether all text stands in one column; of a single row, in one cell or in two bars of a chart."""
    filled = [{column for column, index in enumerate(row) if index >= 0 and texts[index]} for row in slots]
    if len(slots) > 1:
        return len(set.union(*filled)) < 2
    cells = {index for index in slots[0] if index >= 0 and texts[index]}
    return len(cells) < 2 or (len(cells) == 2 and all(is_number(" ".join(texts[i])) for i in cells))


def is_sparse(slots: Sequence[Sequence[int]], texts: Sequence[Cell]) -> bool:
    """Whether a few words stand on a larger grid, as in a diagram of boxes and arrows."""
    cells = {index for row in slots for index in row if index >= 0 and texts[index]}
    if len(cells) < 4 and len(slots) * len(slots[0]) >= _FEW_CELLS:
        return True
    blank = any(all(row[c] < 0 or not texts[row[c]] for row in slots) for c in range(1, len(slots[0]) - 1))
    return blank and len(cells) <= _FEW_BOXES and not any(is_number(" ".join(texts[i])) for i in cells)


def is_form(slots: Sequence[Sequence[int]]) -> bool:
    """Whether a large grid has no columns: each row is parted at other places than the rest."""
    if len(slots) < _FORM_ROWS or len(slots[0]) < _FORM_COLUMNS:
        return False
    walls = sum(a != b for row in slots for a, b in pairwise(row))
    return walls < _WALLS * len(slots) * (len(slots[0]) - 1)


def is_drawing(slots: Sequence[Sequence[int]], texts: Sequence[Cell], ruled_rows: int) -> bool:
    """Whether a grid in a picture is a drawing, or the box of names and dates on a title page."""
    cells = [
        " ".join(texts[i]) for i in dict.fromkeys(i for row in slots for i in row) if i >= 0 and texts[i]
    ]
    numbers = sum(map(is_number, cells))
    if len(cells) < 4 or not (numbers >= 4 or any(_WORD.search(cell) for cell in cells)):
        return True
    return numbers == 0 and (ruled_rows == 1 or len(slots) < 3)
