"""Points, lists, captions."""

from __future__ import annotations

from rubrica.model import ElementKind
from tests.unit.extraction.pdf.drawing import LEFT, RIGHT, Sheets, element, texts
from tests.unit.extraction.pdf.prose import LONG, OTHER


def test_points_of_an_order_are_clauses_and_paragraphs(sheets: Sheets) -> None:
    sheets.centered("ПРИКАЗ", size=14, bold=True)
    sheets.paragraph("В соответствии с законом п р и к а з ы в а ю:")
    sheets.paragraph("1. Утвердить прилагаемые Требования о защите информации.")
    sheets.paragraph("2. Установить, что Требования применяются с 1 сентября.")
    document = sheets.read()
    assert [(e.clause, e.kind) for e in document.elements if e.clause] == [
        ("1", ElementKind.PARAGRAPH),
        ("2", ElementKind.PARAGRAPH),
    ]


def test_a_list_keeps_its_lead_in_and_its_depth(sheets: Sheets) -> None:
    sheets.paragraph(f"4.1 {LONG}")
    sheets.paragraph("4.2 В состав работ входят:")
    sheets.line("а) подготовка поверхности:", x=LEFT + 20)
    sheets.line("- очистка;", x=LEFT + 40)
    sheets.line("- грунтование;", x=LEFT + 40)
    sheets.line("б) укладка ковра.", x=LEFT + 20)
    sheets.paragraph(f"4.3 {OTHER}")
    document = sheets.read()
    items = [e for e in document.elements if e.kind is ElementKind.LIST_ITEM]
    assert [e.level for e in items] == [1, 2, 2, 1]
    assert not any(e.clause for e in items)
    assert element(document, "4.2").kind is ElementKind.PARAGRAPH


def test_a_numbered_list_inside_a_clause_opens_no_clauses(sheets: Sheets) -> None:
    sheets.paragraph("5.1 Работы ведут в таком порядке:")
    for line in ("1. Очистка поверхности.", "2. Укладка ковра.", "3. Приёмка."):
        sheets.line(line, x=LEFT + 20)
    sheets.paragraph(f"5.2 {OTHER}")
    document = sheets.read()
    assert [e.clause for e in document.elements if e.clause] == ["5.1", "5.2"]
    assert len(texts(document, ElementKind.LIST_ITEM)) == 3


def test_a_scan_s_spaced_numbers_open_clauses(sheets: Sheets) -> None:
    sheets.line("2. РАЗБИВОЧНАЯ ОСНОВА", bold=True)
    sheets.skip()
    for number in ("2.1.", "2 .2 .", "2-3.", "2.4."):
        sheets.paragraph(f"{number} {LONG}")
    clauses = [e.clause for e in sheets.read().elements if e.clause]
    assert clauses == ["2", "2.1", "2.2", "2.3", "2.4"]


def test_a_caption_s_label_is_joined_with_its_title(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    sheets.skip()
    sheets.line("Таблица 1", x=RIGHT - 50)
    sheets.line("Наибольшие отклонения размеров", x=LEFT + 130)
    sheets.grid([["Размер", "Отклонение"], ["12", "0,5"], ["24", "0,8"]], [200, 200])
    document = sheets.read()
    assert texts(document, ElementKind.CAPTION) == ["Таблица 1 Наибольшие отклонения размеров"]


def test_sentences_about_tables_are_no_captions(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    sheets.skip()
    sheets.line("Table 3-1 lists the special registers of the system.")
    sheets.skip()
    sheets.line("Table 3-1 Special registers")
    sheets.skip()
    sheets.line("Черт. 2. Схема сети")
    sheets.skip()
    sheets.line("Рис. 3. Общий вид")
    expected = ["Table 3-1 Special registers", "Черт. 2. Схема сети", "Рис. 3. Общий вид"]
    assert texts(sheets.read(), ElementKind.CAPTION) == expected


def test_notes_stay_paragraphs(sheets: Sheets) -> None:
    sheets.paragraph(f"3.1 {LONG}")
    sheets.paragraph("Примечание — Допускается уточнять порядок работ.")
    document = sheets.read()
    assert element(document, "Примечание").kind is ElementKind.PARAGRAPH
