"""Collects the paragraphs, tables and notes of one text: the body, a note or a text box."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from extraction.flow.blocks import Block, Look, Note, Paragraph, Role
from extraction.flow.cells import MAX_COLUMNS, RichCell, flatten, tabulate
from extraction.flow.styles import heading_of_name, role_of_names
from extraction.rtf.fonts import Style
from extraction.rtf.state import State
from extraction.tables import LABEL_LENGTH

_MOST_NESTED = 20
_MOSTLY = 0.95
_SAME_EDGE = 30  # twips


@dataclass(slots=True)
class CellLayout:
    """Where a cell ends, and how it is merged: "first" or "next" of a merge across or down."""

    edge: int = 0
    across: str = ""
    down: str = ""


@dataclass(slots=True)
class RowLayout:
    """The cells of a row as they are announced."""

    cells: list[CellLayout] = field(default_factory=list)
    header: bool = False
    coming: CellLayout = field(default_factory=CellLayout)

    def end_cell(self, edge: int) -> None:
        """Close the announcement of a cell."""
        self.coming.edge = edge
        if len(self.cells) < MAX_COLUMNS:
            self.cells.append(self.coming)
        self.coming = CellLayout()


@dataclass(slots=True)
class _Table:
    rows: list[tuple[list[RichCell], RowLayout]] = field(default_factory=list)
    cells: list[RichCell] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)


@dataclass(slots=True)
class Flow:
    """One text.

    Attributes:
        blocks: What is finished.
        parts: Text of the paragraph that is open.
        label: Its automatic number.
        after: Notes and boxes to put behind it.
    """

    styles: Mapping[int, Style]
    blocks: list[Block] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    label: list[str] = field(default_factory=list)
    after: list[Block] = field(default_factory=list)
    _bold: int = 0
    _letters: int = 0
    _size: float | None = None
    _tables: list[_Table] = field(default_factory=list)

    def write(self, text: str, state: State) -> None:
        """Add text to the paragraph that is open."""
        self.parts.append(text)
        letters = sum(not char.isspace() for char in text)
        self._letters += letters
        self._bold += letters if state.bold else 0
        if letters and self._size is None:
            self._size = state.size

    def end_paragraph(self, state: State) -> None:
        """Close the paragraph that is open."""
        text = "".join(self.parts)
        container = self._container(state.table)
        if text.strip() or "".join(self.label).strip():  # a first column may hold numbers only
            container.append(self._paragraph(text, state))
        container += self.after
        self.parts.clear()
        self.label.clear()
        self.after.clear()
        self._bold = self._letters = 0
        self._size = None

    def end_cell(self, state: State, level: int) -> None:
        """Close a cell of the table that is ``level`` deep."""
        state.table = max(state.table, level)
        self.end_paragraph(state)
        table = self._table(level)
        if len(table.cells) < MAX_COLUMNS:
            table.cells.append(RichCell(table.blocks))
        elif table.cells:
            table.cells[-1].blocks += table.blocks
        table.blocks = []

    def end_row(self, level: int, layout: RowLayout) -> None:
        """Close a row."""
        table = self._table(level)
        if table.blocks:
            table.cells.append(RichCell(table.blocks))
        if table.cells:
            table.rows.append((table.cells, layout))
        table.cells, table.blocks = [], []

    def finished(self, state: State) -> list[Block]:
        """Close all that is open."""
        self.end_paragraph(state)
        self._container(0)
        return self.blocks

    def as_note(self, state: State) -> list[Block]:
        """All as one note."""
        text = flatten(self.finished(state))
        return [Note(text)] if text else []

    def _paragraph(self, text: str, state: State) -> Paragraph:
        style = self.styles.get(state.style or 0, Style())
        level = style.level if state.level is None else state.level or None
        if level is None and state.level is None:
            level = heading_of_name(style.name)
        role = role_of_names((style.name,))
        if role is not Role.CONTENTS and level is not None:
            role = Role.HEADING
        label = "".join(self.label).strip() if self.label else None
        return Paragraph(
            text=text,
            role=role,
            level=level,
            label="" if label is not None and not any(map(str.isalnum, label)) else label,
            depth=state.depth,
            style=style.name,
            look=Look(
                bold=self._letters > 0 and self._bold >= _MOSTLY * self._letters,
                centred=state.aligned == "c",
                right=state.aligned == "r",
                size=self._size,
            ),
        )

    def _container(self, level: int) -> list[Block]:
        return self._table(level).blocks if level else self._close_to(0)

    def _table(self, level: int) -> _Table:
        level = min(level, _MOST_NESTED)
        self._close_to(level)
        while len(self._tables) < level:
            self._tables.append(_Table())
        return self._tables[level - 1]

    def _close_to(self, level: int) -> list[Block]:
        """Close the tables that are deeper; returns the list that is written to then."""
        while len(self._tables) > level:
            table = self._tables.pop()
            if table.cells or table.blocks:
                table.rows.append(([*table.cells, RichCell(table.blocks)], RowLayout()))
            target = self._tables[-1].blocks if self._tables else self.blocks
            target += _finish(table)
        return self._tables[-1].blocks if self._tables else self.blocks


def _finish(table: _Table) -> list[Block]:
    if not table.rows:
        return []
    edges = _edges(table)
    down: dict[int, str] = {}
    rows = [_row(cells, layout, edges, down) for cells, layout in table.rows]
    headers = 0
    while headers < len(rows) and table.rows[headers][1].header:
        headers += 1
    return list(tabulate(rows, headers if 0 < headers < len(rows) else None, None))


def _edges(table: _Table) -> list[int]:
    """The right edges of all columns, those that are a hair apart taken as one."""
    edges: list[int] = []
    for edge in sorted({cell.edge for _, layout in table.rows for cell in layout.cells}):
        if not edges or edge > edges[-1] + _SAME_EDGE:
            edges.append(edge)
    return edges


def _row(cells: list[RichCell], layout: RowLayout, edges: list[int], down: dict[int, str]) -> list[RichCell]:
    """Give the cells of a row their spans."""
    row: list[RichCell] = []
    column = 0
    for index, cell in enumerate(cells):
        place = layout.cells[index] if index < len(layout.cells) else CellLayout()
        end = column + 1
        while end < len(edges) and edges[end - 1] + _SAME_EDGE < place.edge:
            end += 1
        cell.colspan = end - column
        if place.across == "next" and row and not cell.flat():
            row[-1].colspan += cell.colspan
        else:
            _merge_down(cell, place.down, column, down)
            row.append(cell)
        column = end
    return row


def _merge_down(cell: RichCell, merge: str, column: int, down: dict[int, str]) -> None:
    if merge == "first":
        down[column] = cell.flat()
    elif merge == "next" and not cell.flat():
        above = down.get(column, "")
        cell.text = above if len(above) <= LABEL_LENGTH else ""
    else:
        down.pop(column, None)
