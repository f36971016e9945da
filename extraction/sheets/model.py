"""A sheet, whatever file it comes from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

Cells = dict[int, dict[int, str]]
"""Row → column → text, both from 1; rows and cells without text are absent."""


class Area(NamedTuple):
    """A rectangle of cells, borders included, rows and columns from 1."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True, slots=True)
class DefinedTable:
    """A range that the workbook itself calls a table.

    Attributes:
        area: Its cells, header and totals included.
        header_rows: How many of its first rows are the header.
    """

    area: Area
    header_rows: int


@dataclass(slots=True)
class Sheet:
    """One sheet of a workbook.

    Attributes:
        name: As on its tab.
        cells: Texts as the program shows them.
        merges: Areas shown as one cell; the text stands in the first.
        tables: Tables that the workbook defines.
        hidden: Whether the tab is hidden.
    """

    name: str
    cells: Cells = field(default_factory=dict)
    merges: list[Area] = field(default_factory=list)
    tables: list[DefinedTable] = field(default_factory=list)
    hidden: bool = False

    def put(self, row: int, column: int, text: str) -> None:
        """Set a cell; blank text leaves it absent."""
        text = text.strip()
        if text:
            self.cells.setdefault(row, {})[column] = text


def cut_out(cells: Cells, areas: Iterable[Area]) -> tuple[list[Cells], Cells]:
    """Part the cells inside each area from the rest."""
    inside: list[Cells] = []
    rest = dict(cells)
    numbers = sorted(cells)
    for area in areas:
        taken: Cells = {}
        for row in numbers[bisect_left(numbers, area.top) : bisect_right(numbers, area.bottom)]:
            columns = rest.get(row, {})
            found = {column: text for column, text in columns.items() if area.left <= column <= area.right}
            if found:
                taken[row] = found
                rest[row] = {column: text for column, text in columns.items() if column not in found}
        inside.append(taken)
    return inside, {row: columns for row, columns in rest.items() if columns}
