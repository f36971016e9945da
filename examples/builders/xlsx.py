"""Writes the workbook of loads."""

from __future__ import annotations

import datetime as dt
import io
from pathlib import Path
from typing import Any

import yaml
from openpyxl import Workbook
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.worksheet.worksheet import Worksheet

from examples.builders.zips import write_normalised

_FIRST_HEADER_ROW = 4
_CREATED = dt.datetime(2025, 1, 1)  # noqa: DTZ001 - openpyxl writes a naive date as UTC
_EDGE = Side(style="thin", color="808080")
_BORDER = Border(left=_EDGE, right=_EDGE, top=_EDGE, bottom=_EDGE)
_CENTRE = Alignment(horizontal="center", vertical="center", wrap_text=True)
_GREY = PatternFill("solid", fgColor="E8E8E8")

Spec = dict[str, Any]


def write_xlsx(spec: Path, folder: Path) -> Path:
    """Write the workbook that the YAML file describes, and return its path below ``folder``."""
    content: Spec = yaml.safe_load(spec.read_text(encoding="utf-8"))
    book = Workbook()
    book.properties.title = content["title"]
    book.properties.creator = "Озёрное лодочное бюро"
    book.properties.created = _CREATED
    for number, sheet in enumerate(content["sheets"]):
        _fill(book.create_sheet(sheet["name"], number), sheet)
    book.remove(book.worksheets[-1])
    buffer = io.BytesIO()
    book.save(buffer)
    target: Path = folder / content["output"]
    target.parent.mkdir(parents=True, exist_ok=True)
    write_normalised(buffer.getvalue(), target, "2025-01-01T00:00:00Z")
    return target


def _fill(sheet: Worksheet, spec: Spec) -> None:
    header: list[list[str]] = spec["header"]
    width = len(header[0])
    _banner(sheet, 1, width, spec["title"], Font(bold=True, size=14))
    _banner(sheet, 2, width, spec["note"], Font(italic=True, size=9))
    _header(sheet, header)
    row = _FIRST_HEADER_ROW + len(header)
    sheet.freeze_panes = f"A{row}"
    for group, lines in spec["groups"].items():
        _group(sheet, row, group, lines)
        row += len(lines)
    for letter, size in zip("ABCDEF", (24, 28, 16, 16, 18, 28), strict=True):
        sheet.column_dimensions[letter].width = size


def _banner(sheet: Worksheet, row: int, width: int, text: str, font: Font) -> None:
    cell = sheet.cell(row, 1, text)
    cell.font = font
    sheet.merge_cells(start_row=row, end_row=row, start_column=1, end_column=width)


def _header(sheet: Worksheet, header: list[list[str]]) -> None:
    for i, line in enumerate(header):
        for j, text in enumerate(line):
            if text in "<^":
                continue
            cell = sheet.cell(_FIRST_HEADER_ROW + i, j + 1, text)
            cell.font, cell.fill, cell.alignment, cell.border = Font(bold=True), _GREY, _CENTRE, _BORDER
            _merge(sheet, header, i, j)


def _merge(sheet: Worksheet, header: list[list[str]], i: int, j: int) -> None:
    right, down = j, i
    while right + 1 < len(header[i]) and header[i][right + 1] == "<":
        right += 1
    while down + 1 < len(header) and header[down + 1][j] == "^":
        down += 1
    if (right, down) != (j, i):
        sheet.merge_cells(None, _FIRST_HEADER_ROW + i, j + 1, _FIRST_HEADER_ROW + down, right + 1)


def _group(sheet: Worksheet, row: int, group: str, lines: list[list[Any]]) -> None:
    for i, line in enumerate(lines):
        for j, value in enumerate([group if i == 0 else None, *line]):
            cell = sheet.cell(row + i, j + 1, value)
            cell.border = _BORDER
            cell.alignment = Alignment(vertical="center", wrap_text=True)
    if len(lines) > 1:
        sheet.merge_cells(None, row, 1, row + len(lines) - 1, 1)
