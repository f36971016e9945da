"""E09: tables that go on over page breaks."""

from __future__ import annotations

from extraction.result import Extracted
from rubrica.model import Element, ElementKind
from tests.unit.extraction.pdf.drawing import LEFT, Sheets, texts
from tests.unit.extraction.pdf.prose import LONG, OTHER

HEADER = ["Марка", "Класс", "Толщина, мм"]
WIDTHS = [120, 120, 120]


def tables(document: Extracted) -> list[Element]:
    return [e for e in document.elements if e.kind is ElementKind.TABLE]


def labels(table: Element) -> list[str]:
    return [row[0] for row in table.rows]


def test_a_table_over_three_pages_is_one(sheets: Sheets) -> None:
    sheets.line("Таблица 3 — Марки")
    sheets.grid([HEADER, ["А", "В25", "20"]], WIDTHS, top=720)
    sheets.page()
    sheets.line("Продолжение таблицы 3", y=70)
    sheets.grid([HEADER, *([f"Б{i}", "В30", "25"] for i in range(30))], WIDTHS, top=80)
    sheets.page()
    sheets.line("Окончание таблицы 3", y=70)
    sheets.grid([HEADER, ["В", "В35", "30"]], WIDTHS, top=80)
    sheets.paragraph(OTHER)
    document = sheets.read()
    (table,) = tables(document)
    assert labels(table) == ["Марка", "А", *(f"Б{i}" for i in range(30)), "В"]
    assert (table.page_from, table.page_to) == (1, 3)
    assert "Окончание" not in document.text


def test_a_row_that_the_break_cuts_is_whole_again(sheets: Sheets) -> None:
    sheets.grid([HEADER, ["А", "бетон тяжёлый для", "20"]], WIDTHS, top=740)
    sheets.page()
    sheets.grid([["", "плит перекрытий", ""], ["Б", "В30", "25"]], WIDTHS, top=80, open_top=True)
    (table,) = tables(sheets.read())
    assert table.rows[1] == ("А", "бетон тяжёлый для плит перекрытий", "20")
    assert labels(table) == ["Марка", "А", "Б"]


def test_a_row_without_a_label_that_begins_anew_stays_a_row(sheets: Sheets) -> None:
    sheets.grid([HEADER, ["А", "Бетон тяжёлый.", "20"]], WIDTHS, top=740)
    sheets.page()
    sheets.grid([["", "Раствор", "10"], ["Б", "В30", "25"]], WIDTHS, top=80)
    (table,) = tables(sheets.read())
    assert len(table.rows) == 4


def test_a_piece_whose_cells_span_columns_joins(sheets: Sheets) -> None:
    sheets.grid([HEADER, ["А", "В25", "20"]], WIDTHS, top=740)
    sheets.page()
    sheets.grid([["Б", "по проекту"], ["В", "по расчёту"]], [120, 240], top=80)
    (table,) = tables(sheets.read())
    assert table.rows[2:] == (("Б", "по проекту", "по проекту"), ("В", "по расчёту", "по расчёту"))


def test_a_header_that_was_recognised_otherwise_is_still_the_header(sheets: Sheets) -> None:
    sheets.grid([["Условия измерений", "Погрешность, мм"], ["Высота", "20"]], [180, 180], top=740)
    sheets.page()
    sheets.grid([["Условия изиерений", "Погрешность, мм"], ["Длина", "25"]], [175, 175], top=80)
    (table,) = tables(sheets.read())
    assert labels(table) == ["Условия измерений", "Высота", "Длина"]


def test_over_a_title_block_only_a_table_with_its_header_repeated_goes_on(sheets: Sheets) -> None:
    for names in ("АБ", "ВГ"):
        sheets.grid([HEADER, [names[0], "В25", "20"], [names[1], "по проекту", "25"]], WIDTHS, top=100)
        if names == "АБ":
            sheets.line("АБВ.01.000 ПЗ", y=760)
            sheets.line("Общая часть", x=300, y=775)
        sheets.page()
    document = sheets.read()
    (table,) = tables(document)
    assert labels(table) == ["Марка", "А", "Б", "В", "Г"]
    assert "Общая часть" in document.text


def test_text_between_two_tables_keeps_them_apart(sheets: Sheets) -> None:
    sheets.grid([HEADER, ["А", "В25", "20"]], WIDTHS, top=600)
    sheets.y = 680
    sheets.paragraph(LONG)
    sheets.page()
    sheets.grid([HEADER, ["Б", "В30", "25"]], WIDTHS, top=80)
    assert len(tables(sheets.read())) == 2


def test_a_table_without_rules_goes_on_too(sheets: Sheets) -> None:
    def rows(first: int) -> None:
        for i in range(first, first + 6):
            for x, text in (
                (LEFT, f"Образец {'абвгдежзиклмноп'[i]}"),
                (250, f"{10 + 7 * i % 5},{i}"),
                (380, f"{30 - i}"),
            ):
                sheets.line(text, x=x, y=sheets.y, size=9)
            sheets.y += 14

    sheets.line("Таблица 5 — Образцы")
    sheets.y = 690
    rows(0)
    sheets.page()
    rows(6)
    sheets.skip(20)
    sheets.paragraph(OTHER)
    document = sheets.read()
    (table,) = tables(document)
    assert len(table.rows) == 12
    assert texts(document, ElementKind.PARAGRAPH) == [OTHER]


def test_a_header_alone_at_the_foot_of_a_page_heads_the_next_one(sheets: Sheets) -> None:
    rows = [["Марка", "Толщина, мм"], ["А", "20"], ["Б", "25"], ["В", "30"]]
    sheets.paragraph(LONG)
    sheets.grid(rows[:1], [120, 120], top=740)
    sheets.page()
    sheets.grid(rows[1:], [120, 120], top=60)
    (table,) = tables(sheets.read())
    assert [list(row) for row in table.rows] == rows
    assert table.header_rows == 1
