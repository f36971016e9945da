from __future__ import annotations

import io
from datetime import date, datetime, time
from typing import Any

import openpyxl
import pytest
from openpyxl.worksheet.table import Table

from extraction.extract import extract
from rubrica.errors import CorruptDocumentError, EmptyDocumentError
from rubrica.model import Document, ElementKind
from rubrica.settings import ExtractionSettings
from tests.support.outline import outline, texts
from tests.support.zips import member, with_member
from tests.unit.extraction.conftest import Read

SHEET = "xl/worksheets/sheet1.xml"
STRICT = "http://purl.oclc.org/ooxml"
TRANSITIONAL = "http://schemas.openxmlformats.org"


def save(book: Any) -> bytes:
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def book_of(*rows: list[Any]) -> Any:
    book: Any = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    return book


def tables(document: Document) -> list[tuple[tuple[str, ...], ...]]:
    return [item.rows for item in document.elements if item.kind is ElementKind.TABLE]


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
                "Марка | Дата | Масса\nБ1 | 2024-01-02 | 1.1\nБ2 | 2024-01-02 3:04:00 | TRUE\n"
                "Б3 | 3:04:00 | 100000000000"
            ),
        ),
        ("heading1", "Второй"),
        ("paragraph", "строка\nдва"),
    ]
    assert document.elements[2].header_rows == 1


def test_e19_a_formula_stands_in_for_a_value_that_was_never_computed(read: Read) -> None:
    content = save(book_of(["а", "б"], [1, "=A2*2"]))
    assert tables(read(content, "a.xlsx")) == [(("а", "б"), ("1", "=A2*2"))]
    computed = with_member(content, SHEET, {b"<v></v>": b"<v>2</v>"})
    assert tables(read(computed, "a.xlsx")) == [(("а", "б"), ("1", "2"))]


def test_e19_shared_formulas_are_written_out(read: Read) -> None:
    content = save(book_of(["а", "б"], [1, "=A2*2"], [2, "=1"]))
    shared = with_member(
        content,
        SHEET,
        {
            b"<f>A2*2</f>": b'<f t="shared" ref="B2:B3" si="0">A2*2</f>',
            b"<f>1</f>": b'<f t="shared" si="0"/>',
        },
    )
    assert tables(read(shared, "a.xlsx"))[0][1:] == (("1", "=A2*2"), ("2", "=A3*2"))


def test_percent_and_number_formats_are_read_as_shown(read: Read) -> None:
    book = book_of(["Доля", "Цена", "Код"], [0.125, 990, 42])
    sheet = book.active
    sheet["A2"].number_format, sheet["B2"].number_format, sheet["C2"].number_format = (
        "0.0%",
        '#,##0.00" руб."',
        "00000",
    )
    assert tables(read(save(book), "a.xlsx"))[0][1] == ("12.5%", "990.00 руб.", "00042")


def test_error_values_and_escapes(read: Read) -> None:
    content = save(book_of(["имя", "итог"], ["a_x0041_b", "#REF!"]))
    assert b't="e"' in member(content, SHEET)
    assert tables(read(content, "a.xlsx"))[0][1] == ("aAb", "#REF!")


def test_e10_merged_values_are_repeated_down(read: Read) -> None:
    book = book_of(["Цех", "Марка"], ["А", "1"], [None, "2"], [None, "3"])
    book.active.merge_cells("A2:A4")
    assert tables(read(save(book), "a.xlsx")) == [(("Цех", "Марка"), ("А", "1"), ("А", "2"), ("А", "3"))]


def test_e10_merged_headers_of_two_rows(read: Read) -> None:
    book = book_of(
        ["Марка", "Класс", None], [None, "бетон", "сталь"], ["Б1", "В25", "A500"], ["Б2", "В30", "A400"]
    )
    book.active.merge_cells("A1:A2")
    book.active.merge_cells("B1:C1")
    (table,) = [item for item in read(save(book), "a.xlsx").elements if item.rows]
    assert table.header_rows == 2
    assert table.rows[:2] == (("Марка", "Класс", ""), ("Марка", "бетон", "сталь"))


