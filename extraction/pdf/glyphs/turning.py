"""Turns text that reads at an angle upright, and its place back again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from extraction.pdf.glyphs.lines import build_pieces
from extraction.pdf.layout import Glyph, Line
from rubrica.model import BBox

# Text that leans less than this is level: scans are never quite straight.
_LEVEL = 0.12
# Near 45 degrees the box of a glyph does not tell its width; letters are half as wide as high.
_LETTER = (0.47, 0.94)


def angle_of(matrix: Sequence[float]) -> int:
    """The direction of text with this matrix in degrees, counter-clockwise; what is mirrored is level."""
    a, b, _, d = matrix[:4]
    if abs(b) <= _LEVEL * abs(a):
        return 180 if a < 0 and d < 0 else 0
    if abs(a) <= _LEVEL * abs(b):
        return 90 if b > 0 else 270
    return round(math.degrees(math.atan2(b, a))) % 360


def turn_upright(glyph: Glyph, angle: int) -> Glyph:
    """Turn a glyph that reads at an angle, with the page about its origin, until it is upright.

    Args:
        glyph: A glyph with its box on the page.
        angle: Its direction in degrees, counter-clockwise.
    """
    cos, sin = _cos_sin(angle)
    x, y = (glyph.x0 + glyph.x1) / 2, (glyph.top + glyph.bottom) / 2
    width, height = _extent(glyph.x1 - glyph.x0, glyph.bottom - glyph.top, abs(cos), abs(sin))
    u, v = x * cos - y * sin, x * sin + y * cos
    return Glyph(glyph.text, u - width / 2, v - height / 2, u + width / 2, v + height / 2, height, glyph.bold)


def _cos_sin(angle: int) -> tuple[float, float]:
    radians = math.radians(angle)
    return round(math.cos(radians), 9), round(math.sin(radians), 9)


def _extent(across: float, down: float, cos: float, sin: float) -> tuple[float, float]:
    """Width and height of a glyph whose box is ``across`` wide and ``down`` high when it is turned."""
    square = cos * cos - sin * sin
    if abs(square) < _LEVEL:
        return across * _LETTER[0], across * _LETTER[1]
    return max((across * cos - down * sin) / square, 0.0), max((down * cos - across * sin) / square, 0.1)


def turned_lines(glyphs: Iterable[tuple[int, Sequence[Glyph]]], page: int) -> Iterator[Line]:
    """The lines that read at an angle, with their boxes on the page.

    Args:
        glyphs: Angles in degrees, each with its glyphs, turned upright.
        page: Page number.
    """
    for angle, turned in glyphs:
        for line in build_pieces(turned, page):
            x0, top, x1, bottom = _turn_back((line.x0, line.top, line.x1, line.bottom), angle)
            yield replace(line, x0=x0, top=top, x1=x1, bottom=bottom)


def _turn_back(box: BBox, angle: int) -> BBox:
    cos, sin = _cos_sin(angle)
    x0, top, x1, bottom = box
    corners = [(u * cos + v * sin, v * cos - u * sin) for u in (x0, x1) for v in (top, bottom)]
    xs, ys = zip(*corners, strict=True)
    return (min(xs), min(ys), max(xs), max(ys))
