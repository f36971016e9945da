"""Tables out of cells that hold blocks of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from extraction.flow.blocks import Block, Note, Paragraph, Role, Table
from extraction.tables import Cell, lay_out

MAX_COLUMNS = 1000
"""Columns beyond which a table is read cell by cell; Word allows 63, sheets pasted into it have more."""

_MAX_GRID = 2_000_000  # cells of the resolved grid
_FEW_ROWS = 3
_FRAME_PARAGRAPHS = 5
_FRAME_LENGTH = 800  # characters
_FORMULA_NUMBER = re.compile(r"\(?[А-ЯA-Z]?\.?\d+(?:\.\d+)*\)?[.,]?")


@dataclass(slots=True)
class RichCell:
    """A cell as it is written.

    Attributes:
        blocks: What it holds.
        colspan: Columns that it covers.
        rowspan: Rows that it covers.
        text: Text to show instead of its blocks' own, where a merge repeats it.
    """

    blocks: list[Block] = field(default_factory=list)
    colspan: int = 1
    rowspan: int = 1
    text: str | None = None

    def flat(self) -> str:
        """Its text on one line."""
        return flatten(self.blocks) if self.text is None else self.text


def flatten(blocks: Sequence[Block]) -> str:
    """All text of some blocks on one line, notes left out."""
    pieces: list[str] = []
    for block in blocks:
        if isinstance(block, Paragraph):
            pieces.append(block.numbered)
        elif isinstance(block, Table):
            pieces += [" ".join(filter(None, row)) for row in block.rows]
    return " ".join(" ".join(pieces).split())


def tabulate(
    rows: Sequence[Sequence[RichCell]], header_rows: int | None, page: int | None
) -> Iterator[Block]:
    """A table's blocks: itself and its notes, or its contents where it only lays text out on the page.

    Args:
        rows: Cells as they are written, row by row.
        header_rows: How many leading rows are marked as header.
        page: Page or slide that it stands on.
    """
    filled = [[cell for cell in row if cell.flat()] for row in rows]
    filled = [row for row in filled if row]
    if not filled:
        return
    if formula := _numbered_formula(filled):
        yield formula
    elif _is_frame(rows, filled) or _is_too_large(rows):
        for row in filled:
            for cell in row:
                yield from cell.blocks
        return
    else:
        grid = lay_out([Cell(cell.flat(), cell.colspan, cell.rowspan) for cell in row] for row in rows)
        yield Table(grid, header_rows, page)
    for row in filled:
        for cell in row:
            yield from (block for block in cell.blocks if isinstance(block, Note))


def _is_frame(rows: Sequence[Sequence[RichCell]], filled: Sequence[Sequence[RichCell]]) -> bool:
    """Whether a table only places text: one column of text, or few rows with whole passages in them."""
    if len({column for row in rows for column in _filled_columns(row)}) == 1:
        return True
    return len(filled) <= _FEW_ROWS and any(_is_passage(cell) for row in filled for cell in row)


def _filled_columns(row: Sequence[RichCell]) -> Iterator[int]:
    column = 0
    for cell in row:
        if cell.flat():
            yield column
        column += cell.colspan


def _is_passage(cell: RichCell) -> bool:
    paragraphs = [block for block in cell.blocks if isinstance(block, Paragraph) and block.text.strip()]
    tables = [block for block in cell.blocks if isinstance(block, Table)]
    if len(paragraphs) + len(tables) < _FRAME_PARAGRAPHS:
        return False
    has_structure = bool(tables) or any(block.role is Role.HEADING for block in paragraphs)
    return has_structure or sum(len(block.text) for block in paragraphs) >= _FRAME_LENGTH


def _is_too_large(rows: Sequence[Sequence[RichCell]]) -> bool:
    width = max(sum(cell.colspan for cell in row) for row in rows)
    return width > MAX_COLUMNS or width * len(rows) > _MAX_GRID


def _numbered_formula(filled: Sequence[Sequence[RichCell]]) -> Paragraph | None:
    """The formula of a row that only puts its number at the margin."""
    if len(filled) != 1 or len(filled[0]) != 2:
        return None
    formula, number = filled[0]
    block = formula.blocks[0] if len(formula.blocks) == 1 else None
    if not isinstance(block, Paragraph) or block.role is not Role.FORMULA:
        return None
    if not _FORMULA_NUMBER.fullmatch(number.flat()):
        return None
    return Paragraph(f"{block.text} {number.flat()}", Role.FORMULA, page=block.page)
