"""Ruled tables of every kind, and drawings that are none."""

from __future__ import annotations

import pytest

from extraction.pdf.tables.lattice import find_cells
from extraction.pdf.tables.rules import Rule, closing_rules, connected, merge_rules
from extraction.result import Extracted
from rubrica.model import Element, ElementKind
from tests.unit.extraction.pdf.drawing import LEFT, Sheets, texts
from tests.unit.extraction.pdf.prose import LONG, OTHER

ROWS = [["Марка", "Класс", "Толщина, мм"], ["А", "В25", "20"], ["Б", "В30", "25"], ["В", "В35", "30"]]
WIDTHS = [120, 120, 120]


def tables(document: Extracted) -> list[Element]:
    return [e for e in document.elements if e.kind is ElementKind.TABLE]


def shade(sheets: Sheets, x: float, y: float, width: float, height: float, gray: float = 0.85) -> None:
    sheets.canvas.setFillGray(gray)
    sheets.canvas.rect(x, sheets.height - y - height, width, height, stroke=0, fill=1)
    sheets.canvas.setFillGray(0)


def test_cells_that_only_their_colour_shows_are_a_table(sheets: Sheets) -> None:
    for r, row in enumerate(ROWS):
        for c, text in enumerate(row):
            shade(sheets, LEFT + 120 * c, 100 + 20 * r, 119.5, 19.5, 0.7 if r == 0 else 0.9)
            sheets.line(text, x=LEFT + 120 * c + 5, y=114 + 20 * r, size=9)
    (table,) = tables(sheets.read())
    assert [list(row) for row in table.rows] == ROWS


def test_shades_behind_single_lines_part_no_cell(sheets: Sheets) -> None:
    sheets.grid([["Наименование", "Значение"], ["", "7"]], [150, 100], height=40)
    for y, text in ((132, "Конструкции монолит-"), (144, "ные железобетонные")):
        shade(sheets, LEFT + 2, y - 9, 146, 11)
        sheets.line(text, x=LEFT + 3, y=y, size=9)
    (table,) = tables(sheets.read())
    assert table.rows[1] == ("Конструкции монолитные железобетонные", "7")


def test_white_shapes_are_no_cells(sheets: Sheets) -> None:
    for r in range(3):
        for c in range(2):
            shade(sheets, LEFT + 150 * c, 100 + 20 * r, 149, 19, gray=1.0)
            sheets.line(("слово", "дело")[c], x=LEFT + 150 * c + 4, y=114 + 20 * r, size=9)
    assert tables(sheets.read()) == []


def test_rows_below_a_ruled_header_are_told_apart_by_their_values(sheets: Sheets) -> None:
    sheets.grid([["Объекты", "2005", "2010"]], WIDTHS)
    top = sheets.y - 20
    sheets.grid([["", "", ""]], WIDTHS, top=top, height=60)
    for i, row in enumerate(
        (("Все:", "", ""), ("здания", "291", "303"), ("мосты", "54", "56"), ("дороги", "34", "38"))
    ):
        for c, text in enumerate(row):
            if text:
                sheets.line(text, x=LEFT + 120 * c + 4, y=top + 12 + 12 * i, size=9)
    (table,) = tables(sheets.read())
    assert [list(row) for row in table.rows] == [
        ["Объекты", "2005", "2010"],
        ["Все:", "", ""],
        ["здания", "291", "303"],
        ["мосты", "54", "56"],
        ["дороги", "34", "38"],
    ]


def test_what_heads_several_rows_of_values_is_repeated_in_each(sheets: Sheets) -> None:
    header = ["Материал", "Профиль", "Диаметр", "Толщина"]
    sheets.grid([header, [""] * 4], [90, 150, 70, 70], height=60)
    lines = [("Сталь", "Круглый:", "", ""), ("", "для стоек", "16", "-"), ("", "для связей", "10", "-")]
    lines.append(("", "Угловой", "-", "4"))
    for number, cells in enumerate(lines):
        for x, cell in zip((0, 90, 240, 310), cells, strict=True):
            sheets.line(cell or " ", x=LEFT + x + 3, y=150 + 11 * number, size=9)
    (table,) = tables(sheets.read())
    assert table.rows[1:] == tuple(("Сталь", *cells[1:]) for cells in lines)


