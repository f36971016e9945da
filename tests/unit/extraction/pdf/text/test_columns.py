"""E08: columns are read one after the other, never across."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.pdf.layout import Line, PageLayout
from extraction.pdf.text.columns import reading_order
from rubrica.model import ElementKind
from tests.unit.extraction.pdf.drawing import LEFT, Sheets, texts
from tests.unit.extraction.pdf.prose import LONG, OTHER

THREE = (LEFT, 225.0, 380.0)


def _columns(sheets: Sheets, columns: Sequence[Sequence[str]], xs: Sequence[float], width: float) -> None:
    """Draw columns of paragraphs side by side."""
    start = sheets.y
    ends = []
    for x, paragraphs in zip(xs, columns, strict=True):
        sheets.y = start
        for text in paragraphs:
            sheets.paragraph(text, x=x, right=x + width, indent=12)
        ends.append(sheets.y)
    sheets.y = max(ends)


def test_three_columns_are_read_one_after_the_other(sheets: Sheets) -> None:
    columns = [[f"{name} {LONG}", OTHER] for name in ("Первое.", "Второе.", "Третье.")]
    _columns(sheets, columns, THREE, 140)
    assert texts(sheets.read()) == [text for column in columns for text in column]


def test_a_large_heading_in_one_column_takes_no_line_of_the_next(sheets: Sheets) -> None:
    start = sheets.y
    sheets.paragraph(LONG, right=200, indent=0)
    sheets.line("Общие сведения", size=17)
    sheets.y += 6
    sheets.paragraph(OTHER, right=200, indent=0)
    sheets.y = start
    sheets.paragraph(f"{OTHER} {LONG} {OTHER}", x=212, right=350, indent=0)
    found = texts(sheets.read())
    assert found == [LONG, "Общие сведения", OTHER, f"{OTHER} {LONG} {OTHER}"]


def test_a_column_of_lists_and_formulas_beside_running_text(sheets: Sheets) -> None:
    _columns(sheets, [[LONG, OTHER, LONG]], [LEFT], 210)
    sheets.y = 84
    sheets.line("2 Требования", x=315, bold=True)
    for text in ("Сумма не больше числа", "a = b + c", "Перечень таков:"):
        sheets.line(text, x=315)
    for text in ("• бетон и железобетон;", "• сталь конструкционная;", "• дерево клеёное."):
        sheets.line(text, x=325)
    sheets.paragraph(OTHER, x=315, indent=0)
    found = texts(sheets.read())
    assert found[:3] == [LONG, OTHER, LONG]
    assert found[3] == "2 Требования"
    assert found[-1] == OTHER


def test_the_last_page_with_a_short_right_column(sheets: Sheets) -> None:
    _columns(sheets, [[LONG, OTHER, LONG, OTHER], [f"Итак. {OTHER}"]], [LEFT, 315], 210)
    assert texts(sheets.read()) == [LONG, OTHER, LONG, OTHER, f"Итак. {OTHER}"]


def test_headings_at_the_side_are_read_with_their_text(sheets: Sheets) -> None:
    for name, text in (("Назначение и цели", LONG), ("Состав работ", OTHER), ("Порядок сдачи", LONG)):
        start = sheets.y
        sheets.line(name)
        sheets.line("свода правил")
        sheets.y = start
        sheets.paragraph(text, x=230, indent=0)
        sheets.y += 20
    found = texts(sheets.read())
    assert [text[:10] for text in found if text.startswith(("Назначение", "Состав", "Порядок"))] == [
        "Назначение",
        "Состав раб",
        "Порядок сд",
    ]
    assert found.index(LONG) < next(i for i, text in enumerate(found) if text.startswith("Состав"))


def test_a_date_above_the_columns_is_read_before_them(sheets: Sheets) -> None:
    sheets.centered("ИНЖЕНЕРНЫЕ ИЗЫСКАНИЯ ДЛЯ СТРОИТЕЛЬСТВА ЗДАНИЙ И СООРУЖЕНИЙ", bold=True)
    sheets.y += 12
    sheets.line("Дата введения 1996-11-01", x=400)
    sheets.y += 24
    _columns(sheets, [[LONG, OTHER], [f"Иное. {LONG}", OTHER]], [LEFT, 315], 210)
    found = texts(sheets.read())
    assert found[1:] == ["Дата введения 1996-11-01", LONG, OTHER, f"Иное. {LONG}", OTHER]


def test_justified_lines_with_wide_spaces_are_no_columns(sheets: Sheets) -> None:
    words = f"{LONG} {OTHER}".replace(",", "").replace(".", "").split()
    rows = [words[i : i + 6] for i in range(0, 60, 6)]
    for row in rows:
        widths = [sheets.canvas.stringWidth(word, "Regular", 10) for word in row]
        gap = (455 - sum(widths)) / (len(row) - 1)
        x, y = LEFT, sheets.y
        for word, width in zip(row, widths, strict=True):
            sheets.line(word, x=x, y=y)
            x += width + gap
        sheets.y += 13
    assert sheets.read().text.split() == words[:60]


def test_rows_of_values_are_read_across(sheets: Sheets) -> None:
    _columns(sheets, [[LONG, OTHER], [f"Иное. {LONG}", OTHER]], [LEFT, 315], 210)
    sheets.y += 20
    for row in range(4):
        y = sheets.y
        for column in range(8):
            sheets.line(f"{row}{column},5", x=LEFT + 58 * column, y=y)
        sheets.y += 13
    text = sheets.read().text
    for row in range(4):
        cells = [text.index(f"{row}{column},5") for column in range(8)]
        assert cells == sorted(cells)
        assert cells[-1] - cells[0] < 80


def test_a_drop_cap_opens_its_paragraph(sheets: Sheets) -> None:
    sheets.line("Н", y=108, size=38)
    cap = sheets.canvas.stringWidth("Н", "Regular", 38) + 3
    sheets.y = 88
    words = LONG[1:].split(" ")
    for start, end, x in ((0, 7, LEFT + cap), (7, 12, LEFT + cap), (12, 22, LEFT), (22, None, LEFT)):
        sheets.line(" ".join(words[start:end]), x=x)
    found = texts(sheets.read())
    assert found[0].startswith("Настоящий свод правил")
    assert "Н" not in [text.strip() for text in found]


def test_a_caption_between_columns_and_a_table_of_values(sheets: Sheets) -> None:
    _columns(sheets, [[LONG, OTHER], [f"Иное. {LONG}", OTHER]], [LEFT, 315], 210)
    sheets.centered("Рисунок 1 — Схема расположения скважин на площадке строительства здания")
    _columns(sheets, [[f"Далее. {LONG}"], [f"Затем. {OTHER} {OTHER}"]], [LEFT, 315], 210)
    document = sheets.read()
    assert texts(document, ElementKind.CAPTION) == [
        "Рисунок 1 — Схема расположения скважин на площадке строительства здания"
    ]
    assert texts(document)[-2:] == [f"Далее. {LONG}", f"Затем. {OTHER} {OTHER}"]


lines = st.builds(
    lambda x, y, width, size, letters: Line(
        "а" * letters, 1, x, y, x + width, y + size, size, letters, 0, min(width, 20.0)
    ),
    st.floats(0, 500),
    st.floats(0, 800),
    st.floats(1, 400),
    st.floats(4, 30),
    st.integers(1, 60),
)


@settings(max_examples=60)
@given(st.lists(lines, max_size=40))
def test_every_line_is_read_once(pieces: list[Line]) -> None:
    frames = reading_order(PageLayout(1, 600, 850, tuple(pieces)))
    read = "".join(box.text for frame in frames for box in frame.boxes).replace(" ", "")
    assert len(read) == sum(len(piece.text) for piece in pieces)


@pytest.mark.parametrize("count", [300])
def test_many_equal_pieces_are_read(count: int) -> None:
    piece = Line("а", 1, 100, 100, 106, 110, 10, 1, 0, 6)
    frames = reading_order(PageLayout(1, 600, 850, (piece,) * count))
    assert sum(box.text.count("а") for frame in frames for box in frame.boxes) == count
