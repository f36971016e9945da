"""Tables of HTML pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from extraction.html_visibility import Visibility, flat_text
from extraction.tables import Cell, guess_header_rows, lay_out

_GROUPS = frozenset({"thead", "tbody", "tfoot"})
_STRUCTURE = ".//h1|.//h2|.//h3|.//h4|.//h5|.//h6|.//pre"
_FLOW = "p|div|ul|ol|section|article"


def is_layout(table: Any) -> bool:
    """Whether a table only arranges a page: its cells hold the page's structure, not data."""
    if table.get("role") in ("presentation", "none") or table.xpath(_STRUCTURE):
        return True
    rows = [list(_cells(row)) for _, row in _rows(table)]
    if sum(map(len, rows)) <= 1:
        return True
    if all(len(row) <= 1 for row in rows):
        return any(cell.xpath(_FLOW) for row in rows for cell in row)
    nested = sum(len(inner.text_content()) for inner in table.xpath(".//table[not(ancestor::table[2])]"))
    return nested * 2 > len(table.text_content()) if nested else False


def read_table(table: Any, visibility: Visibility) -> tuple[list[list[str]], int]:
    """The texts of a table's cells and how many of the rows are its header."""
    rows: list[list[Cell]] = []
    marked = 0
    for group, row in _rows(table):
        if visibility.hides(row):
            continue
        nodes = [cell for cell in _cells(row) if not visibility.hides(cell)]
        is_header = group == "thead" or (bool(nodes) and all(cell.tag == "th" for cell in nodes))
        if is_header and marked == len(rows):
            marked += 1
        rows.append([_cell(node, visibility) for node in nodes])
    grid = lay_out(rows)
    return grid, marked if 0 < marked < len(rows) else guess_header_rows(grid)


def _rows(table: Any) -> Iterator[tuple[str, Any]]:
    for child in table:
        if child.tag == "tr":
            yield "", child
        elif child.tag in _GROUPS:
            yield from ((child.tag, row) for row in child if row.tag == "tr")


def _cells(row: Any) -> Iterator[Any]:
    return (cell for cell in row if cell.tag in ("td", "th"))


def _cell(node: Any, visibility: Visibility) -> Cell:
    return Cell(flat_text(node, visibility), _span(node.get("colspan")), _span(node.get("rowspan")))


def _span(value: str | None) -> int:
    digits = (value or "").strip()
    return max(int(digits), 1) if digits.isascii() and digits.isdigit() and len(digits) < 6 else 1
