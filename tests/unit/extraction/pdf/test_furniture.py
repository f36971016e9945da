from __future__ import annotations

from tests.unit.extraction.pdf.drawing import LEFT, RIGHT, Sheets, texts
from tests.unit.extraction.pdf.test_text import LONG, OTHER

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