@pytest.mark.timeout(60)
def test_e19_huge_empty_ranges_and_merges_cost_nothing(read: Read) -> None:
    book = book_of(["а", "б"], ["в", "г"])
    book.active["XFD1048576"] = "край"
    content = with_member(
        save(book),
        SHEET,
        {
            b"</sheetData>": b'</sheetData><mergeCells count="2"><mergeCell ref="C1:XFC1048575"/>'
            b'<mergeCell ref="A1:A1048570"/></mergeCells>',
            b'ref="A1:XFD1048576"': b'ref="A1:C1048496"',
        },
    )
    assert outline(read(content, "a.xlsx"))[1:] == [("table", "а | б\nв | г"), ("paragraph", "край")]


def test_tables_one_below_the_other_and_side_by_side(read: Read) -> None:
    book: Any = openpyxl.Workbook()
    sheet = book.active
    first: list[list[Any]] = [["Марка", "Масса"], ["Б1", 1], ["Б2", 2]]
    second: list[list[Any]] = [["Цех", "Смена", "Выпуск"], ["А", "первая", 10]]
    for row, cells in enumerate(first, start=1):
        for column, value in enumerate(cells, start=1):
            sheet.cell(row, column, value)
            sheet.cell(row + 2, column + 3, value)  # beside it, two rows lower
    for row, cells in enumerate(second, start=8):
        for column, value in enumerate(cells, start=1):
            sheet.cell(row, column, value)
    document = read(save(book), "a.xlsx")
    price = (("Марка", "Масса"), ("Б1", "1"), ("Б2", "2"))
    assert tables(document) == [price, price, (("Цех", "Смена", "Выпуск"), ("А", "первая", "10"))]
    assert [item.header_rows for item in document.elements if item.rows] == [1, 1, 1]


def test_a_blank_row_or_column_does_not_tear_a_table(read: Read) -> None:
    book = book_of(["Марка", None, "Масса", "Длина"], ["Б1", None, 1, 2], [], ["Б2", None, 3, 4])
    assert tables(read(save(book), "a.xlsx")) == [
        (("Марка", "Масса", "Длина"), ("Б1", "1", "2"), ("Б2", "3", "4"))
    ]


def test_remarks_under_a_table_are_paragraphs(read: Read) -> None:
    book = book_of(
        ["Марка", "Масса"], ["Б1", 1], ["Б2", 2], ["Примечание. Масса без упаковки."], ["* оценка"]
    )
    assert outline(read(save(book), "a.xlsx"))[1:] == [
        ("table", "Марка | Масса\nБ1 | 1\nБ2 | 2"),
        ("paragraph", "Примечание. Масса без упаковки."),
        ("paragraph", "* оценка"),
    ]


def test_years_name_columns(read: Read) -> None:
    document = read(
        save(book_of(["Выпуск", 2021, 2022, 2023], ["Блоки", 1, 2, 3], ["Плиты", 4, 5, 6])), "a.xlsx"
    )
    assert [item.header_rows for item in document.elements if item.rows] == [1]


def test_defined_tables_keep_their_borders_and_headers(read: Read) -> None:
    book = book_of(["первое", "второе"], ["а", "б"], ["в", "г"], ["вне таблицы", "тоже"])
    table = Table(displayName="T1", ref="A1:B3")
    book.active.add_table(table)
    found = [item for item in read(save(book), "a.xlsx").elements if item.rows]
    assert (found[0].rows, found[0].header_rows) == ((("первое", "второе"), ("а", "б"), ("в", "г")), 1)
    assert "вне таблицы тоже" in read(save(book), "a.xlsx").text


def test_hidden_sheets_are_named_but_not_read(read: Read) -> None:
    book = book_of(["видно"])
    for name, state in (("Список", "hidden"), ("Служебный", "veryHidden")):
        sheet = book.create_sheet(name)
        sheet["A1"], sheet.sheet_state = "тайное", state
    book.active.row_dimensions[1].hidden = True  # a filter hides rows too
    document = read(save(book), "a.xlsx")
    assert texts(document, ElementKind.PARAGRAPH) == ["видно"]
    assert document.attributes["hidden_sheets"] == ["Список", "Служебный"]


