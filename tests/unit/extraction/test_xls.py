from __future__ import annotations

import io
from datetime import date
from typing import Any

import pytest
import xlwt  # type: ignore[import-untyped]

from extraction.extract import extract
from extraction.sniff import Format, sniff
from rubrica.errors import CorruptDocumentError, UnsupportedFormatError
from rubrica.settings import ExtractionSettings
from tests.support.outline import outline
from tests.unit.extraction.conftest import Read


def save(book: Any) -> bytes:
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def price_list() -> Any:
    book = xlwt.Workbook()
    sheet = book.add_sheet("Смета")
    sheet.write(0, 0, "Прайс-лист")
    for column, name in enumerate(("Марка", "Доля", "Дата")):
        sheet.write(2, column, name)
    sheet.write_merge(3, 4, 0, 0, "Б1")
    sheet.write(3, 1, 0.125, xlwt.easyxf(num_format_str="0.0%"))
    sheet.write(3, 2, date(2024, 1, 31), xlwt.easyxf(num_format_str="DD.MM.YYYY"))
    sheet.write(4, 1, True)
    sheet.write(4, 2, 7)
    return book


def test_values_formats_and_merges(read: Read) -> None:
    assert outline(read(save(price_list()), "a.xls")) == [
        ("heading1", "Смета"),
        ("paragraph", "Прайс-лист"),
        ("table", "Марка | Доля | Дата\nБ1 | 12.5% | 31.01.2024\nБ1 | TRUE | 7"),
    ]


def test_hidden_sheets_are_left_out(read: Read) -> None:
    book = price_list()
    hidden = book.add_sheet("Список")
    hidden.write(0, 0, "тайное")
    hidden.visibility = 1
    document = read(save(book), "a.xls")
    assert "тайное" not in document.text
    assert document.attributes["hidden_sheets"] == ["Список"]


def test_told_by_content_not_by_name() -> None:
    assert sniff(save(price_list()), "report.doc").format is Format.XLS
    word = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + "WordDocument\0Workbook\0".encode("utf-16-le")
    with pytest.raises(UnsupportedFormatError, match="DOC"):
        sniff(word, "a.xls")


@pytest.mark.parametrize("cut", [700, 2000, 4000])
def test_damaged(settings: ExtractionSettings, cut: int) -> None:
    whole = save(price_list())
    with pytest.raises(CorruptDocumentError, match="Excel"):
        extract(whole[:cut] + "Workbook\0".encode("utf-16-le"), "a.xls", settings)
