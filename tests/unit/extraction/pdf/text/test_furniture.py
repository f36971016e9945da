"""E15: running headers, footers and page numbers go; what merely repeats stays."""

from __future__ import annotations

from tests.unit.extraction.pdf.drawing import LEFT, RIGHT, Sheets, texts
from tests.unit.extraction.pdf.prose import LONG, OTHER

WORDS = f"{LONG} {OTHER}".replace(".", "").split()
# Pages with no line in common.
BODIES = [f"{n}.1 И {' '.join(WORDS[n * 7 : n * 7 + 30])}." for n in range(1, 6)]


def test_headers_footers_and_page_numbers_go_from_every_page(sheets: Sheets) -> None:
    for number, body in enumerate(BODIES, start=1):
        sheets.line("СП 47.13330.2016", y=40, size=9)
        sheets.line("Инженерные изыскания", x=LEFT + 200, y=40, size=9)
        sheets.paragraph(body)
        sheets.line(f"Страница {number} из {len(BODIES)}", y=800, size=9)
        sheets.page()
    assert texts(sheets.read()) == BODIES


def test_left_and_right_pages_alternate(sheets: Sheets) -> None:
    for number, body in enumerate(BODIES, start=3):
        if number % 2:
            sheets.line(f"СНиП 3.01.03-84 С. {number}", x=RIGHT - 100, y=40, size=9)
        else:
            sheets.line(f"С. {number} СНиП 3.01.03-84", y=40, size=9)
        sheets.line(str(number), x=LEFT if number % 2 == 0 else RIGHT - 10, y=800, size=9)
        sheets.paragraph(body)
        sheets.page()
    assert texts(sheets.read()) == BODIES


def test_roman_page_numbers_of_the_front_matter_go_too(sheets: Sheets) -> None:
    for number, body in zip(("II", "III", "IV", "1", "2"), BODIES, strict=True):
        sheets.paragraph(body)
        sheets.line(number, x=LEFT + 220, y=800, size=9)
        sheets.page()
    assert texts(sheets.read()) == BODIES


def test_a_single_page_keeps_its_text(sheets: Sheets) -> None:
    sheets.line("СП 47.13330.2016", y=40, size=9)
    sheets.paragraph(LONG)
    sheets.line("Страница 1 из 1", y=800, size=9)
    assert texts(sheets.read()) == ["СП 47.13330.2016", LONG, "Страница 1 из 1"]


def test_copies_of_a_page_keep_their_text(sheets: Sheets) -> None:
    for _ in range(3):
        sheets.paragraph(LONG)
        sheets.paragraph(OTHER)
        sheets.page()
    assert texts(sheets.read()) == [LONG, OTHER] * 3


def test_captions_at_the_top_of_pages_are_no_headers(sheets: Sheets) -> None:
    for number, body in enumerate(BODIES, start=1):
        sheets.line(f"Таблица {number}", y=40)
        sheets.paragraph(body)
        sheets.page()
    found = texts(sheets.read())
    assert [text for text in found if text.startswith("Таблица")] == [f"Таблица {n}" for n in range(1, 6)]


def test_a_paragraph_goes_on_past_header_and_footer(sheets: Sheets) -> None:
    head, tail = LONG[: LONG.index(" проектной")], LONG[LONG.index("проектной") :]
    pages = [[OTHER, head], [tail, BODIES[0]], [BODIES[1]], [BODIES[2]]]
    for number, page in enumerate(pages, start=1):
        sheets.line("ГОСТ 2.105—95", y=40, size=9)
        for part in page:
            sheets.paragraph(part, indent=0 if part is tail else 20)
        sheets.line(str(number), y=800, size=9)
        sheets.page()
    assert texts(sheets.read()) == [OTHER, LONG, *BODIES[:3]]


def _numbered(sheets: Sheets, headers: list[str], footers: list[str]) -> list[str]:
    """Read pages with these headers and footers; page 1 is the first."""
    for header, footer, body in zip(headers, footers, PAGES, strict=True):
        if header:
            sheets.line(header, y=40, size=9)
        sheets.paragraph(body)
        if footer:
            sheets.line(footer, y=800, size=9)
        sheets.page()
    return texts(sheets.read())


PAGES = [f"{n}.1 И {' '.join(WORDS[n * 5 : n * 5 + 30])} документации." for n in range(1, 9)]
TITLES = ["Область", "Ссылки", "Термины", "Изыскания", "Съёмка", "Расчёт", "Отчёт", "Приёмка"]


def test_headers_with_the_titles_of_sections_go(sheets: Sheets) -> None:
    headers = [f"{n + 10} {title} и требования" for n, title in enumerate(TITLES)]
    assert _numbered(sheets, headers, [""] * 8) == PAGES


def test_headers_without_numbers_that_change_by_section_go(sheets: Sheets) -> None:
    headers = [f"Раздел о том, что есть {TITLES[n // 2]}" for n in range(8)]
    assert _numbered(sheets, headers, [""] * 8) == PAGES