def test_a_header_of_two_lines_is_one_row(sheets: Sheets) -> None:
    sheets.grid([["", "", ""], ["Низкая", "34%", "3%"], ["Высокая", "2%", "18%"]], [150, 110, 110], height=36)
    lines = [("", "Выявленные", "Прочие"), ("Категория школ", "(n = 469)", "(n = 918)")]
    for number, cells in enumerate(lines):
        for x, cell in zip((0, 150, 260), cells, strict=True):
            sheets.line(cell or " ", x=LEFT + x + 3, y=95 + 11 * number, size=9)
    (table,) = tables(sheets.read())
    assert table.rows[0] == ("Категория школ", "Выявленные (n = 469)", "Прочие (n = 918)")


def test_a_fraction_in_a_cell_stands_on_one_line(sheets: Sheets) -> None:
    sheets.grid([["Объект", "Погрешность"], ["Здание", ""], ["Дорога", ""]], [120, 120], height=30)
    for y, number in ((122, "15000"), (152, "2000")):
        sheets.line("1", x=LEFT + 168, y=y, size=9)
        sheets.line(number, x=LEFT + 158 + (5 if number == "2000" else 0) / 2, y=y + 10, size=9)
    (table,) = tables(sheets.read())
    assert [row[1] for row in table.rows] == ["Погрешность", "1/15000", "1/2000"]


def test_two_open_tables_one_above_the_other_stay_two(sheets: Sheets) -> None:
    sheets.grid(ROWS, WIDTHS, open_sides=True)
    sheets.line("Другая таблица, той же ширины")
    sheets.skip(20)
    sheets.grid(ROWS, WIDTHS, open_sides=True)
    found = tables(sheets.read())
    assert [[list(row) for row in table.rows] for table in found] == [ROWS, ROWS]


def test_caption_and_note_inside_the_frame_stand_outside_the_table(sheets: Sheets) -> None:
    rows = [["Таблица 4 — Допуски", "<", "<"], *ROWS, ["Примечание — Размеры даны в свету.", "<", "<"]]
    sheets.grid(rows, WIDTHS)
    document = sheets.read()
    (table,) = tables(document)
    assert [list(row) for row in table.rows] == ROWS
    assert texts(document)[0] == "Таблица 4 — Допуски"
    assert texts(document)[-1] == "Примечание — Размеры даны в свету."


def test_a_part_of_the_table_over_its_whole_width_is_a_row(sheets: Sheets) -> None:
    rows = [ROWS[0], ["А. Стальными рулетками", "<", "<"], *ROWS[1:]]
    sheets.grid(rows, WIDTHS)
    (table,) = tables(sheets.read())
    assert table.rows[1] == ("А. Стальными рулетками", "", "")
    assert len(table.rows) == 5


def test_a_long_name_over_several_columns_is_written_once(sheets: Sheets) -> None:
    name = "Средние квадратические погрешности результатов линейных измерений, не более"
    rows = [["Объект", name, "<", "<"], ["", "1", "2", "3"], ["Дом", "5", "6", "7"]]
    sheets.grid(rows, [100, 125, 125, 125])
    (table,) = tables(sheets.read())
    assert table.rows[0] == ("Объект", name, "", "")
    assert table.header_rows == 2


@pytest.mark.parametrize(
    "words", [("Изм.", "Лист", "№ докум.", "Подп.", "Дата"), ("Стадия", "Лист", "Листов", "", "")]
)
def test_the_title_block_of_a_drawing_is_no_table(sheets: Sheets, words: tuple[str, ...]) -> None:
    for _ in range(3):
        sheets.paragraph(LONG)
    sheets.grid([["", "", "", "", ""], list(words), ["АБ", "2", "5", "", ""]], [40, 40, 60, 40, 40], top=700)
    document = sheets.read()
    assert tables(document) == []
    assert "АБ" in document.text


