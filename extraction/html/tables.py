"""Tables of HTML pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from extraction.html.visibility import Visibility
from extraction.tables import Cell, guess_header_rows, lay_out

_FORM = "form"  # browsers show rows and cells through it
_GROUPS = frozenset({"thead", "tbody", "tfoot"})
_HEADINGS = ".//h1|.//h2|.//h3|.//h4|.//h5|.//h6"
_FLOW = "p|div|ul|ol|section|article"
_PARAGRAPHS = ".//p|.//div|.//br"
_LAYOUT_TEXT = 800  # characters of a cell from which it may hold the page rather than a datum
_LAYOUT_ROWS = 3
_CODE_CLASSES = frozenset({"highlighttable", "rouge-table", "js-file-line-container"})


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """A table that was read.

    Attributes:
        titles: Texts of leading rows with a single cell over the whole width.
        rows: Cells, all rows of the same length.
        header_rows: How many of the first rows are the header.
    """

    titles: list[str]
    rows: list[list[str]]
    header_rows: int


def is_layout(table: Any) -> bool:
    """Whether a table only arranges a page: its cells hold the page's structure, not data."""
    if table.get("role") in ("presentation", "none") or not _CODE_CLASSES.isdisjoint(
        table.get("class", "").split()
    ):
        return True
    rows = [list(_cells(row)) for _, row in _rows(table)]
    cells = [cell for row in rows for cell in row]
    if len(cells) <= 1:
        return True
    if _is_marked_as_data(table, cells):
        return False
    if all(len(row) <= 1 for row in rows):
        return any(cell.xpath(_FLOW) or _length(cell) > _LAYOUT_TEXT for cell in cells)
    if table.xpath(_HEADINGS) and not _heads_its_cells(cells):
        return True
    return _holds_tables(table) or _holds_page(rows, cells)


def read_table(table: Any, visibility: Visibility, cell_text: Callable[[Any], str]) -> HtmlTable:
    """Read a table of data.

    Args:
        table: The element.
        visibility: Tells which rows and cells are shown.
        cell_text: Reads a cell.
    """
    rows: list[list[Cell]] = []
    marked = 0
    for group, row in _rows(table):
        if visibility.hides(row):
            continue
        nodes = [cell for cell in _cells(row) if not visibility.hides(cell)]
        if nodes and marked == len(rows) and _is_header(group, nodes):
            marked += 1
        rows.append([Cell(cell_text(node), _span(node, "colspan"), _span(node, "rowspan")) for node in nodes])
    titles = _title_rows(rows)
    grid = lay_out(rows[titles:])
    marked = max(marked - titles, 0)
    header_rows = marked if 0 < marked < len(grid) else guess_header_rows(grid)
    return HtmlTable([row[0].text for row in rows[:titles] if row[0].text], grid, header_rows)


def _is_marked_as_data(table: Any, cells: list[Any]) -> bool:
    if any(True for _ in table.iterchildren("caption", "thead")):
        return True
    heads = [cell for cell in cells if cell.tag == "th" or cell.get("scope") or cell.get("headers")]
    return bool(heads) and all(_length(head) <= _LAYOUT_TEXT for head in heads)


def _heads_its_cells(cells: list[Any]) -> bool:
    """Whether headings are used as the labels of cells: short, and nothing long beside them."""
    return max(map(_length, cells)) <= _LAYOUT_TEXT // 4 and len(cells) >= 4


def _holds_tables(table: Any) -> bool:
    depth = int(table.xpath("count(ancestor::table)"))
    inner = sum(_length(child) for child in table.xpath(f".//table[count(ancestor::table) = {depth + 1}]"))
    return inner * 2 > _length(table) if inner else False


def _holds_page(rows: list[list[Any]], cells: list[Any]) -> bool:
    """Whether most of the text stands in one cell, in paragraphs."""
    if len(rows) > _LAYOUT_ROWS:
        return False
    largest = max(cells, key=_length)
    length = _length(largest)
    is_most = length > _LAYOUT_TEXT and length * 2 > sum(map(_length, cells))
    return is_most and len(largest.xpath(_PARAGRAPHS)) >= 4


def _length(node: Any) -> int:
    return int(node.xpath("string-length(normalize-space(.))"))


def _is_header(group: str, nodes: list[Any]) -> bool:
    return group == "thead" or all(node.tag == "th" and node.get("scope") != "row" for node in nodes)


def _title_rows(rows: list[list[Cell]]) -> int:
    """How many leading rows hold one cell that spans the table."""
    width = max((sum(cell.colspan for cell in row) for row in rows), default=0)
    count = 0
    while count < len(rows) - 1 and len(rows[count]) == 1 and 1 < width <= rows[count][0].colspan:
        count += 1
    return count


def _rows(table: Any) -> Iterator[tuple[str, Any]]:
    for child in _children(table):
        if child.tag == "tr":
            yield "", child
        elif child.tag in _GROUPS:
            yield from ((child.tag, row) for row in _children(child) if row.tag == "tr")


def _cells(row: Any) -> Iterator[Any]:
    return (cell for cell in _children(row) if cell.tag in ("td", "th"))


def _children(node: Any) -> Iterator[Any]:
    waiting = list(reversed(node))
    while waiting:
        child = waiting.pop()
        if child.tag == _FORM:
            waiting += reversed(child)
        else:
            yield child


def _span(node: Any, name: str) -> int:
    digits = (node.get(name) or "").strip()
    return max(int(digits), 1) if digits.isascii() and digits.isdigit() and len(digits) < 6 else 1
