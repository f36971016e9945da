"""E02, E04, E05: lost, strange, raised and slanted characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from extraction.pdf.glyphs.characters import clean_characters
from extraction.pdf.glyphs.lines import build_pieces
from extraction.pdf.glyphs.symbols import to_unicode
from tests.unit.extraction.pdf.drawing import LEFT, Sheets, texts
from tests.unit.extraction.pdf.prose import LONG, OTHER


def _chars(glyphs: Sequence[tuple[str, float]]) -> list[dict[str, Any]]:
    """Characters of a line, each with its width, as pdfplumber gives them."""
    chars, x = [], 100.0
    for text, width in glyphs:
        box = {"x0": x, "x1": x + width, "top": 100.0, "bottom": 110.0, "size": 10.0}
        chars.append({"text": text, "fontname": "Regular", "matrix": (1, 0, 0, 1, x, 700), **box})
        x += width
    return chars


@pytest.mark.parametrize(
    ("glyphs", "expected", "dropped"),
    [
        ([("e", 5), ("\x00", 8), ("c", 5), ("i", 3)], "eci", 0),
        ([("о", 5), ("(cid:12)", 6), ("а", 5)], "оа", 1),
        ([(":", 3), ("\x00", 2.5), ("2", 5)], ": 2", 0),
        ([("я", 5), ("(cid:3)", 2.5), ("и", 5)], "я и", 1),
        ([("а", 5), ("\u0007", 0), ("б", 5)], "аб", 0),
    ],
)
def test_lost_glyphs_are_dropped_and_tear_no_word(
    glyphs: list[tuple[str, float]], expected: str, dropped: int
) -> None:
    page = clean_characters(_chars(glyphs), (0, 0, 600, 800))
    assert [line.text for line in build_pieces(page.upright, 1)] == [expected]
    assert page.dropped == dropped


@pytest.mark.parametrize(
    ("text", "font", "expected"),
    [
        ("ﬁ", "ABCDEF+Regular", "fi"),
        ("\uf0b7", "ABCDEF+Symbol", "•"),
        ("\uf061", "SymbolMT", "α"),
        ("\uf0d8", "ABCDEF+Wingdings-Regular", "➢"),
        ("\uf0d8", "Symbol", "¬"),
        ("\uf0a7", "ArialMT", "▪"),
        ("\uf041\uf062", "ABCDEF+TimesNewRoman", "Ab"),
        ("Стена", "Symbol", "Стена"),
        ("\x93\x94\x97", "Regular", "“”—"),
    ],
)
def test_ligatures_and_symbols_of_fonts(text: str, font: str, expected: str) -> None:
    assert to_unicode(text, font) == expected


def test_ligatures_are_read_as_letters(sheets: Sheets) -> None:
    sheets.line("eﬃcient proﬁle")
    assert sheets.read().text == "efficient profile"


def test_words_too_small_to_see_are_not_read(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    sheets.line("купить дёшево", y=600, size=1.5)
    assert texts(sheets.read()) == [LONG]


def test_a_drawing_in_small_type_keeps_it(sheets: Sheets) -> None:
    for number in range(20):
        sheets.line(f"Помещение {number}", size=2)
    assert sheets.read().text.count("Помещение") == 20


@pytest.mark.parametrize(
    ("base", "mark", "rest", "expected"),
    [
        ("10", "2", " Па", "10² Па"),
        ("в 2010.", "9", " Около", "в 2010.⁹ Около"),
        ("порог,", "11", " далее", "порог,¹¹ далее"),
        ("12 м", "2", " пола", "12 м2 пола"),
    ],
)
def test_raised_numbers_make_no_other_number(
    sheets: Sheets, base: str, mark: str, rest: str, expected: str
) -> None:
    canvas, x = sheets.canvas, LEFT
    for text, size, rise in ((base, 10, 0), (mark, 6, 4), (rest, 10, 0)):
        sheets.line(text, x=x, y=100 - rise, size=size)
        x += canvas.stringWidth(text, "Regular", size)
    assert sheets.read().text == expected


def test_a_raised_number_opens_a_footnote(sheets: Sheets) -> None:
    sheets.paragraph(LONG)
    sheets.paragraph(OTHER)
    sheets.line("1", y=757, size=5)
    sheets.line("Сноска к слову документация.", x=LEFT + 3, y=760, size=8)
    assert texts(sheets.read())[-1] == "1 Сноска к слову документация."


def _slanted(sheets: Sheets, text: str, angle: float) -> None:
    sheets.canvas.saveState()
    sheets.canvas.translate(200, 300)
    sheets.canvas.rotate(angle)
    sheets.canvas.setFont("Regular", 40)
    sheets.canvas.drawString(0, 0, text)
    sheets.canvas.restoreState()


@pytest.mark.parametrize("angle", [30, 45, 60, 135, 180, 300])
def test_slanted_words_are_whole_and_beside_the_text(sheets: Sheets, angle: float) -> None:
    sheets.paragraph(LONG)
    _slanted(sheets, "ОБРАЗЕЦ", angle)
    assert texts(sheets.read()) == [LONG, "ОБРАЗЕЦ"]


def test_a_slanted_watermark_goes(sheets: Sheets) -> None:
    for number in range(3):
        sheets.paragraph(f"{number} {LONG}" if number else LONG)
        _slanted(sheets, "НЕ ДЛЯ ПЕЧАТИ", 45)
        sheets.page()
    assert "ПЕЧАТИ" not in sheets.read().text
