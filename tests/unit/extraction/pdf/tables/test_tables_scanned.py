"""Tables in pictures of pages that carry a text layer."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest
from PIL import Image, ImageDraw
from reportlab.lib.utils import ImageReader

from extraction.pdf.tables.picture_rules import find_rules
from rubrica.model import ElementKind
from tests.unit.extraction.pdf.drawing import LEFT, Sheets, texts
from tests.unit.extraction.pdf.prose import LONG, OTHER

_SCALE = 3  # pixels a point
XS = [LEFT, 230.0, 330.0, 430.0]
YS = [200.0, 240.0, 280.0, 320.0, 360.0]


def scan(sheets: Sheets, rules: Sequence[tuple[float, float, float, float]]) -> None:
    """Put a picture with rules under the page."""
    image = Image.new("L", (595 * _SCALE, 842 * _SCALE), 255)
    draw = ImageDraw.Draw(image)
    for rule in rules:
        draw.line([value * _SCALE for value in rule], fill=0, width=2)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    buffer.seek(0)
    sheets.canvas.drawImage(ImageReader(buffer), 0, 0, 595, 842)


def test_rules_of_a_scanned_table_are_found_in_its_picture(sheets: Sheets) -> None:
    across = [(XS[0], y, XS[-1], y) for y in YS]
    upright = [(x, YS[0] if i in (0, 1, 3) else YS[1], x, YS[-1]) for i, x in enumerate(XS)]
    scan(sheets, [*across, *upright])
    sheets.y = 100
    sheets.paragraph(LONG)
    rows = (
        ("Условия измерений", "Погрешность, мм", ""),
        ("", "на станции", "в ходе"),
        ("Высота луча, м", "0,2", "0,3"),
        ("Длина луча, м", "40", "50"),
    )
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            if text:
                sheets.line(text, x=XS[c] + 5, y=YS[r] + 25, size=9)
    sheets.y = 400
    sheets.paragraph(OTHER)
    document = sheets.read()
    (table,) = [e for e in document.elements if e.kind is ElementKind.TABLE]
    assert table.rows[0] == ("Условия измерений", "Погрешность, мм", "Погрешность, мм")
    assert table.rows[2:] == (("Высота луча, м", "0,2", "0,3"), ("Длина луча, м", "40", "50"))
    assert texts(document, ElementKind.PARAGRAPH) == [LONG, OTHER]


def test_a_drawing_in_a_scan_is_no_table(sheets: Sheets) -> None:
    scan(sheets, [(100, y, 300, y) for y in (200, 240, 300)] + [(x, 200, x, 300) for x in (100, 180, 300)])
    for x, y, text in ((110, 220, "1"), (200, 225, "—"), (210, 280, "h"), (120, 270, "•")):
        sheets.line(text, x=x, y=y, size=9)
    for i in range(4):
        sheets.line("слева", x=LEFT, y=400 + 14 * i)
        sheets.line("справа", x=400, y=400 + 14 * i)
    assert not [e for e in sheets.read().elements if e.kind is ElementKind.TABLE]


def test_rules_are_found_in_pixels() -> None:
    image = Image.new("L", (400, 300), 255)
    draw = ImageDraw.Draw(image)
    draw.line([20, 50, 380, 52], fill=0, width=2)  # a little askew
    draw.line([20, 120, 180, 120], fill=90, width=2)
    draw.line([190, 120, 380, 120], fill=90, width=2)  # a gap in print
    draw.line([100, 50, 100, 250], fill=0, width=2)
    draw.rectangle([200, 150, 300, 250], fill=0)  # a black picture
    rules = find_rules(image, 1.0)
    across = [(round(r.at), round(r.start), round(r.end)) for r in rules if r.horizontal]
    assert [at for at, _, _ in across] == pytest.approx([51, 120], abs=1)
    assert across[1][1] <= 21
    assert across[1][2] >= 379
    (upright,) = [rule for rule in rules if not rule.horizontal]
    assert (upright.at, upright.start) == pytest.approx((100, 50), abs=1.5)


def test_a_short_rule_between_two_long_ones_counts() -> None:
    image = Image.new("L", (400, 100), 255)
    draw = ImageDraw.Draw(image)
    for y in (20, 34):
        draw.line([20, y, 380, y], fill=0, width=2)
    draw.line([150, 20, 150, 34], fill=0, width=2)
    assert [r.at for r in find_rules(image, 1.0) if not r.horizontal] == pytest.approx([150], abs=1)
