"""Excel workbooks of the years before 2007 (XLS)."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

import xlrd
from xlrd.biffh import XLRDError, error_text_from_code
from xlrd.compdoc import CompDocError

from extraction.border import reading
from extraction.builder import DocumentBuilder
from extraction.result import Extracted
from extraction.sheets.formats import GENERAL, shown
from extraction.sheets.model import Area, Sheet
from extraction.sheets.writer import write_sheets
from rubrica.errors import EncryptedDocumentError
from rubrica.settings import ExtractionSettings

# What xlrd lets through on damaged workbooks.
_ERRORS = (
    XLRDError,
    CompDocError,
    AssertionError,
    struct.error,
    IndexError,
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    UnicodeError,
    OverflowError,
    NotImplementedError,
)


def extract_xls(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read an old workbook: values as Excel last computed and shows them.

    Raises:
        CorruptDocumentError: It is damaged, or of Excel 4 or older.
        EncryptedDocumentError: It needs a password.
    """
    builder = DocumentBuilder()
    with reading("Excel", *_ERRORS):
        book = _open(content)
        hidden = write_sheets(builder, _sheets(book))
    attributes = {"hidden_sheets": hidden} if hidden else {}
    return Extracted.from_builder(builder, title=PurePosixPath(path).name, attributes=attributes)


def _open(content: bytes) -> Any:
    try:
        return xlrd.open_workbook(
            file_contents=content,
            formatting_info=True,
            on_demand=True,
            ragged_rows=True,
            logfile=io.StringIO(),  # xlrd prints what it finds strange
        )
    except XLRDError as error:
        if "encrypted" in str(error).lower():
            raise EncryptedDocumentError(
                "The Excel file is protected with a password.", hint="Save it without a password."
            ) from error
        raise


def _sheets(book: Any) -> Iterator[Sheet]:
    for index in range(book.nsheets):
        source = book.sheet_by_index(index)
        sheet = Sheet(source.name, hidden=source.visibility != 0)
        for row in range(source.nrows):
            for column, cell in enumerate(source.row(row), start=1):
                sheet.put(row + 1, column, _text(book, cell))
        for top, bottom, left, right in source.merged_cells:
            sheet.merges.append(Area(top + 1, left + 1, bottom, right))
        book.unload_sheet(index)
        yield sheet


def _text(book: Any, cell: Any) -> str:
    match cell.ctype:
        case xlrd.XL_CELL_NUMBER | xlrd.XL_CELL_DATE:
            text = shown(cell.value, _format(book, cell), since_1904=bool(book.datemode))
        case xlrd.XL_CELL_BOOLEAN:
            text = "TRUE" if cell.value else "FALSE"
        case xlrd.XL_CELL_ERROR:
            text = error_text_from_code.get(cell.value, "#ERR")
        case xlrd.XL_CELL_TEXT:
            text = str(cell.value)
        case _:
            text = ""
    return text


def _format(book: Any, cell: Any) -> str:
    if cell.xf_index is None or not 0 <= cell.xf_index < len(book.xf_list):
        return GENERAL
    known = book.format_map.get(book.xf_list[cell.xf_index].format_key)
    return known.format_str if known else GENERAL