def test_a_chart_whose_bars_cut_its_numbers_is_no_table(sheets: Sheets) -> None:
    for i, (first, second) in enumerate(((120, 260), (150, 230), (135, 300), (180, 250))):
        y = 100.0 + 30 * i
        for x0, x1 in ((LEFT, LEFT + first), (LEFT + first, LEFT + second), (LEFT + second, 430.0)):
            sheets.canvas.rect(x0, sheets.height - y - 20, x1 - x0, 20)
        sheets.line(f"{first}.5", x=LEFT + first - 10, y=y + 14, size=9)
        sheets.line(f"{second}.5", x=LEFT + second - 10, y=y + 14, size=9)
    assert tables(sheets.read()) == []


def test_boxes_and_arrows_are_no_table(sheets: Sheets) -> None:
    for i, text in enumerate(("Сбор", "Анализ", "Отчёт")):
        sheets.canvas.rect(LEFT + 140 * i, sheets.height - 130, 100, 30)
        sheets.line(text, x=LEFT + 140 * i + 20, y=118, size=9)
        if i:
            sheets._rule(LEFT + 140 * i - 40, 108, LEFT + 140 * i, 108)
            sheets._rule(LEFT + 140 * i - 40, 122, LEFT + 140 * i, 122)
    sheets.y = 160
    sheets.paragraph(OTHER)
    assert tables(sheets.read()) == []


def test_a_form_without_columns_is_text(sheets: Sheets) -> None:
    for r in range(12):
        for c in range(3):
            x0 = LEFT + 150 * c + (17 * r) % 60
            x1 = LEFT + 150 * (c + 1) + (17 * r) % 60 if c < 2 else 530.0
            sheets.canvas.rect(x0 if c else LEFT, sheets.height - 120 - 22 * r, x1 - (x0 if c else LEFT), 22)
            sheets.line(f"{r + 1}{'абв'[c]} поле", x=x0 + 15, y=114 + 22 * r, size=8)
    document = sheets.read()
    assert tables(document) == []
    assert all(f"{r + 1}{mark} поле" in document.text for r in range(12) for mark in "абв")


def test_rules_that_nearly_meet_are_one() -> None:
    rules = [Rule(True, 10.0, 0, 50), Rule(True, 10.8, 52, 100), Rule(True, 40.0, 0, 100)]
    assert merge_rules(rules) == [Rule(True, 10.4, 0, 100), Rule(True, 40.0, 0, 100)]
    assert merge_rules(rules, gap=1.0)[:2] == [Rule(True, 10.4, 0, 50), Rule(True, 10.4, 52, 100)]


def test_cells_are_what_rules_enclose() -> None:
    rules = [Rule(True, y, 0, 100) for y in (0, 20, 40)] + [Rule(False, x, 0, 40) for x in (0, 100)]
    rules.append(Rule(False, 50, 20, 40))
    assert find_cells(rules, []) == [[(0, 0, 100, 20), (0, 20, 50, 40), (50, 20, 100, 40)]]
    assert find_cells(rules[:3], []) == []


def test_an_open_corner_is_no_cell() -> None:
    rules = [Rule(True, 0, 50, 100), *(Rule(True, y, 0, 100) for y in (20, 40, 60))]
    rules += [Rule(False, 0, 20, 60), Rule(False, 50, 0, 60), Rule(False, 100, 0, 60)]
    (cells,) = find_cells(rules, [])
    assert (0, 0, 50, 20) not in cells
    assert len(cells) == 5


def test_missing_borders_are_added_at_the_outer_side_only() -> None:
    rules = [Rule(True, y, 0, 90) for y in (0, 20, 40)] + [Rule(False, x, 0, 40) for x in (30, 60)]
    assert set(closing_rules(rules)) == {Rule(False, 0, 0, 40), Rule(False, 90, 0, 40)}


def test_a_page_of_endless_rules_is_left_alone() -> None:
    rules = [Rule(True, 4.0 * i, 0, 500) for i in range(80)] + [
        Rule(False, 4.0 * i, 0, 400) for i in range(80)
    ]
    assert connected(rules, most=100) == []
