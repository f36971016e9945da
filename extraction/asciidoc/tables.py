"""Tables of AsciiDoc."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from extraction.sheets.quoting import read_rows
from extraction.tables import Cell, lay_out

_SPEC = (
    r"(?:(?:(?P<repeat>\d{1,3})\*|(?P<col>\d{1,3})?(?:\.(?P<row>\d{1,4}))?\+)?"
    r"[<^>]?(?:\.[<^>])?(?P<style>[aehlmsdv])?)"
)
_COLUMN = re.compile(r"\s*(?:(?P<repeat>\d{1,3})\*)?[<^>.]*(?:\d+[%~]?|~)?(?P<style>[aehlmsdv])?\s*")
_MOST_COLUMNS = 500


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What the lines above a table say about it.

    Attributes:
        cols: The column specification, "" where there is none.
        header: Whether the first row is a header; ``None`` where it is to be told from the lines.
        style: ``psv``, ``csv`` or ``dsv``.
        separator: What parts cells.
    """

    cols: str = ""
    header: bool | None = None
    style: str = "psv"
    separator: str = "|"


@dataclass(frozen=True, slots=True)
class _RawCell:
    text: str
    colspan: int
    rowspan: int
    style: str


def read_table(
    lines: Sequence[str], options: TableOptions, text_of: Callable[[str, str], str]
) -> tuple[list[list[str]], int]:
    """The texts of a table's cells and how many of the rows are its header.

    Args:
        lines: Lines between the delimiters.
        options: What is known about the table.
        text_of: Gives the text of a cell's source, by its style.
    """
    styles = _styles(options.cols)
    cells = list(_cells(lines, options))
    width = len(styles) or _first_line_cells(lines, options)
    if not cells or not 0 < width <= _MOST_COLUMNS:
        return [], 0
    rows = [
        [Cell(text_of(cell.text, cell.style or style), cell.colspan, cell.rowspan) for cell, style in row]
        for row in _rows(cells, width, styles or [""] * width)
    ]
    header = _implicit_header(lines, options, width) if options.header is None else options.header
    return lay_out(rows), int(header and len(rows) > 1)


def _styles(cols: str) -> list[str]:
    if cols.strip().isdigit() and cols.strip().isascii():
        return [""] * min(int(cols.strip()[:4]), _MOST_COLUMNS)
    styles: list[str] = []
    for part in re.split(r"[,;]", cols) if cols.strip() else ():
        column = _COLUMN.fullmatch(part)
        repeat = int(column["repeat"] or 1) if column else 1
        styles += [(column["style"] or "") if column else ""] * min(repeat, _MOST_COLUMNS)
    return styles


def _cells(lines: Sequence[str], options: TableOptions) -> Iterator[_RawCell]:
    if options.style != "psv":
        separator = options.separator if options.separator != "|" else {"csv": ",", "dsv": ":"}[options.style]
        for row in read_rows("\n".join(line for line in lines if line.strip()), separator):
            yield from (_RawCell(text.strip(), 1, 1, "") for text in row)
        return
    pattern = _cell_pattern(options.separator)
    text = "\n".join(lines)
    marks = list(pattern.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=False):  # without marks the end has none
        body = text[mark.end() : end].replace("\\" + options.separator, options.separator)
        cell = _RawCell(body.strip(), int(mark["col"] or 1), int(mark["row"] or 1), mark["style"] or "")
        yield from [cell] * max(int(mark["repeat"] or 1), 1)


def _cell_pattern(separator: str) -> re.Pattern[str]:
    return re.compile(rf"(?:(?:(?<=\s)|^){_SPEC})?(?<!\\){re.escape(separator)}", re.MULTILINE)


def _first_line_cells(lines: Sequence[str], options: TableOptions) -> int:
    first = next((line for line in lines if line.strip()), "")
    return sum(cell.colspan for cell in _cells([first], options))


def _implicit_header(lines: Sequence[str], options: TableOptions, width: int) -> bool:
    """Whether the first line holds the first row and a blank line follows it."""
    if len(lines) < 3 or not lines[0].strip() or lines[1].strip():
        return False
    return sum(cell.colspan for cell in _cells(lines[:1], options)) == width


def _rows(
    cells: Sequence[_RawCell], width: int, styles: Sequence[str]
) -> Iterator[list[tuple[_RawCell, str]]]:
    """Cells in rows; those that reach down from above take their columns away from the rows below."""
    covered: dict[int, int] = {}  # column → rows below that are still covered
    row: list[tuple[_RawCell, str]] = []
    column = 0
    for cell in cells:
        while covered.get(column, 0):
            column += 1
        row.append((cell, styles[min(column, width - 1)]))
        for at in range(column, min(column + cell.colspan, width)):
            if cell.rowspan > 1:
                covered[at] = cell.rowspan
        column += cell.colspan
        while covered.get(column, 0) and column < width:
            column += 1
        if column >= width:
            yield row
            row, column = [], 0
            covered = {at: left - 1 for at, left in covered.items() if left > 1}
    if row:
        yield row
