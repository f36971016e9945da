"""Headings and what looks like them: title pages, appendices, levels, lead-ins."""

from __future__ import annotations

from extraction.result import Extracted
from rubrica.model import ElementKind
from tests.unit.extraction.pdf.drawing import LEFT, RIGHT, Sheets, element, texts
from tests.unit.extraction.pdf.prose import LONG, OTHER


def outline(document: Extracted) -> list[tuple[str, int | None]]:
    """Text and level of every heading."""
    headings = [e for e in document.elements if e.kind is ElementKind.HEADING]
    return [(document.text[e.start : e.end], e.level) for e in headings]


def test_a_title_page_has_one_title_and_no_headings(sheets: Sheets) -> None:
    sheets.centered("ГОСУДАРСТВЕННЫЙ СТАНДАРТ", size=14, bold=True)
    sheets.skip(60)
    sheets.centered("Система обеспечения точности", size=12, bold=True)
    sheets.skip(20)
    sheets.centered("ПРАВИЛА ВЫПОЛНЕНИЯ ИЗМЕРЕНИЙ", size=18, bold=True)
    sheets.centered("И ОБРАБОТКИ РЕЗУЛЬТАТОВ", size=18, bold=True)
    sheets.skip(20)
    sheets.centered("Общие положения", size=12, bold=True)
    sheets.page()
    for number, name in enumerate(("Область применения", "Термины", "Требования"), start=1):
        sheets.line(f"{number} {name}", size=12, bold=True)
        sheets.skip()
        sheets.paragraph(LONG)
        sheets.skip()
    document = sheets.read()
    assert texts(document, ElementKind.TITLE) == ["ПРАВИЛА ВЫПОЛНЕНИЯ ИЗМЕРЕНИЙ И ОБРАБОТКИ РЕЗУЛЬТАТОВ"]
    assert outline(document) == [("1 Область применения", 1), ("2 Термины", 1), ("3 Требования", 1)]


def test_an_appendix_is_one_heading_with_its_status_and_title(sheets: Sheets) -> None:
    sheets.line("1 Порядок", size=12, bold=True)
    sheets.paragraph(LONG)
    sheets.skip()
    sheets.centered("Приложение А")
    sheets.centered("(обязательное)")
    sheets.skip()
    sheets.centered("Требования к содержанию чертежа", bold=True)
    sheets.skip()
    sheets.line("А.1 Состав чертежа", bold=True)
    sheets.skip()
    sheets.paragraph(f"А.1.1 {OTHER}")
    document = sheets.read()
    appendix = "Приложение А (обязательное) Требования к содержанию чертежа"
    assert outline(document)[1:] == [(appendix, 1), ("А.1 Состав чертежа", 2)]
    assert element(document, "Приложение А").clause == "Приложение А"
    assert element(document, "А.1.1").heading_path == (appendix, "А.1 Состав чертежа")


def test_plain_titles_beside_headings_that_have_children(sheets: Sheets) -> None:
    """E11: prints that set all text in one size, as browsers make them."""
    for line in ("1 Область применения", LONG, "2 Нормативные ссылки", OTHER, "3 Общие положения"):
        sheets.paragraph(line, indent=0)
        sheets.skip()
    sheets.paragraph(f"3.1 {LONG}", indent=0)
    expected = [("1 Область применения", 1), ("2 Нормативные ссылки", 1), ("3 Общие положения", 1)]
    assert outline(sheets.read()) == expected


def test_a_chapter_s_heading_is_above_its_numbers(sheets: Sheets) -> None:
    for line in ("Глава 3. Порядок расчёта", "3.1 Исходные данные", "3.1.1 Нагрузки", "Глава 4. Приёмка"):
        sheets.line(line, size=12, bold=True)
        sheets.skip()
        sheets.paragraph(LONG)
        sheets.skip()
    assert [level for _, level in outline(sheets.read())] == [1, 2, 3, 1]


