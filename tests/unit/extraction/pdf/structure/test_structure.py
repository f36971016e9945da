from __future__ import annotations

from rubrica.model import ElementKind
from tests.unit.extraction.pdf.drawing import LEFT, RIGHT, Sheets, element, texts
from tests.unit.extraction.pdf.prose import LONG, OTHER


def norm(sheets: Sheets) -> None:
    sheets.centered("ТРЕБОВАНИЯ К КРОВЛЯМ", size=18, bold=True)
    sheets.skip()
    sheets.line("5 Общие положения", size=14, bold=True)
    sheets.skip()
    sheets.paragraph(f"5.1 {LONG}")
    sheets.skip()
    sheets.line("5.2 Состав документации", size=12, bold=True)
    sheets.skip()
    sheets.paragraph(f"5.2.1 {LONG}")
    sheets.paragraph(OTHER)
    sheets.skip()
    sheets.line("6 Материалы", size=14, bold=True)
    sheets.skip()
    sheets.paragraph(OTHER)


def test_numbered_headings_nest_by_their_numbers(sheets: Sheets) -> None:
    norm(sheets)
    document = sheets.read()
    headings = [(document.text[e.start : e.end], e.level) for e in document.elements if e.level]
    assert headings == [("5 Общие положения", 1), ("5.2 Состав документации", 2), ("6 Материалы", 1)]
    clause = element(document, "5.2.1")
    assert clause.heading_path == ("5 Общие положения", "5.2 Состав документации")
    assert clause.clause == "5.2.1"
    assert element(document, "6").clause == "6"


def test_the_title_is_the_largest_heading_of_the_first_page(sheets: Sheets) -> None:
    norm(sheets)
    document = sheets.read()
    assert document.title == "ТРЕБОВАНИЯ К КРОВЛЯМ"
    assert texts(document, ElementKind.TITLE) == ["ТРЕБОВАНИЯ К КРОВЛЯМ"]


def test_a_stated_title_wins_if_the_document_bears_it_out(sheets: Sheets) -> None:
    sheets.canvas.setTitle("СП 1.13330 Требования к кровлям")
    sheets.line("СП 1.13330")
    norm(sheets)
    assert sheets.read().title == "СП 1.13330 Требования к кровлям"


def test_a_program_s_title_does_not_count(sheets: Sheets) -> None:
    sheets.canvas.setTitle("Microsoft Word - Документ1.docx")
    sheets.paragraph(LONG)
    assert sheets.read().title == ""


def test_headings_of_one_size_are_known_by_their_children(sheets: Sheets) -> None:
    lines = [
        "7 Правила приёмки",
        "7.1 Виды контроля",
        f"7.1.1 {LONG}",
        "7.2 Объём контроля",
        f"7.2.1 {OTHER}",
    ]
    for line in lines:
        sheets.paragraph(line, indent=0)
        sheets.skip()
    document = sheets.read()
    assert texts(document, ElementKind.HEADING) == [lines[0], lines[1], lines[3]]
    assert [e.level for e in document.elements if e.level] == [1, 2, 2]


def test_named_headings_nest(sheets: Sheets) -> None:
    for line in ("Раздел I. Общая часть", "Глава 2. Порядок", "Статья 15. Права заказчика"):
        sheets.centered(line, bold=True)
        sheets.skip()
    sheets.paragraph("Глава 2 настоящего закона не применяется, если стороны договорились об ином заранее.")
    sheets.centered("Приложение А", bold=True)
    sheets.skip()
    sheets.paragraph(OTHER)
    document = sheets.read()
    assert [(e.clause, e.level) for e in document.elements if e.kind is ElementKind.HEADING] == [
        ("Раздел I", 1),
        ("Глава 2", 2),
        ("Статья 15", 3),
        ("Приложение А", 1),
    ]
    assert document.elements[-1].heading_path == ("Приложение А",)


