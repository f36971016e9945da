"""Tables of Word: spans, merges over rows, rows and cells that tracked changes delete."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from extraction.docx.package import attribute, child_value, is_on, w
from extraction.docx.runs import is_placeholder
from extraction.flow.blocks import Block
from extraction.flow.cells import RichCell, tabulate
from extraction.tables import LABEL_LENGTH

_WRAPPERS = frozenset(w(name) for name in ("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag"))

_MOST_COLUMNS = 63  # Word's own limit

Read = Callable[[Any], Iterator[Block]]


def read_table(table: Any, read: Read) -> Iterator[Block]:
    """The blocks of a ``w:tbl``.

    Args:
        table: The table.
        read: Reads the blocks of a cell.
    """
    rows: list[list[RichCell]] = []
    marked = 0
    down: dict[int, str] = {}  # column → text of the vertical merge that is open there
    for row in _children(table, "tr"):
        properties = row.find(w("trPr"))
        if properties is not None and properties.find(w("del")) is not None:
            continue
        if is_on(properties, "tblHeader") and marked == len(rows):
            marked += 1
        rows.append(_read_row(row, properties, down, read))
    yield from tabulate(rows, marked if 0 < marked < len(rows) else None, None)


def _read_row(row: Any, properties: Any | None, down: dict[int, str], read: Read) -> list[RichCell]:
    before = _integer(child_value(properties, "gridBefore"), 0)
    cells = [RichCell(colspan=before)] if before else []
    column = before
    for node in _children(row, "tc"):
        if node.find(f"{w('tcPr')}/{w('cellDel')}") is not None:
            continue
        span = max(_integer(child_value(node, "tcPr/gridSpan"), 1), 1)
        cell = RichCell(list(read(node)), span)
        if child_value(node, "tcPr/hMerge") == "continue" and cells and not cell.flat():
            cells[-1].colspan += span
        else:
            _merge_down(cell, _merge(node), column, down)
            cells.append(cell)
        column += span
    return cells


def _merge(node: Any) -> str | None:
    """Tell "restart", "" where the cell continues the one above it, ``None`` where it is not merged."""
    merge = child_value(node, "tcPr/vMerge")
    if merge is None:
        tracked = node.find(f"{w('tcPr')}/{w('cellMerge')}")
        kind = None if tracked is None else attribute(tracked, "vMerge")
        return {"rest": "restart", "cont": ""}.get(kind or "")
    return merge


def _merge_down(cell: RichCell, merge: str | None, column: int, down: dict[int, str]) -> None:
    if merge is None:
        down.pop(column, None)
    elif merge == "restart":
        down[column] = cell.flat()
    elif not cell.flat():
        above = down.get(column, "")
        cell.text = above if len(above) <= LABEL_LENGTH else ""


def _children(parent: Any, name: str) -> Iterator[Any]:
    """Rows of a table or cells of a row, through content controls."""
    for child in parent:
        if child.tag == w(name):
            yield child
        elif child.tag in _WRAPPERS and not is_placeholder(child):
            yield from _children(child, name)


def _integer(text: str | None, default: int) -> int:
    return min(int(text), _MOST_COLUMNS) if text and text.isdecimal() and len(text) < 6 else default