def test_roman_sections_letters_and_numbers_nest(sheets: Sheets) -> None:
    lines = ("I. Introduction", "A. Motivation", "1. Costs", "2. Benefits", "B. Related work", "II. Methods")
    for line in lines:
        sheets.line(line, size=12, bold=True)
        sheets.skip()
        sheets.paragraph(LONG)
        sheets.skip()
    document = sheets.read()
    assert [level for _, level in outline(document)] == [1, 2, 3, 3, 2, 1]
    assert element(document, "B. Related").clause is None


def test_unnumbered_headings_stand_below_the_number_before_them(sheets: Sheets) -> None:
    for line in ("1 Порядок", "Права заказчика", "2 Приёмка", "Комиссия", "Введение"):
        sheets.line(line, size=12, bold=True)
        sheets.skip()
        sheets.paragraph(LONG)
        sheets.skip()
    assert [level for _, level in outline(sheets.read())] == [1, 2, 1, 2, 1]


def test_a_bold_lead_in_is_no_heading(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    sheets.line("Изученность территории —", bold=True, x=LEFT + 20)
    sheets.paragraph("назначение и границы участков, наличие материалов прошлых лет и их оценка.", indent=0)
    sheets.line("Примечания", bold=True, x=LEFT + 20)
    sheets.paragraph(OTHER)
    assert outline(sheets.read()) == []


def test_a_numbered_sentence_in_bold_is_a_paragraph(sheets: Sheets) -> None:
    sheets.paragraph(f"4.1 {LONG}")
    sheets.line("4.2 Основным заглавием тома является его частное заглавие.", bold=True)
    sheets.paragraph(f"4.3 {OTHER}")
    document = sheets.read()
    assert outline(document) == []
    assert element(document, "4.2").clause == "4.2"


def test_a_page_in_larger_type_is_no_page_of_headings(sheets: Sheets) -> None:
    for _ in range(6):
        sheets.paragraph(LONG)
        sheets.paragraph(OTHER)
    sheets.page()
    sheets.line("Песни о городе", size=11.5, x=LEFT + 40)
    for _ in range(3):
        sheets.paragraph(LONG, size=11.5)
        sheets.paragraph(OTHER, size=11.5)
    assert outline(sheets.read()) == []


def test_a_signature_is_no_heading(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    sheets.skip(20)
    sheets.centered("ДИРЕКТОР ФЕДЕРАЛЬНОЙ СЛУЖБЫ", bold=True)
    sheets.skip(20)
    sheets.line("В.СЕЛИН", bold=True, x=RIGHT - 60)
    assert outline(sheets.read()) == []


def test_numbers_in_the_margin_are_neither_clauses_nor_headings(sheets: Sheets) -> None:
    """E11: transcripts whose lines are counted."""
    lines = ["IN THE SUPREME COURT", "MICHAEL KNOWLES", "Petitioner", "No. 07", "APPEARANCES:"] * 4
    for number, line in enumerate(lines, start=1):
        sheets.line(f"{number:2} {line}")
        sheets.skip(14)
    document = sheets.read()
    assert outline(document) == []
    assert not any(e.clause for e in document.elements)


def test_contents_on_several_lines_without_leaders(sheets: Sheets) -> None:
    sheets.centered("Содержание", bold=True)
    entries = (
        "1 Область применения",
        "Приложение 1. Обязательное. Условия",
        "точности измерений",
        "2 Термины",
    )
    for entry, page in zip(entries, ("1", "", "12", "14"), strict=True):
        sheets.line(entry, y=sheets.y)
        sheets.line(page or " ", x=RIGHT - 10)
    sheets.page()
    sheets.line("1 Область применения", size=12, bold=True)
    sheets.paragraph(LONG)
    document = sheets.read()
    assert outline(document) == [("Содержание", 1), ("1 Область применения", 1)]
    assert [e.clause for e in document.elements if e.clause] == ["1"]
