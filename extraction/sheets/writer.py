"""Writes sheets out: the name as a heading, each table, the texts above, below and between."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from extraction.builder import DocumentBuilder
from extraction.sheets.model import Area, Cells, Sheet, cut_out
from extraction.sheets.regions import edges, find_regions
from extraction.tables import (
    LABEL_LENGTH,
    count_title_rows,
    fits,
    guess_header_rows,
    in_one_cell,
    names_columns,
)
from rubrica.model import ElementKind

_MERGED_CELLS = 100_000  # per sheet; a merge over a whole column says nothing about its rows
_MAX_TABLES = 1000  # of those that a sheet defines
_MAX_HEADER = 5
_REMARK = re.compile(r"[*¹²³†]|\d\)|(?:Примечани|Источник|Note|Source|Remark)", re.IGNORECASE)
_REMARK_LENGTH = 60

Rows = list[list[str]]


def write_sheets(builder: DocumentBuilder, sheets: Iterable[Sheet]) -> list[str]:
    """Write the sheets that are shown; the hidden ones only where no other has text.

    Returns:
        Names of the hidden sheets with text that were left out.
    """
    hidden: list[Sheet] = []
    for sheet in sheets:
        if sheet.hidden:
            hidden.append(sheet)
        else:
            write_sheet(builder, sheet)
    if not builder.elements:
        for sheet in hidden:
            write_sheet(builder, sheet)
        return []
    return [sheet.name for sheet in hidden if sheet.cells]


def write_sheet(builder: DocumentBuilder, sheet: Sheet) -> None:
    """Write one sheet, from top to bottom and from left to right."""
    if not sheet.cells:
        return
    builder.add(ElementKind.HEADING, sheet.name, level=1)
    _repeat_merged(sheet)
    stated = sheet.tables[:_MAX_TABLES]
    defined, rest = cut_out(sheet.cells, [table.area for table in stated])
    parts = [(part, None) for part in find_regions(rest, sheet.merges)]
    tables = zip(defined, (table.header_rows for table in stated), strict=True)
    marked = [(part, count) for part, count in tables if part]
    reach: dict[int, list[Area]] = {}
    for area in sheet.merges:
        reach.setdefault(area.top, []).append(area)
    for part, header_rows in sorted([*parts, *marked], key=lambda item: edges(item[0])):
        _write_part(builder, part, header_rows, reach)


def write_rows(
    builder: DocumentBuilder,
    table: Sequence[Sequence[str]],
    header_rows: int | None = None,
    *,
    spanned: int = 0,
) -> None:
    """Write a block of cells: texts of single cells above and below it, and the table between.

    Args:
        builder: Takes the elements.
        table: All rows of the same length.
        header_rows: How many of the first rows are the header, where the file tells.
        spanned: How many first rows the header has at least, after the titles, by its merged cells.
    """
    width = max(map(len, table), default=0)
    if header_rows is None and (width == 1 or len(table) == 1):  # a list of lines, not a table
        for row in table:
            builder.add(ElementKind.PARAGRAPH, " ".join(filter(None, row)))
        return
    titles = count_title_rows(table) if header_rows is None else 0
    remarks = count_remark_rows(table[titles:]) if header_rows is None else 0
    body = table[titles : len(table) - remarks]
    for row in table[:titles]:
        builder.add(ElementKind.PARAGRAPH, "".join(row))
    if header_rows is None:
        header_rows = max(find_header_rows(body), spanned if body and names_columns(body[0]) else 0)
    builder.add_table(body, header_rows=min(header_rows, max(len(body) - 1, 0)))
    for row in table[len(table) - remarks :]:
        builder.add(ElementKind.PARAGRAPH, "".join(row))


def find_header_rows(rows: Sequence[Sequence[str]]) -> int:
    """How many first rows are the header, a row of group names above the names included."""
    count = guess_header_rows(rows)
    if count or len(rows) < 3:
        return count
    first = [cell for cell in rows[0] if cell.strip()]
    if len(first) * 2 < len(rows[0]) and not any(cell.strip()[:1].isdigit() for cell in first):
        below = guess_header_rows(rows[1:])
        return below + 1 if below else 0
    return 0


def count_remark_rows(rows: Sequence[Sequence[str]]) -> int:
    """How many last rows are remarks under the table: a single text each, a note by its words or length."""
    count = 0
    for row in reversed(rows[2:]):
        filled = [cell for cell in row if cell.strip()]
        is_remark = len(filled) == 1 and (_REMARK.match(filled[0]) or len(filled[0]) >= _REMARK_LENGTH)
        if not is_remark or len(row) < 2:
            break
        count += 1
    return count


def _write_part(
    builder: DocumentBuilder, part: Cells, header_rows: int | None, merges: Mapping[int, Sequence[Area]]
) -> None:
    columns = sorted({column for row in part.values() for column in row})
    numbers = sorted(part)
    if fits(len(numbers), len(columns), sum(map(len, part.values()))):
        table = [[part[row].get(column, "") for column in columns] for row in numbers]
    else:
        table = [[in_one_cell(text for _, text in sorted(part[row].items()))] for row in numbers]
    titles = count_title_rows(table) if header_rows is None else 0
    below = numbers[titles:]
    spanned = _spanned_rows(below, columns, merges.get(below[0], ())) if below else 0
    write_rows(builder, table, header_rows, spanned=spanned)


def _spanned_rows(rows: Sequence[int], columns: Sequence[int], merges: Sequence[Area]) -> int:
    """How many rows the merged cells reach down that begin in a table's first row."""
    last = max(
        (area.bottom for area in merges if columns[0] <= area.left <= columns[-1] and area.bottom < rows[-1]),
        default=0,
    )
    count = sum(row <= last for row in rows[: _MAX_HEADER + 1])
    return count if count <= _MAX_HEADER else 0


def _repeat_merged(sheet: Sheet) -> None:
    """Repeat the text of a merged area in its first column, so that each row can be read alone."""
    left = _MERGED_CELLS
    for area in sheet.merges:
        text = sheet.cells.get(area.top, {}).get(area.left, "")
        height = area.bottom - area.top
        if not text or len(text) > LABEL_LENGTH or height > left:
            continue
        left -= height
        for row in range(area.top + 1, area.bottom + 1):
            if row in sheet.cells:
                sheet.cells[row].setdefault(area.left, text)
