from __future__ import annotations

from extraction.result import Extracted
from rubrica.model import Element, ElementKind
from tests.unit.extraction.pdf.drawing import LEFT, Sheets, texts
from tests.unit.extraction.pdf.prose import LONG, OTHER

ROWS = [["Марка", "Класс", "Толщина, мм"], ["А", "В25", "20"], ["Б", "В30", "25"], ["В", "В35", "30"]]
WIDTHS = [120, 120, 120]


def tables(document: Extracted) -> list[Element]:
    return [e for e in document.elements if e.kind is ElementKind.TABLE]


def test_a_ruled_table_is_one_element_with_rows_and_header(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    sheets.line("Таблица 1 — Размеры")
    sheets.grid(ROWS, WIDTHS)
    sheets.paragraph(OTHER)
    document = sheets.read()
    assert [e.kind for e in document.elements] == [
        ElementKind.PARAGRAPH,
        ElementKind.CAPTION,
        ElementKind.TABLE,
        ElementKind.PARAGRAPH,
    ]
    table = document.elements[2]
    assert [list(row) for row in table.rows] == ROWS
    assert table.header_rows == 1
    assert document.text.count("В30") == 1
    assert texts(document, ElementKind.TABLE)[0].split("\n")[1] == "А | В25 | 20"


def test_lines_of_a_cell_are_joined(sheets: Sheets) -> None:
    sheets.grid([["Наименование", "Значение"], ["", "7"]], [150, 100], height=40)
    for y, text in ((132, "Конструкции монолит-"), (144, "ные железобетонные")):
        sheets.line(text, x=LEFT + 3, y=y, size=9)
    (table,) = tables(sheets.read())
    assert table.rows[1] == ("Конструкции монолитные железобетонные", "7")


def test_a_cell_over_two_columns_counts_for_both_and_loses_no_neighbour(sheets: Sheets) -> None:
    rows = [
        ["Марка", "Предел прочности", "<", "Класс"],
        ["", "сжатие", "изгиб", ""],
        ["М1", "10", "20", "В25"],
    ]
    sheets.grid(rows, [90, 90, 90, 90])
    (table,) = tables(sheets.read())
    assert table.rows[0] == ("Марка", "Предел прочности", "Предел прочности", "Класс")
    assert table.header_rows == 2
    assert {len(row) for row in table.rows} == {4}


def test_a_table_over_a_page_break_is_one_with_its_header_once(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    sheets.grid(ROWS, WIDTHS, top=700)
    sheets.page()
    sheets.line("Продолжение таблицы 1", y=70)
    sheets.grid([ROWS[0], ["Г", "В40", "35"], ["Д", "В45", "40"]], WIDTHS, top=80)
    sheets.paragraph(OTHER)
    document = sheets.read()
    (table,) = tables(document)
    assert [row[0] for row in table.rows] == ["Марка", "А", "Б", "В", "Г", "Д"]
    assert (table.page_from, table.page_to) == (1, 2)
    assert table.header_rows == 1
    assert "Продолжение" not in document.text


def test_the_first_row_after_a_page_break_without_a_rule_is_kept(sheets: Sheets) -> None:
    sheets.grid(ROWS, WIDTHS, top=700)
    sheets.page()
    sheets.grid([["Г", "В40", "35"], ["Д", "В45", "40"]], WIDTHS, open_top=True)
    (table,) = tables(sheets.read())
    assert [row[0] for row in table.rows] == ["Марка", "А", "Б", "В", "Г", "Д"]


def test_a_table_without_side_rules_keeps_its_outer_columns(sheets: Sheets) -> None:
    sheets.grid(ROWS, WIDTHS, open_sides=True)
    (table,) = tables(sheets.read())
    assert [list(row) for row in table.rows] == ROWS


def test_another_table_on_the_next_page_stays_another(sheets: Sheets) -> None:
    sheets.grid(ROWS, WIDTHS, top=700)
    sheets.page()
    sheets.line("Таблица 2 — Другая")
    sheets.grid([["Тип", "Длина", "Ширина"], ["П1", "6", "3"]], WIDTHS)
    assert len(tables(sheets.read())) == 2


def test_column_numbers_belong_to_the_header(sheets: Sheets) -> None:
    sheets.grid([ROWS[0], ["1", "2", "3"], *ROWS[1:]], WIDTHS, top=680)
    sheets.page()
    sheets.grid([["1", "2", "3"], ["Г", "В40", "35"]], WIDTHS)
    (table,) = tables(sheets.read())
    assert table.header_rows == 2
    assert [row[0] for row in table.rows] == ["Марка", "1", "А", "Б", "В", "Г"]


def test_boxed_text_is_text(sheets: Sheets) -> None:
    sheets.canvas.rect(60, sheets.height - 130, 480, 70)
    sheets.paragraph(LONG)
    document = sheets.read()
    assert texts(document, ElementKind.PARAGRAPH) == [LONG]
    assert tables(document) == []


def test_a_page_frame_with_a_stamp_is_no_table(sheets: Sheets) -> None:
    canvas = sheets.canvas
    canvas.rect(50, 40, 500, 760)
    canvas.line(50, 80, 550, 80)
    for _ in range(6):
        sheets.paragraph(LONG)
    sheets.line("Лист 1", y=790)
    document = sheets.read()
    assert tables(document) == []
    assert texts(document, ElementKind.PARAGRAPH)[:6] == [LONG] * 6


def test_text_that_stands_upright_in_a_turned_cell_is_read(sheets: Sheets) -> None:
    sheets.grid([["Номер", "Имя"], ["", "плита"]], [60, 100], height=60)
    sheets.canvas.saveState()
    sheets.canvas.translate(LEFT + 30, sheets.height - 195)
    sheets.canvas.rotate(90)
    sheets.canvas.setFont("Regular", 9)
    sheets.canvas.drawString(0, 0, "вдоль оси")
    sheets.canvas.restoreState()
    (table,) = tables(sheets.read())
    assert table.rows[1] == ("вдоль оси", "плита")


def test_rows_without_rules_between_them_are_told_apart_by_white_bands(sheets: Sheets) -> None:
    sheets.grid([["Страна", "Код", "Орган"]], WIDTHS)
    top = sheets.y - 20
    sheets.grid([["", "", ""]], WIDTHS, top=top, height=110)
    for row, cells in enumerate((("Россия", "RU", "Росстандарт"), ("Киргизия", "KG", "Кыргызстандарт"))):
        for column, cell in enumerate(cells):
            sheets.line(cell, x=LEFT + 3 + 120 * column, y=top + 20 + 24 * row, size=9)
    for text, x, y in (
        ("Казахстан", 0, 68),
        ("KZ", 120, 68),
        ("Госстандарт", 240, 68),
        ("Казахстана", 240, 79),
    ):
        sheets.line(text, x=LEFT + 3 + x, y=top + y, size=9)
    (table,) = tables(sheets.read())
    assert table.rows == (
        ("Страна", "Код", "Орган"),
        ("Россия", "RU", "Росстандарт"),
        ("Киргизия", "KG", "Кыргызстандарт"),
        ("Казахстан", "KZ", "Госстандарт Казахстана"),
    )


def test_paragraphs_in_one_cell_part_no_row(sheets: Sheets) -> None:
    sheets.grid([["Пункт", "Содержание"], ["5.1", ""]], [100, 200], height=60)
    for y, text in ((152, "Первый абзац"), (175, "Второй абзац")):
        sheets.line(text, x=LEFT + 103, y=y, size=9)
    (table,) = tables(sheets.read())
    assert table.rows[1] == ("5.1", "Первый абзац Второй абзац")
