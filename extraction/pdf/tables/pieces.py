"""Cuts pieces of lines where they reach over several columns of a table."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

from extraction.pdf.glyphs.lines import build_rows
from extraction.pdf.layout import Glyph, Line
from extraction.pdf.tables.values import is_number, is_value

_SPACE = 0.12
_WIDER = 1.3
_LEAST = 0.3


class Splitter:
    """Cuts pieces, by the glyphs that they are made of."""

    def __init__(self, glyphs: Iterable[Glyph], page: int) -> None:
        self._glyphs = sorted(glyphs, key=lambda g: g.top + g.bottom)
        self._heights = [(g.top + g.bottom) / 2 for g in self._glyphs]
        self._page = page

    def values(self, row: Sequence[Line]) -> list[Line]:
        """The pieces of a row; one that holds several values is cut between them."""
        return [part for line in row for part in self._values(line)]

    def _values(self, line: Line) -> list[Line]:
        words = line.text.split(" ")
        if len(words) < 2 or not all(map(is_value, words)) or not any(map(is_number, words)):
            return [line]
        glyphs = self._of(line)
        gaps = self._gaps(glyphs)
        wide = [(start + end) / 2 for start, end in gaps if end - start >= 0.45 * line.size]
        return self._cut(glyphs, wide) if wide else [line]

    def between(
        self, line: Line, borders: Sequence[tuple[float, float]], *, loosely: bool = False
    ) -> list[Line]:
        """The parts of a piece, cut at its widest space between each two bounds; whole if it has none.

        Args:
            line: The piece.
            borders: Stretches of x that each must hold a cut.
            loosely: Whether a space as wide as those between words will do.
        """
        glyphs = self._of(line)
        gaps = self._gaps(glyphs)
        if not gaps or not borders:
            return [line]
        usual = sorted(end - start for start, end in gaps)[len(gaps) // 2]
        least = _SPACE * line.size if loosely else max(_LEAST * line.size, _WIDER * usual)
        cuts = []
        for low, high in borders:
            inside = [
                (end - start, (start + end) / 2) for start, end in gaps if low <= (start + end) / 2 <= high
            ]
            if not inside or max(inside)[0] < least:
                return [line]
            cuts.append(max(inside)[1])
        return self._cut(glyphs, cuts)

    def _of(self, line: Line) -> list[Glyph]:
        """The glyphs of a piece, from left to right."""
        low, high = bisect_left(self._heights, line.top), bisect_right(self._heights, line.bottom)
        inside = (g for g in self._glyphs[low:high] if line.x0 - 0.1 <= (g.x0 + g.x1) / 2 <= line.x1 + 0.1)
        return sorted((g for g in inside if not g.text.isspace()), key=lambda g: g.x0)

    @staticmethod
    def _gaps(glyphs: Sequence[Glyph]) -> list[tuple[float, float]]:
        return [(a.x1, b.x0) for a, b in pairwise(glyphs) if b.x0 - a.x1 > _SPACE * b.size]

    def _cut(self, glyphs: Sequence[Glyph], cuts: Sequence[float]) -> list[Line]:
        parts: list[list[Glyph]] = [[] for _ in range(len(cuts) + 1)]
        ordered = sorted(cuts)
        for glyph in glyphs:
            parts[bisect_left(ordered, (glyph.x0 + glyph.x1) / 2)].append(glyph)
        return [line for part in parts for line in build_rows(part, self._page)]