def test_a_heading_in_capitals_on_two_lines_is_one(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    sheets.skip()
    sheets.line("ПРИЛОЖЕНИЕ 1", x=LEFT + 300, bold=True)
    sheets.skip()
    sheets.line("О РАСЧЕТЕ ПОГРЕШНОСТИ МЕТОДОВ", x=LEFT + 60, bold=True)
    sheets.line("И СРЕДСТВ ИЗМЕРЕНИЙ", x=LEFT + 150, bold=True)
    sheets.skip()
    sheets.paragraph(OTHER)
    expected = "ПРИЛОЖЕНИЕ 1 О РАСЧЕТЕ ПОГРЕШНОСТИ МЕТОДОВ И СРЕДСТВ ИЗМЕРЕНИЙ"
    assert texts(sheets.read(), ElementKind.HEADING) == [expected]


def test_lines_of_a_query_in_capitals_stay_lines(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    lines = ["SELECT NAME FROM BEAMS WHERE SPAN = 6", "AND LOAD_CLASS = 2"]
    for line in lines:
        sheets.line(line)
    sheets.paragraph(OTHER)
    assert texts(sheets.read())[1:3] == lines


def test_what_looks_like_a_number_is_no_heading(sheets: Sheets) -> None:
    for line in ("12.05.2020", "2,5 м", "5.2 мм и более", "С. 15–20", "3 ВВЕДЕН ВПЕРВЫЕ"):
        sheets.line(line, x=LEFT + 20)
        sheets.skip(20)
    sheets.paragraph(LONG)
    sheets.paragraph(OTHER)
    assert texts(sheets.read(), ElementKind.HEADING) == []


def test_a_table_of_contents_has_no_headings_and_no_clauses(sheets: Sheets) -> None:
    sheets.centered("Содержание", bold=True)
    for number, name in (("1", "Область применения"), ("4.1", "Построение"), ("4.2", "Изложение")):
        width = sheets.canvas.stringWidth(f"{number} {name} ", "Regular", 10)
        dots = "." * int((RIGHT - LEFT - width - 20) / sheets.canvas.stringWidth(".", "Regular", 10))
        sheets.line(f"{number} {name} {dots} 12")
    sheets.page()
    norm(sheets)
    document = sheets.read()
    contents = [e for e in document.elements if e.page_from == 1]
    assert [e.kind for e in contents] == [ElementKind.HEADING] + [ElementKind.LIST_ITEM] * 3
    assert [e.clause for e in contents[1:]] == [None] * 3
    assert texts(document)[2] == "4.1 Построение … 12"


def test_contents_without_leaders(sheets: Sheets) -> None:
    sheets.centered("СОДЕРЖАНИЕ", bold=True)
    for name, page in (("1 Область применения", "1"), ("2 Термины", "3"), ("3 Материалы", "7")):
        sheets.line(name, y=sheets.y)
        sheets.line(page, x=RIGHT - 10)
    sheets.page()
    norm(sheets)
    document = sheets.read()
    assert all(e.kind is ElementKind.LIST_ITEM for e in document.elements[1:4])


def test_a_quoted_example_of_numbering_makes_no_headings(sheets: Sheets) -> None:
    sheets.line("4 Построение", size=12, bold=True)
    sheets.paragraph(f"4.1 {LONG}")
    for line in ("1 Типы и размеры", "2 Требования", "3 Методы"):
        sheets.line(line, bold=True, x=LEFT + 40)
    sheets.paragraph(f"4.2 {OTHER}")
    sheets.line("5 Материалы", size=12, bold=True)
    sheets.paragraph(OTHER)
    assert texts(sheets.read(), ElementKind.HEADING) == ["4 Построение", "5 Материалы"]


def test_every_character_is_in_one_element(sheets: Sheets) -> None:
    norm(sheets)
    document = sheets.read()
    end = 0
    for e in document.elements:
        assert not document.text[end : e.start].strip()
        assert end <= e.start < e.end
        end = e.end
    assert not document.text[end:].strip()
