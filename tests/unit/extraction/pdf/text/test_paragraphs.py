"""Lines make paragraphs as a reader would see them, over pages and around formulas too."""

from __future__ import annotations

import pytest

from rubrica.model import ElementKind
from tests.unit.extraction.pdf.drawing import LEFT, RIGHT, Sheets, element, texts
from tests.unit.extraction.pdf.prose import LONG, OTHER

HEAD, TAIL = LONG[: LONG.index(" проектной")], LONG[LONG.index("проектной") :]
SHORT = "Примечания не должны содержать требований."


def test_paragraphs_of_one_line_at_the_usual_indent_are_told_apart(sheets: Sheets) -> None:
    paragraphs = [
        LONG,
        OTHER,
        *(f"{SHORT} Их приводят в документах, если необходимы пояснения {n}." for n in "123"),
    ]
    for text in paragraphs:
        sheets.paragraph(text, right=LEFT + 430)
    assert texts(sheets.read()) == paragraphs


def test_a_bold_lead_opens_a_paragraph_and_belongs_to_it(sheets: Sheets) -> None:
    sheets.paragraph(OTHER, indent=0)
    y = sheets.y
    sheets.line("Определение 2.", bold=True)
    width = sheets.canvas.stringWidth("Определение 2. ", "Roboto-Bold", 10)
    words = LONG.split(" ")
    sheets.line(" ".join(words[:6]), x=LEFT + width, y=y)
    sheets.paragraph(" ".join(words[6:]), indent=0)
    assert texts(sheets.read()) == [OTHER, f"Определение 2. {LONG}"]


def test_a_number_in_mid_sentence_opens_no_clause(sheets: Sheets) -> None:
    lines = [
        "Замечания направляют в порядке, который установлен настоящим документом в разделах 14 и в частях",
        "11.43 и 11.45 того же раздела, одним из следующих способов, по выбору заявителя и без пошлины.",
    ]
    for line in lines:
        sheets.line(line)
    assert texts(sheets.read()) == [" ".join(lines)]


@pytest.mark.parametrize("end", [",", ";", ""])
def test_items_of_a_list_whatever_they_end_with(sheets: Sheets, end: str) -> None:
    items = [f"- {name}{end}" for name in ("удалённый заказ", "виртуальная служба", "читальный зал")]
    sheets.paragraph(OTHER)
    for item in items:
        sheets.line(item, x=LEFT + 20)
    assert texts(sheets.read(), ElementKind.LIST_ITEM) == items


def test_lines_that_hang_below_their_text_belong_to_the_number(sheets: Sheets) -> None:
    for number in ("1.1:", "[2]", "а)"):
        sheets.line(number)
        sheets.line("Требования к обеспечению безопасности зданий и сооружений", x=LEFT + 25, y=sheets.y - 13)
        sheets.line("и к их содержанию;", x=LEFT + 25)
    assert [text.split()[0] for text in texts(sheets.read())] == ["1.1:", "[2]", "а)"]


def test_a_paragraph_goes_on_past_the_imprint_of_a_page(sheets: Sheets) -> None:
    sheets.paragraph(OTHER)
    sheets.paragraph(f"{HEAD} иссле-")
    sheets.line("Издание официальное", y=700, size=8)
    sheets.page()
    sheets.paragraph(f"дований и {TAIL}", indent=0)
    sheets.paragraph(f"Иное. {OTHER}")
    document = sheets.read()
    assert texts(document)[1] == f"{HEAD} исследований и {TAIL}"
    assert (document.elements[1].page_from, document.elements[1].page_to) == (1, 2)