def test_hidden_sheets_are_read_where_there_is_nothing_else(read: Read) -> None:
    book: Any = openpyxl.Workbook()
    sheet = book.create_sheet("Скрытый")
    sheet["A1"], sheet.sheet_state = "единственное", "hidden"
    assert "единственное" in read(save(book), "a.xlsx").text


def test_rich_text_and_phonetic_readings(read: Read) -> None:
    content = save(book_of(["жирный и обычный"]))
    rich = with_member(
        content,
        "xl/sharedStrings.xml",
        {
            "<t>жирный и обычный</t>".encode(): (
                '<r><rPr><b/></rPr><t xml:space="preserve">жирный </t></r><r><t>и обычный</t></r>'
                "<rPh sb='0' eb='1'><t>чтение</t></rPh>"
            ).encode()
        },
    )
    assert texts(read(rich, "a.xlsx"), ElementKind.PARAGRAPH) == ["жирный и обычный"]


def test_e24_strict_workbooks(read: Read) -> None:
    content = save(book_of(["Марка", "Масса"], ["Б1", 1]))
    main, relations = b"/spreadsheetml/2006/main", b"/officeDocument/2006/relationships"
    for name in ("xl/workbook.xml", SHEET, "xl/sharedStrings.xml", "xl/styles.xml"):
        change = {TRANSITIONAL.encode() + main: STRICT.encode() + b"/spreadsheetml/main"}
        if name == "xl/workbook.xml":
            change[TRANSITIONAL.encode() + relations] = STRICT.encode() + b"/officeDocument/relationships"
        content = with_member(content, name, change)
    assert tables(read(content, "a.xlsx")) == [(("Марка", "Масса"), ("Б1", "1"))]


def test_part_names_of_other_programs(read: Read) -> None:
    content = with_member(
        save(book_of(["Марка", "Масса"], ["Б1", 1])),
        "xl/sharedStrings.xml",
        {},
        rename="xl/SharedStrings.xml",
    )
    assert tables(read(content, "a.xlsx")) == [(("Марка", "Масса"), ("Б1", "1"))]


def test_broken_side_parts_do_not_matter(read: Read) -> None:
    content = save(book_of(["Марка", "Масса"], ["Б1", 1]))
    for name in ("docProps/core.xml", "xl/styles.xml"):
        content = with_member(content, name, {b"<": b"["})
    assert tables(read(content, "a.xlsx")) == [(("Марка", "Масса"), ("Б1", "1"))]


def test_entities_are_not_blown_up(read: Read) -> None:
    content = save(book_of(["текст"]))
    bomb = (
        b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]><sst'
    )
    content = with_member(
        content, "xl/sharedStrings.xml", {b"<sst": bomb, "текст".encode(): "текст &b;&f;".encode()}
    )
    assert texts(read(content, "a.xlsx"), ElementKind.PARAGRAPH) == ["текст"]


@pytest.mark.timeout(120)
def test_one_long_row_and_one_long_column_make_no_grid(read: Read) -> None:
    rows = "".join(
        f'<row r="{row}"><c r="A{row}" t="str"><v>я{row}</v></c></row>' for row in range(3, 30_000)
    )
    wide = "".join('<c t="str"><v>ш</v></c>' for _ in range(16_000))
    content = with_member(
        save(book_of(["x"])),
        SHEET,
        {b"</sheetData>": f'<row r="2">{wide}</row>{rows}</sheetData>'.encode()},
    )
    text = read(content, "a.xlsx").text
    assert text.count("ш") == 16_000
    assert "я29999" in text


def test_empty_and_damaged(settings: ExtractionSettings) -> None:
    empty = save(openpyxl.Workbook())
    with pytest.raises(EmptyDocumentError):
        extract(empty, "a.xlsx", settings)
    broken = with_member(empty, "xl/workbook.xml", {b"<sheets>": b"<sheets"})
    with pytest.raises(CorruptDocumentError, match="Excel"):
        extract(broken, "a.xlsx", settings)
