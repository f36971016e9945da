"""E01, E04, E08 and the paragraphs of running text."""

from __future__ import annotations

import pytest

from rubrica.model import ElementKind
from tests.unit.extraction.pdf.drawing import LEFT, Sheets, element, texts
from tests.unit.extraction.pdf.prose import LONG, OTHER


def test_lines_of_a_paragraph_are_one_element_with_page_and_box(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    sheets.paragraph(OTHER)
    document = sheets.read()
    assert texts(document) == [LONG, OTHER]
    first = document.elements[0]
    assert (first.page_from, first.page_to) == (1, 1)
    assert first.bbox is not None
    x0, top, x1, bottom = first.bbox
    assert (round(x0), round(top)) == (70, 73)
    assert x1 > 480
    assert 100 < bottom < document.elements[1].bbox[3]  # type: ignore[index]


def test_block_paragraphs_are_told_apart_by_their_distance(sheets: Sheets) -> None:
    for text in (LONG, OTHER, LONG):
        sheets.paragraph(text, indent=0)
        sheets.skip(8)
    assert texts(sheets.read()) == [LONG, OTHER, LONG]


def test_a_paragraph_goes_on_over_a_page_break(sheets: Sheets) -> None:
    head, tail = LONG[: LONG.index(" проектной")], LONG[LONG.index("проектной") :]
    sheets.paragraph(OTHER)
    sheets.paragraph(head)
    sheets.page()
    sheets.paragraph(tail, indent=0)
    sheets.paragraph("Иное " + OTHER)
    document = sheets.read()
    assert texts(document) == [OTHER, LONG, "Иное " + OTHER]
    assert [(e.page_from, e.page_to) for e in document.elements] == [(1, 1), (1, 2), (2, 2)]


def test_a_new_paragraph_at_the_top_of_a_page_is_not_joined(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    sheets.page()
    sheets.paragraph(OTHER)
    assert texts(sheets.read()) == [LONG, OTHER]


def test_numbered_clauses_start_their_own_paragraph(sheets: Sheets) -> None:
    clauses = [f"5.2.{n} {text}" for n, text in enumerate((LONG, OTHER, LONG), start=1)]
    for clause in clauses:
        sheets.paragraph(clause, indent=0)
    document = sheets.read()
    assert texts(document) == clauses
    assert [e.clause for e in document.elements] == ["5.2.1", "5.2.2", "5.2.3"]


def test_a_reference_at_the_start_of_a_line_starts_no_clause(sheets: Sheets) -> None:
    sheets.line("Размеры принимают в соответствии с требованиями, которые приведены выше в пункте п.")
    sheets.line("5.2.1 настоящего свода правил, если заданием на проектирование не установлено иное.")
    document = sheets.read()
    assert len(document.elements) == 1
    assert document.elements[0].clause is None


def test_list_items_are_elements_of_their_own(sheets: Sheets) -> None:
    items = [
        "- бетонные конструкции;",
        "– железобетонные конструкции;",
        "• стальные конструкции;",
        "а) деревянные конструкции;",
        "1) каменные конструкции;",
        "б) прочие.",
    ]
    sheets.line("К конструкциям относятся:", x=LEFT + 20)
    for item in items:
        sheets.line(item, x=LEFT + (40 if item[0] == "1" else 20))
    document = sheets.read()
    assert texts(document, ElementKind.LIST_ITEM) == items
    assert [e.level for e in document.elements[1:]] == [1, 1, 1, 1, 2, 1]


def test_a_list_item_keeps_its_hanging_lines(sheets: Sheets) -> None:
    sheets.line("- сведения о способе закрепления точек и о конструкции знаков, а также о порядке")
    sheets.line("их передачи заказчику и о сроке, в который её оформляют актом;", x=LEFT + 8)
    sheets.line("- прочие сведения.")
    found = texts(sheets.read(), ElementKind.LIST_ITEM)
    assert len(found) == 2
    assert found[0].endswith("оформляют актом;")


def test_words_set_with_gaps_instead_of_spaces_are_not_run_together(sheets: Sheets) -> None:
    canvas = sheets.canvas
    x = LEFT
    for word in ("Стена", "из", "бетона", "класса", "В25"):
        sheets.line(word, x=x, y=100)
        x += canvas.stringWidth(word, "Regular", 10) + 2.5
    assert sheets.read().text == "Стена из бетона класса В25"


def test_letters_set_apart_are_one_word(sheets: Sheets) -> None:
    sheets.line("П Р И К А З")
    assert sheets.read().text == "ПРИКАЗ"


@pytest.mark.parametrize("text", ["Стена", "длинный 11 ВВ 2,5 мм", "оо ее 00"])
def test_fake_bold_is_read_once_and_honest_doubles_stay(sheets: Sheets, text: str) -> None:
    sheets.line(text, x=100.0, y=100)
    sheets.line(text, x=100.3, y=100)
    assert sheets.read().text == text


def test_fake_bold_letter_by_letter(sheets: Sheets) -> None:
    x = 100.0
    for letter in "Стена":
        for shift in (0, 0.3):
            sheets.line(letter, x=x + shift, y=100)
        x += sheets.canvas.stringWidth(letter, "Regular", 10)
    assert sheets.read().text == "Стена"


def test_nul_and_private_bullets_never_leave(sheets: Sheets) -> None:
    sheets.line("\uf0b7 пункт списка")
    text = sheets.read().text
    assert "\uf0b7" not in text
    assert "\x00" not in text


def test_two_columns_are_read_one_after_the_other(sheets: Sheets) -> None:
    start = sheets.y
    sheets.paragraph("4.9 " + LONG, right=280, indent=0)
    sheets.paragraph(OTHER, right=280)
    sheets.y = start
    sheets.paragraph("4.10 " + LONG, x=315, indent=0)
    sheets.paragraph(OTHER, x=315)
    document = sheets.read()
    assert texts(document) == [f"4.9 {LONG}", OTHER, f"4.10 {LONG}", OTHER]


def test_a_line_across_both_columns_stays_between_them(sheets: Sheets) -> None:
    for part in (1, 2):
        sheets.centered(f"ЧАСТЬ {part}. ТРЕБОВАНИЯ К ДОКУМЕНТАЦИИ И К ЕЁ ХРАНЕНИЮ", bold=True)
        start = sheets.y = sheets.y + 10
        sheets.paragraph(LONG, right=280)
        end = sheets.y
        sheets.y = start
        sheets.paragraph(OTHER, x=315)
        sheets.y = max(end, sheets.y) + 20
    found = texts(sheets.read())
    assert [text[:7] for text in found] == ["ЧАСТЬ 1", "Настоящ", "Требова", "ЧАСТЬ 2", "Настоящ", "Требова"]


def test_a_page_printed_sideways_is_read(sheets: Sheets) -> None:
    sheets.canvas.rotate(90)
    sheets.canvas.translate(0, -sheets.height)
    sheets.paragraph(LONG)
    assert texts(sheets.read()) == [LONG]


def test_a_stamp_up_the_margin_does_not_enter_the_text(sheets: Sheets) -> None:
    head, tail = LONG[: LONG.index(" проектной")], LONG[LONG.index("проектной") :]
    sheets.paragraph(head)
    sheets.canvas.saveState()
    sheets.canvas.translate(40, sheets.height - 110)
    sheets.canvas.rotate(90)
    sheets.canvas.drawString(0, 0, "Stamp 17")
    sheets.canvas.restoreState()
    sheets.page()
    sheets.paragraph(tail, indent=0)
    assert texts(sheets.read()) == [LONG, "Stamp 17"]


def test_a_footnote_does_not_cut_the_paragraph_that_goes_on(sheets: Sheets) -> None:
    head, tail = LONG[: LONG.index(" проектной")], LONG[LONG.index("проектной") :]
    sheets.paragraph(OTHER)
    sheets.paragraph(OTHER)
    sheets.paragraph(head)
    sheets.line("* Сноска к слову документация, которая стоит внизу страницы.", y=760, size=8)
    sheets.page()
    sheets.paragraph(tail, indent=0)
    sheets.paragraph(OTHER)
    document = sheets.read()
    assert LONG in texts(document)
    assert [t[:8] for t in texts(document, ElementKind.FOOTNOTE)] == ["* Сноска"]


def test_captions_are_elements_of_their_own(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    sheets.centered("Рисунок 3 — Схема здания")
    sheets.paragraph(OTHER)
    sheets.line("Таблица 4 показывает размеры, которые принимают по заданию.", x=LEFT + 20)
    document = sheets.read()
    assert texts(document, ElementKind.CAPTION) == ["Рисунок 3 — Схема здания"]
    assert element(document, "Таблица 4").kind is ElementKind.PARAGRAPH
