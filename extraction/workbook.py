"""Excel workbooks: one table per sheet, under the sheet's name."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import PurePosixPath
from typing import Any

from lxml import etree
from openpyxl.reader.excel import ExcelReader
from openpyxl.utils.cell import column_index_from_string
from openpyxl.utils.exceptions import InvalidFileException

from extraction.archive import DAMAGED, Archive
from extraction.border import reading
from extraction.builder import DocumentBuilder
from extraction.result import Extracted
from extraction.tables import LABEL_LENGTH, count_title_rows, guess_header_rows
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings

Rows = dict[int, dict[int, str]]  # row → column → text, both from 1; blank cells are absent

# What openpyxl lets through on a damaged workbook.
_ERRORS = (
    *DAMAGED,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    InvalidFileException,
    etree.LxmlError,
    SyntaxError,
)
_MERGE = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]*?ref="([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})"')
_MERGED_CELLS = 100_000  # per sheet; a merge over a whole column says nothing about its rows


def extract_xlsx(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:
    """Read a workbook: values as Excel last computed them, formulas where it never did.

    Its title is the stated one, else the file's name: the name of a sheet would mislead on the others.

    Raises:
        CorruptDocumentError: It is damaged.
        LimitExceededError: It unpacks to more than the limit.
    """
    archive = Archive(content, settings)
    archive.check()
    builder = DocumentBuilder()
    with reading("Excel", *_ERRORS):
        values, formulas = _open(content, values=True), _open(content, values=False)
        for sheet, relation in values.parser.find_sheets():
            if sheet.name not in values.wb.sheetnames:
                continue  # a chart or a sheet of macros
            rows = _cells(values.wb[sheet.name], formulas.wb[sheet.name])
            _repeat_merged(rows, Archive(content, settings).read(relation.target) or b"")
            _write(builder, sheet.name, rows)
        title = values.wb.properties.title or PurePosixPath(path).name
    return Extracted.from_builder(builder, title=str(title))


def _open(content: bytes, *, values: bool) -> Any:
    reader = ExcelReader(io.BytesIO(content), read_only=True, data_only=values, keep_links=False)
    reader.read()
    return reader


def _cells(values: Any, formulas: Any) -> Rows:
    """The texts of a sheet; a formula stands in where there is no computed value."""
    rows: Rows = {}
    missing = _read_into(rows, values)
    if missing:
        for row, column, value in _iterate(formulas):
            if isinstance(value, str) and value.startswith("=") and column not in rows.get(row, {}):
                rows.setdefault(row, {})[column] = value
    return rows


def _read_into(rows: Rows, sheet: Any) -> bool:
    """Read all values; returns whether any cell that is there has none."""
    missing = False
    for row, column, value in _iterate(sheet):
        text = _text(value)
        if text:
            rows.setdefault(row, {})[column] = text
        else:
            missing = True
    return missing


def _iterate(sheet: Any) -> Iterator[tuple[int, int, Any]]:
    sheet.reset_dimensions()  # a sheet may claim a million rows
    for row in sheet.rows:
        for cell in row:
            if hasattr(cell, "row"):  # else a filler for a cell that is not there
                yield cell.row, cell.column, cell.value


def _text(value: Any) -> str:
    match value:
        case None:
            text = ""
        case bool():
            text = "TRUE" if value else "FALSE"
        case float():
            text = f"{value:.15g}"
        case datetime():
            text = value.isoformat(" ", "seconds").removesuffix(" 00:00:00")
        case date() | time():
            text = value.isoformat()
        case _:
            text = str(value).strip()
    return text


def _repeat_merged(rows: Rows, sheet_xml: bytes) -> None:
    """Repeat the value of a merged range in its first column, so that each row can be read alone."""
    left = _MERGED_CELLS
    for match in _MERGE.finditer(sheet_xml):
        column = column_index_from_string(match[1].decode("ascii"))
        first, last = int(match[2]), int(match[3])
        text = rows.get(first, {}).get(column, "")
        if not text or len(text) > LABEL_LENGTH or last - first > left:
            continue
        left -= last - first
        for row in range(first + 1, last + 1):
            if row in rows:
                rows[row].setdefault(column, text)


def _write(builder: DocumentBuilder, name: str, rows: Rows) -> None:
    if not rows:
        return
    builder.add(ElementKind.HEADING, name, level=1)
    columns = sorted({column for row in rows.values() for column in row})
    table = [[row.get(column, "") for column in columns] for _, row in sorted(rows.items())]
    titles = count_title_rows(table)
    for row in table[:titles]:
        builder.add(ElementKind.PARAGRAPH, "".join(row))
    builder.add_table(table[titles:], header_rows=guess_header_rows(table[titles:]))
