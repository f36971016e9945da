"""Tables of OpenDocument: spans, header rows, repeated rows and cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from extraction.flow.blocks import Block
from extraction.flow.cells import MAX_COLUMNS, RichCell, tabulate
from extraction.odf.numbering import integer
from extraction.odf.package import get, q

_MOST_REPEATS = 1000  # of a row or cell with text
_MANY_ROWS = 20_000  # beyond them a repeated row is read once
_GROUPS = frozenset(map(q, ("table:table-rows", "table:table-row-group", "text:soft-page-break")))

Read = Callable[[Any], Iterator[Block]]


def read_table(table: Any, read: Read, page: int | None) -> Iterator[Block]:
    """The blocks of a ``table:table``.

    Args:
        table: The table.
        read: Reads the blocks of a cell.
        page: The slide that it stands on.
    """
    rows: list[list[RichCell]] = []
    headers = 0
    for row, header in _rows(table, header=False):
        cells = list(_cells(row, read))
        while cells and not cells[-1].flat():
            cells.pop()
        repeats = integer(get(row, "table:number-rows-repeated"), 1) if cells else 1
        repeats = min(repeats, _MOST_REPEATS) if len(rows) < _MANY_ROWS else 1
        rows += [cells] * repeats
        headers += repeats if header else 0
    if rows:
        yield from tabulate(rows, headers if 0 < headers < len(rows) else None, page)


def _rows(parent: Any, *, header: bool) -> Iterator[tuple[Any, bool]]:
    for node in parent:
        if node.tag == q("table:table-row"):
            yield node, header
        elif node.tag == q("table:table-header-rows"):
            yield from _rows(node, header=True)
        elif node.tag in _GROUPS:
            yield from _rows(node, header=header)


def _cells(row: Any, read: Read) -> Iterator[RichCell]:
    for node in row:
        if node.tag != q("table:table-cell"):  # a covered cell is part of the one that covers it
            continue
        cell = RichCell(
            list(read(node)),
            colspan=min(integer(get(node, "table:number-columns-spanned"), 1), MAX_COLUMNS),
            rowspan=integer(get(node, "table:number-rows-spanned"), 1),
        )
        repeats = min(integer(get(node, "table:number-columns-repeated"), 1), MAX_COLUMNS)
        if not cell.flat():
            yield RichCell(colspan=cell.colspan * repeats)
        else:
            yield from [cell] * min(repeats, _MOST_REPEATS)