def test_the_mark_of_a_printed_sheet_goes_with_the_page_number(sheets: Sheets) -> None:
    for number, body in enumerate(PAGES, start=5):
        sheets.paragraph(body)
        if number == 8:
            sheets.line("9—1—1924", y=800, size=8)
        sheets.line(str(number), x=500, y=800, size=9)
        sheets.page()
    assert texts(sheets.read()) == PAGES


def test_the_first_page_may_have_a_header_of_its_own(sheets: Sheets) -> None:
    headers = ["ГОСУДАРСТВЕННЫЙ СТАНДАРТ", *["ГОСТ 2.105—95"] * 7]
    assert _numbered(sheets, headers, [f"Стр. {n}" for n in range(1, 9)]) == [headers[0], *PAGES]


def test_a_document_of_two_pages_loses_what_both_have(sheets: Sheets) -> None:
    for number, body in enumerate(PAGES[:2], start=1):
        sheets.line("ООО «Изыскатель»", y=40, size=9)
        sheets.paragraph(body)
        sheets.line(f"{number} из 2", y=800, size=9)
        sheets.page()
    assert texts(sheets.read()) == PAGES[:2]


def test_blocks_of_three_lines_above_and_below_go_e15(sheets: Sheets) -> None:
    for number, body in enumerate(PAGES, start=1):
        for row, text in enumerate(
            ("«ГОСТ 7.32-2017. Межгосударственный", "стандарт. Система стандартов»", "(введён)")
        ):
            sheets.line(text, y=30 + 11 * row, size=8)
        sheets.line("Документ предоставлен", x=400, y=36, size=8)
        sheets.paragraph(body)
        sheets.line("КонсультантПлюс", y=790, size=11)
        sheets.line(f"Страница {number} из 28", x=430, y=790, size=8)
        sheets.line("надёжная правовая поддержка", y=801, size=7)
        sheets.page()
    assert texts(sheets.read()) == PAGES


def test_a_clause_that_several_pages_open_with_stays(sheets: Sheets) -> None:
    for body in PAGES[:5]:
        sheets.line("Примечание — Требования настоящего раздела обязательны для всех организаций.")
        sheets.paragraph(body)
        sheets.page()
    assert sheets.read().text.count("Примечание") == 5


def test_titles_of_parts_at_the_top_of_pages_stay(sheets: Sheets) -> None:
    for number, body in enumerate(PAGES, start=1):
        sheets.line(f"Приложение {number}", y=40)
        sheets.skip(10)
        sheets.paragraph(body)
        sheets.page()
    assert sheets.read().text.count("Приложение") == 8


def test_a_watermark_in_the_middle_of_pages_goes(sheets: Sheets) -> None:
    for body in PAGES[:4]:
        sheets.paragraph(body)
        sheets.line("КОПИЯ ВЕРНА", x=150, y=420, size=44)
        sheets.page()
    assert texts(sheets.read()) == PAGES[:4]


def test_numbers_of_lines_in_the_margin_go(sheets: Sheets) -> None:
    words = iter(WORDS * 3)
    expected = []
    for number in range(1, 21):
        text = " ".join(next(words) for _ in range(4))
        expected.append(text)
        sheets.line(str(number), x=LEFT - 30, y=sheets.y)
        sheets.line(text)
    assert sheets.read().text.split() == " ".join(expected).split()


def test_a_column_of_few_numbers_stays(sheets: Sheets) -> None:
    for number in range(1, 9):
        sheets.line(str(number), x=LEFT, y=sheets.y)
        sheets.line(f"позиция {WORDS[number]}", x=LEFT + 60)
    assert [word for word in sheets.read().text.split() if word.isdecimal()] == list("12345678")


def test_notes_on_amendments_stay_though_they_stand_at_the_edge_of_many_pages(sheets: Sheets) -> None:
    for number, body in enumerate(PAGES, start=1):
        note = "(в ред. Федерального закона от {}.05.2013 N {}-ФЗ)"
        sheets.line(note.format(10 + number, 100 + 7 * number), y=40)
        sheets.paragraph(body)
        sheets.line(note.format(20 + number, 200 + 9 * number), y=400)
        sheets.page()
    assert sheets.read().text.count("(в ред. Федерального закона от") == 2 * len(PAGES)


def test_page_numbers_go_where_bare_numbers_stand_in_the_text_too(sheets: Sheets) -> None:
    for number, body in enumerate(PAGES, start=1):
        sheets.paragraph(body)
        sheets.skip(200)
        sheets.line(str(number + 40), x=LEFT + 200)
        sheets.line(str(number), x=LEFT + 220, y=800, size=9)
        sheets.page()
    assert [text for text in texts(sheets.read()) if text.isdecimal()] == [str(n + 40) for n in range(1, 9)]


def test_a_note_that_stands_under_many_clauses_stays_at_the_top_of_pages(sheets: Sheets) -> None:
    for number, body in enumerate(PAGES, start=1):
        sheets.line(f"(в ред. Федерального закона от {number}.12.2020 N {number + 400}-ФЗ)", y=60)
        sheets.skip(10)
        sheets.paragraph(body)
        sheets.skip(100)
        sheets.line(f"(в ред. Федерального закона от {number}.11.2021 N {number + 300}-ФЗ)")
        sheets.page()
    assert sheets.read().text.count("в ред.") == 16