def test_a_footnote_goes_on_at_the_foot_of_the_next_page(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    sheets.paragraph(OTHER)
    sheets.line("* Сноска, которую не удалось поместить на", y=770, size=8)
    sheets.page()
    sheets.paragraph(f"Далее. {LONG}")
    sheets.paragraph(OTHER)
    sheets.line("одной странице целиком.", y=757, size=8)
    sheets.line("** Другая сноска.", y=770, size=8)
    assert texts(sheets.read(), ElementKind.FOOTNOTE) == [
        "* Сноска, которую не удалось поместить на одной странице целиком.",
        "** Другая сноска.",
    ]


def test_a_starred_line_that_explains_a_word_is_a_footnote_in_any_size(sheets: Sheets) -> None:
    sheets.paragraph(f"{OTHER[:-1]} по ГОСТ 6.38—90*.")
    sheets.skip(20)
    sheets.line("* На территории Российской Федерации действует ГОСТ Р 6.30—2003.", x=LEFT + 20)
    assert len(texts(sheets.read(), ElementKind.FOOTNOTE)) == 1


def test_starred_items_of_a_list_are_no_footnotes(sheets: Sheets) -> None:
    sheets.paragraph("К материалам относятся:")
    for name in ("бетон", "сталь", "дерево"):
        sheets.line(f"* {name}", x=LEFT + 20)
    assert len(texts(sheets.read(), ElementKind.LIST_ITEM)) == 3


def test_a_full_stop_behind_a_drawn_formula_is_no_paragraph(sheets: Sheets) -> None:
    sheets.paragraph("Результат вычисляют по приведённой выше зависимости")
    sheets.line(".", y=sheets.y + 6)
    sheets.y += 20
    sheets.paragraph(OTHER)
    found = texts(sheets.read())
    assert found[0].startswith("Результат")
    assert found[1:] == [OTHER]


def test_the_parts_of_a_formula_are_one_element_with_its_number(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    sheets.skip(14)
    y = sheets.y
    sheets.line("ρ =", x=250, y=y)
    sheets.line("m", x=271, y=y - 6)
    sheets.line("V", x=271, y=y + 6)
    sheets.line("(3.1)", x=500, y=y)
    sheets.y += 26
    sheets.line("где m — масса образца, кг;", x=LEFT)
    found = texts(sheets.read())
    assert found[0] == LONG
    assert sorted(found[1].split()) == sorted(["ρ", "=", "m", "V", "(3.1)"])
    assert found[2] == "где m — масса образца, кг;"


def test_a_number_of_a_formula_takes_no_text_from_the_next_page(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    sheets.skip(20)
    sheets.line("(2)", x=500)
    sheets.page()
    sheets.line("где m — масса образца, кг;")
    sheets.paragraph(OTHER)
    assert "(2)" in texts(sheets.read())


def test_a_large_title_with_a_line_as_wide_as_the_page_is_one(sheets: Sheets) -> None:
    lines = [
        "СИСТЕМА СТАНДАРТОВ",
        "ПО ИНФОРМАЦИИ, БИБЛИОТЕЧНОМУ",
        "И ИЗДАТЕЛЬСКОМУ ДЕЛУ ДЛЯ ВСЕХ ОРГАНИЗАЦИЙ",
        "ПРАВИЛА СОСТАВЛЕНИЯ",
    ]
    for line in lines:
        sheets.centered(line, size=18)
    sheets.skip(300)
    sheets.paragraph(LONG, x=LEFT + 20)
    sheets.paragraph(OTHER, x=LEFT + 20)
    assert element(sheets.read(), "СИСТЕМА").end == len(" ".join(lines))


def test_an_indented_quotation_is_one_paragraph(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    sheets.skip(8)
    sheets.paragraph(OTHER, x=LEFT + 40, right=RIGHT - 40, indent=0)
    sheets.skip(8)
    sheets.paragraph(f"Иное. {LONG}")
    assert texts(sheets.read()) == [LONG, OTHER, f"Иное. {LONG}"]


def test_a_caption_s_name_in_mid_sentence_is_no_caption(sheets: Sheets) -> None:
    sheets.line(
        "Номер иллюстрации состоит из номера раздела и порядкового номера иллюстрации, см. также", x=LEFT + 20
    )
    sheets.line(
        "образец, который приведён на странице с размерами и с пояснениями к нему. Например, так —", x=LEFT
    )
    sheets.line("Рисунок 1.1.")
    assert len(texts(sheets.read())) == 1


def test_paragraphs_whose_lines_hang_below_the_first(sheets: Sheets) -> None:
    entries = [
        (
            "Иванов И. И. Основы расчёта конструкций зданий и сооружений на прочность и на устойчивость",
            "при пожаре. М., 2005.",
        ),
        (
            "Петров П. П. Общие правила производства работ на площадке строительства, которые изложены",
            "по главам. М., 2006.",
        ),
    ]
    for first, second in entries:
        sheets.line(first, size=9)
        sheets.line(second, x=LEFT + 20, size=9)
    assert texts(sheets.read()) == [" ".join(entry) for entry in entries]


def test_lines_set_wider_than_in_the_notes_are_one_paragraph(sheets: Sheets) -> None:
    for text in (LONG, OTHER, LONG):
        start, words = LEFT + 20, text.split(" ")
        for row in (words[i : i + 8] for i in range(0, len(words), 8)):
            sheets.line(" ".join(row), x=start)
            sheets.skip(8)
            start = LEFT
    for number in range(1, 9):
        sheets.paragraph(f"{number} {OTHER}", size=7, indent=0)
    assert texts(sheets.read())[:3] == [LONG, OTHER, LONG]


def test_a_word_cut_at_a_line_end_is_joined_whatever_the_type(sheets: Sheets) -> None:
    sheets.line("Анализ и обобщение материалов гид-", bold=True)
    sheets.line("рометеорологической изученности территории.")
    assert texts(sheets.read()) == [
        "Анализ и обобщение материалов гидрометеорологической изученности территории."
    ]
