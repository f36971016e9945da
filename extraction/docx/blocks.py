"""Paragraphs and tables in reading order, through all that may be wrapped around them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from extraction.docx.package import COMPATIBILITY, attribute, child_value, w
from extraction.docx.runs import read_paragraph
from extraction.tables import LABEL_LENGTH, Cell, lay_out

Label = Callable[[Any], str]

_WRAPPERS = frozenset(w(name) for name in ("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag"))


def blocks(parent: Any) -> Iterator[Any]:
    """The ``w:p`` and ``w:tbl`` below an element, outermost only, deleted ones left out."""
    for child in parent:
        if child.tag in (w("p"), w("tbl")):
            yield child
        elif child.tag in _WRAPPERS:
            yield from blocks(child)
        elif child.tag == f"{{{COMPATIBILITY}}}AlternateContent" and len(child):
            yield from blocks(child[0])


def inner_text(node: Any, label: Label) -> str:
    """All text below an element on one line, tables and text boxes included.

    Args:
        node: A cell, a note, a text box.
        label: Tells a paragraph's automatic number.
    """
    pieces = []
    for block in blocks(node):
        if block.tag == w("p"):
            paragraph = read_paragraph(block)
            pieces += [label(block), paragraph.text]
            pieces += [inner_text(box, label) for box in paragraph.boxes]
        else:
            pieces += [" ".join(filter(None, row)) for row in read_table(block, label)[0]]
    return " ".join(" ".join(pieces).split())


def read_table(table: Any, label: Label) -> tuple[list[list[str]], int]:
    """The texts of a table and how many of its rows are marked as header."""
    rows: list[list[Cell]] = []
    marked = 0
    down: dict[int, str] = {}  # column → text of the vertical merge that is open there
    for row in _children(table, "tr"):
        properties = row.find(w("trPr"))
        if properties is not None and properties.find(w("del")) is not None:
            continue
        if properties is not None and properties.find(w("tblHeader")) is not None and marked == len(rows):
            marked += 1
        rows.append(_read_row(row, properties, down, label))
    return lay_out(rows), marked


def _read_row(row: Any, properties: Any | None, down: dict[int, str], label: Label) -> list[Cell]:
    cells = [Cell("", _integer(child_value(properties, "gridBefore"), 0))]
    if cells[0].colspan == 0:
        cells.clear()
    column = sum(cell.colspan for cell in cells)
    for node in _children(row, "tc"):
        span = _integer(child_value(node, "tcPr/gridSpan"), 1)
        merge = child_value(node, "tcPr/vMerge")
        text = inner_text(node, label)
        if merge is None:
            down.pop(column, None)
        elif merge == "restart":
            down[column] = text
        else:
            text = text or _repeated(down.get(column, ""))
        cells.append(Cell(text, span))
        column += span
    return cells


def _repeated(text: str) -> str:
    return text if len(text) <= LABEL_LENGTH else ""


def _children(parent: Any, name: str) -> Iterator[Any]:
    """Rows of a table or cells of a row, through content controls."""
    for child in parent:
        if child.tag == w(name):
            yield child
        elif child.tag in _WRAPPERS:
            yield from _children(child, name)


def _integer(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 6 else default


def frame_cells(table: Any) -> list[Any]:
    """The cells of a table of one column, which is a frame around text; else none."""
    rows = [list(_children(row, "tc")) for row in _children(table, "tr")]
    return [cell for row in rows for cell in row] if all(len(row) <= 1 for row in rows) else []


def note_texts(root: Any | None, kind: str) -> dict[str, str]:
    """Texts of footnotes or endnotes by id."""
    nodes = () if root is None else root.findall(w(kind))
    return {attribute(node, "id") or "": inner_text(node, lambda _: "") for node in nodes}
