from __future__ import annotations

import io
import zipfile
from datetime import date, datetime, time
from typing import Any

import openpyxl
import pytest

from extraction.extract import extract
from rubrica.errors import CorruptDocumentError, EmptyDocumentError
from rubrica.settings import ExtractionSettings
from tests.support.outline import outline
from tests.unit.extraction.conftest import Read


def save(book: Any) -> bytes:
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def replaced(content: bytes, name: str, old: bytes, new: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(stream, "w") as target:
        for member in source.namelist():
            data = source.read(member)
            if member == name:
                assert old in data
                data = data.replace(old, new)
            target.writestr(member, data)
    return stream.getvalue()


def test_sheets_values_and_titles(read: Read) -> None:
    book: Any = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Смета"
    sheet["A1"] = "Прайс-лист"
    sheet.append([])
    sheet.append(["Марка", "Дата", "Масса"])
    sheet.append(["Б1", date(2024, 1, 2), 1.10])
    sheet.append(["Б2", datetime(2024, 1, 2, 3, 4), True])  # noqa: DTZ001 (Excel knows no zones)
    sheet.append(["Б3", time(3, 4), 100000000000])
    book.create_sheet("Пусто")
    book.create_sheet("Второй")["C7"] = "строка\nдва"
    document = read(save(book), "a.xlsx")
    assert document.title == "a.xlsx"
    assert outline(document) == [
        ("heading1", "Смета"),
        ("paragraph", "Прайс-лист"),
        (
            "table",
            (
                "Марка | Дата | Масса\nБ1 | 2024-01-02 | 1.1\nБ2 | 2024-01-02 03:04:00 | TRUE\n"
                "Б3 | 03:04:00 | 100000000000"
            ),
        ),
        ("heading1", "Второй"),
        ("paragraph", "строка\nдва"),
    ]
    assert document.elements[2].header_rows == 1


def test_a_formula_stands_in_for_a_value_that_was_never_computed(read: Read) -> None:
    book: Any = openpyxl.Workbook()
    book.active.append(["а", "б"])
    book.active.append([1, "=A2*2"])
    content = save(book)
    assert read(content, "a.xlsx").elements[-1].rows == (("а", "б"), ("1", "=A2*2"))
    computed = replaced(content, "xl/worksheets/sheet1.xml", b"<v></v>", b"<v>2</v>")
    assert read(computed, "a.xlsx").elements[-1].rows == (("а", "б"), ("1", "2"))


def test_merged_values_are_repeated_down(read: Read) -> None:
    book: Any = openpyxl.Workbook()
    sheet = book.active
    for row in (["Цех", "Марка"], ["А", "1"], [None, "2"], [None, "3"]):
        sheet.append(row)
    sheet.merge_cells("A2:A4")
    assert read(save(book), "a.xlsx").elements[-1].rows == (
        ("Цех", "Марка"), ("А", "1"), ("А", "2"), ("А", "3"),
    )  # fmt: skip


@pytest.mark.timeout(60)
def test_huge_empty_ranges_and_merges_cost_nothing(read: Read) -> None:
    book: Any = openpyxl.Workbook()
    sheet = book.active
    sheet["A1"], sheet["B1"], sheet["A2"], sheet["B2"] = "а", "б", "в", "г"
    sheet["XFD1048576"] = "край"
    content = replaced(
        save(book),
        "xl/worksheets/sheet1.xml",
        b"</sheetData>",
        b'</sheetData><mergeCells count="1"><mergeCell ref="C1:XFC1048575"/></mergeCells>',
    )
    assert read(content, "a.xlsx").elements[-1].rows == (
        ("а", "б", ""), ("в", "г", ""), ("", "", "край"),
    )  # fmt: skip


def test_empty_and_damaged(settings: ExtractionSettings) -> None:
    empty = save(openpyxl.Workbook())
    with pytest.raises(EmptyDocumentError):
        extract(empty, "a.xlsx", settings)
    broken = replaced(empty, "xl/workbook.xml", b"<sheets>", b"<sheets")
    with pytest.raises(CorruptDocumentError, match="Excel"):
        extract(broken, "a.xlsx", settings)
