"""Recognised words as glyphs, so that they go the way of all text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from extraction.pdf.layout import Glyph
from extraction.pdf.reading.tesseract import RecognisedLine, mean_confidence

# Below this, in percent, a line is a stain or a part of a drawing.
_LEAST_CONFIDENCE = 40.0
# Font sizes are measured from pixels: those that differ less from the page's commonest are the same.
_SAME_SIZE = 0.15
_SPACE = 0.25  # of the font size; boxes of words may touch


def glyphs_of(lines: Sequence[RecognisedLine], scale: float, left: float, upper: float) -> Iterator[Glyph]:
    """Turn recognised lines into glyphs of equal width in each word.

    Args:
        lines: The lines of a page.
        scale: Pixels a point.
        left: Where the picture's left edge is on the page, in points.
        upper: Where its upper edge is.
    """
    certain = [line for line in lines if mean_confidence([line]) >= _LEAST_CONFIDENCE]
    common = _common_size(certain)
    for line in certain:
        size = common if abs(line.size - common) <= _SAME_SIZE * common else line.size
        for glyph in _line(line, size):
            yield Glyph(
                glyph.text,
                glyph.x0 / scale + left,
                glyph.top / scale + upper,
                glyph.x1 / scale + left,
                glyph.bottom / scale + upper,
                round(size / scale * 2) / 2,
                bold=False,
            )


def _common_size(lines: Sequence[RecognisedLine]) -> float:
    """The size of the line in the middle, by letters."""
    sizes = sorted((line.size, sum(len(word.text) for word in line.words)) for line in lines)
    half = sum(letters for _, letters in sizes) / 2
    for size, letters in sizes:
        half -= letters
        if half <= 0:
            return size
    return 0.0


def _line(line: RecognisedLine, size: float) -> Iterator[Glyph]:
    following = [*(word.x0 for word in line.words[1:]), math.inf]
    for word, after in zip(line.words, following, strict=True):
        end = max(min(word.x1, after - _SPACE * size), word.x0 + 1)
        step = (end - word.x0) / len(word.text)
        for i, char in enumerate(word.text):
            x = word.x0 + i * step
            yield Glyph(char, x, line.top, x + step, line.bottom, size, bold=False)
        if after < math.inf:
            yield Glyph(" ", end, line.top, after, line.bottom, size, bold=False)
