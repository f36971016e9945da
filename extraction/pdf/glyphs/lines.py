"""Joins glyphs to words, pieces of lines and lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from extraction.pdf.glyphs.rows import group_rows, place_drop_caps
from extraction.pdf.glyphs.runs import BACKWARDS, SMALL, WORD_GAP, is_raised, lift, may_lift, reach, read_runs
from extraction.pdf.glyphs.spacing import tidy, write_words
from extraction.pdf.layout import Glyph, Line

__all__ = ["build_pieces", "build_rows", "group_rows", "merge_row", "merge_rows"]

# An index has no more characters than this.
_INDEX = 3
# Height of the bands in which neighbours of a run are looked for, and how many are looked at.
_BAND = 8.0
_MOST_BANDS = 30
_MOST_NEIGHBOURS = 24


def build_pieces(glyphs: Iterable[Glyph], page: int) -> list[Line]:
    """Join glyphs to pieces of lines; a wide gap separates two pieces of a row.

    Args:
        glyphs: Glyphs in the order of the file.
        page: Page number.

    Returns:
        The pieces, top to bottom, then left to right.
    """
    pieces = [merge_row(chain.lines) for chain in _link(read_runs(glyphs, page))]
    return sorted(pieces, key=lambda line: (line.middle, line.x0))


def build_rows(glyphs: Iterable[Glyph], page: int) -> list[Line]:
    """Join glyphs to whole lines, top to bottom."""
    return merge_rows(read_runs(glyphs, page))


class _Chain:
    """Runs that follow each other from left to right, set close."""

    __slots__ = ("bottom", "lines", "size", "top", "weight", "x1")

    def __init__(self, line: Line) -> None:
        self.lines = [line]
        self.x1, self.top, self.bottom = line.x1, line.top, line.bottom
        self.size, self.weight = line.size, line.weight

    def accepts(self, line: Line) -> float:
        """How much of its height a line has in common with the chain that it may continue, else 0."""
        widest = reach(line.size, self.lines[-1].size)
        if not BACKWARDS * line.size <= line.x0 - self.x1 <= widest:
            return 0.0
        overlap = min(self.bottom, line.bottom) - max(self.top, line.top)
        share = overlap / max(min(self.bottom - self.top, line.bottom - line.top), 0.1)
        index = line.size < SMALL * self.size and line.weight <= _INDEX
        return share if share >= (0.2 if index else 0.5) else 0.0

    def add(self, line: Line) -> None:
        self.lines.append(line)
        self.x1 = max(self.x1, line.x1)
        if line.weight > self.weight or line.size > 1.2 * self.size:
            self.top, self.bottom = line.top, line.bottom
            self.size, self.weight = line.size, line.weight


def _link(lines: Iterable[Line]) -> list[_Chain]:
    """Chain runs with what follows them to the right; the work grows with their number only."""
    chains: list[_Chain] = []
    bands: dict[int, list[_Chain]] = defaultdict(list)
    for line in sorted(lines, key=lambda line: line.x0):
        near = range(int(line.top // _BAND), int(line.bottom // _BAND) + 1)[:_MOST_BANDS]
        found = (chain for band in near for chain in bands[band][-_MOST_NEIGHBOURS:])
        best = max(found, key=lambda chain: chain.accepts(line), default=None)
        if best is not None and best.accepts(line):
            best.add(line)
            for band in near:
                if bands[band][-1:] != [best]:
                    bands[band].append(best)
            continue
        chain = _Chain(line)
        chains.append(chain)
        for band in near:
            bands[band].append(chain)
    return chains


def merge_rows(lines: Iterable[Line]) -> list[Line]:
    """Merge the pieces of each row to one line."""
    return [merge_row(row) for row in group_rows(place_drop_caps(list(lines)))]


def merge_row(row: Sequence[Line]) -> Line:
    """Merge pieces, given from left to right, to one line."""
    if len(row) == 1:
        return row[0]
    main = max(row, key=lambda line: line.weight)
    text, widest = _join(row, main)
    weight = sum(line.weight for line in row)
    return Line(
        text=text,
        page=main.page,
        x0=row[0].x0,
        top=main.top,
        x1=max(line.x1 for line in row),
        bottom=main.bottom,
        size=sum(line.size * line.weight for line in row) / weight,
        weight=weight,
        bold_weight=sum(line.bold_weight for line in row),
        first_width=row[0].first_width,
        gap=widest,
        opens_bold=row[0].opens_bold,
        ends_bold=row[-1].ends_bold,
    )


def _join(row: Sequence[Line], main: Line) -> tuple[str, float]:
    """The text of a row and its widest gap in font sizes."""
    words: list[str] = []
    gaps: list[float] = []
    end, widest = row[0].x0, 0.0
    for i, line in enumerate(row):
        gap = (line.x0 - end) / max(line.size, 1.0)
        text = line.text
        if words and BACKWARDS <= gap <= WORD_GAP and _level(row[i - 1], line, main):
            words[-1] += _exponent(words[-1], line, main) or text
        else:
            if words:
                gaps.append(gap)
            words.append(text)
        end, widest = max(end, line.x1), max(widest, gap, line.gap)
    return tidy(write_words(words, gaps)), widest


def _level(before: Line, line: Line, main: Line) -> bool:
    """Whether a piece stands level with the one before it or is its index."""
    overlap = min(before.bottom, line.bottom) - max(before.top, line.top)
    shorter = min(before.bottom - before.top, line.bottom - line.top)
    return overlap >= 0.5 * shorter or line.size < SMALL * main.size


def _exponent(base: str, line: Line, main: Line) -> str:
    """The text of a small raised number behind a digit: «10» and «2» are no «102»."""
    raised = line.size < SMALL * main.size and is_raised(line.bottom, main.bottom, main.size)
    return lift(line.text) if raised and line.text.isdigit() and may_lift(base[-1:]) else ""
