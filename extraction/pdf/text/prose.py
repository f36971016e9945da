"""Tells running text from lists of values, by how its lines fill their column."""

from __future__ import annotations

from collections.abc import Sequence

from extraction.pdf.layout import Line

MIN_SHARE = 0.2
MIN_LETTERS = 12
# Shares of the lines of a column.
_FULL = 0.7
_FILLED = 0.5
_FILLED_TEXT = 0.65
_WORDS = 0.35
_MIXED_LINES = 8
# A wider space than this, in font sizes, parts values rather than words.
_TORN = 2.5


def count_letters(line: Line) -> int:
    """How many letters a line has."""
    return sum(char.isalpha() for char in line.text)


def is_prose(lines: Sequence[Line], width: float) -> bool:
    """Whether lines fill a column of their own, as running text does and a list of values does not."""
    full = full_width(lines)
    letters = [count_letters(line) for line in lines]
    if full < MIN_SHARE * width or sorted(letters)[len(letters) // 2] < MIN_LETTERS:
        return False
    filling = [line.width >= _FULL * full and line.gap <= _TORN for line in lines]
    text = sum(count for count, fills in zip(letters, filling, strict=True) if fills) / sum(letters)
    return sum(filling) >= _FILLED * len(lines) or text >= _FILLED_TEXT


def full_width(lines: Sequence[Line]) -> float:
    """Width of full lines, but for a few that are wider."""
    widths = sorted(line.width for line in lines)
    return widths[int(0.9 * (len(widths) - 1))]


def is_mixed(lines: Sequence[Line], width: float) -> bool:
    """Whether lines make a column of formulas, lists and short paragraphs."""
    words = sum(count_letters(line) >= MIN_LETTERS and line.gap <= _TORN for line in lines)
    wide = full_width(lines) >= MIN_SHARE * width
    return wide and len(lines) >= _MIXED_LINES and words >= _WORDS * len(lines)
