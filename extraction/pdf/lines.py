"""Joins glyphs to words, pieces of lines and lines."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from extraction.pdf.layout import Glyph, Line
from extraction.pdf.rows import group_rows, place_drop_caps
from extraction.pdf.spacing import Break, tidy, write_run, write_words

__all__ = ["build_pieces", "build_rows", "group_rows", "merge_row", "merge_rows"]

# Shares of the font size. A space is a quarter; letters of a word are set closer than a sixth.
WORD_GAP = 0.17
PIECE_GAP = 0.9
# Recognised text sets «2.1.» loosely: more room counts as a space beside a digit or before a stop.
_NUMBER_GAP = 0.3
_NO_SPACE_BEFORE = frozenset(".,:;)»!?")
_FAKE_SPACE = 0.04
_BACKWARDS = -0.6
# What is this much smaller and stands this much higher is an exponent or a mark.
_SMALL = 0.8
_RAISED = 0.1
_INDEX = 3
# Type that is larger by these factors belongs to a heading or a mark; to a drop cap or a symbol.
_OTHER_TYPE = 1.3
_OTHER_GAP = 0.5
_CAP = 2.1
# Behind these and behind digits a raised number is written as such, lest «2010.» and «9» become «2010.9».
_BEFORE_MARK = frozenset(".,;:)]!?»”\"'")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
# Height of the bands in which neighbours of a run are looked for, and how many are looked at.
_BAND = 8.0
_MOST_BANDS = 30
_MOST_NEIGHBOURS = 24


def _reach(first: float, second: float) -> float:
    """Widest gap between two sizes of type in one piece; a drop cap, say, is a piece of its own."""
    small, large = (first, second) if first < second else (second, first)
    if large <= _OTHER_TYPE * small:
        return PIECE_GAP * small
    return _OTHER_GAP * small if large <= _CAP * small else -math.inf


class _Run:
    """Glyphs that follow each other in the file and on the page."""

    __slots__ = (
        "bold", "bottom", "breaks", "count", "ends_bold", "first_x1", "height", "inner", "lifted",
        "opens_bold", "parts", "size_sum", "space", "top", "x0", "x1",
    )  # fmt: skip

    def __init__(self, glyph: Glyph) -> None:
        self.parts = [glyph.text]
        self.breaks: list[Break] = []
        self.inner = 0.0
        self.x0, self.x1 = glyph.x0, glyph.x1
        self.top, self.bottom = glyph.top, glyph.bottom
        self.height = glyph.bottom - glyph.top
        self.size_sum = glyph.size
        self.count = 1
        self.bold = int(glyph.bold)
        self.opens_bold = self.ends_bold = glyph.bold
        self.first_x1: float | None = None
        self.space = False
        self.lifted: bool | None = None

    def accepts(self, glyph: Glyph) -> bool:
        gap = glyph.x0 - self.x1
        if not _BACKWARDS * glyph.size <= gap <= _reach(glyph.size, self.size_sum / self.count):
            return False
        overlap = min(self.bottom, glyph.bottom) - max(self.top, glyph.top)
        return overlap >= 0.5 * min(self.height, glyph.bottom - glyph.top)

    def add(self, glyph: Glyph) -> None:
        size, text = glyph.size, glyph.text
        gap = glyph.x0 - self.x1
        if gap > WORD_GAP * size or self.space:
            self._space(glyph, gap)
        else:
            self.inner += gap / size if size else 0.0
        if size < _SMALL * self.height or size > 1.2 * self.height:
            text = self._mark(glyph)
        else:
            self.lifted = None
        self.parts.append(text)
        if glyph.x1 > self.x1:  # noqa: PLR1730 - this is done for every glyph; a call costs more
            self.x1 = glyph.x1
        self.size_sum += size
        self.count += 1
        if glyph.bold:
            self.bold += 1
        self.ends_bold = glyph.bold

    def _space(self, glyph: Glyph, gap: float) -> None:
        """Note that a space may stand before a glyph."""
        drawn = self.space and gap > _FAKE_SPACE * glyph.size
        self.space = False
        if drawn or gap > self._space_width(glyph):
            self.breaks.append(Break(len(self.parts), gap / max(glyph.size, 1.0), drawn))
            if self.first_x1 is None:
                self.first_x1 = self.x1

    def _space_width(self, glyph: Glyph) -> float:
        last = self.parts[-1][-1]
        number = glyph.text[0].isdigit() and (last.isdigit() or last == ".")
        loose = number or glyph.text[0] in _NO_SPACE_BEFORE
        return (_NUMBER_GAP if loose else WORD_GAP) * glyph.size

    def _mark(self, glyph: Glyph) -> str:
        """The text of a glyph in other type than the run: an exponent, or the text behind a mark."""
        if glyph.size < self.height:
            raised = self.bottom - glyph.bottom > _RAISED * self.height
            spaced = bool(self.breaks) and self.breaks[-1].place == self.count
            if not raised or spaced:
                return glyph.text
            if self.lifted is None:
                last = self.parts[-1][-1]
                self.lifted = glyph.text.isdigit() and (last.isdigit() or last in _BEFORE_MARK)
            return glyph.text.translate(_SUPERSCRIPTS) if self.lifted else glyph.text
        lowered = glyph.bottom - self.bottom > _RAISED * self.height
        if lowered and self._is_number() and glyph.text.isalpha():
            self.breaks.append(Break(len(self.parts), WORD_GAP, drawn=True))
        self.top, self.bottom = glyph.top, glyph.bottom
        self.height = glyph.bottom - glyph.top
        return glyph.text

    def _is_number(self) -> bool:
        return self.count <= _INDEX and not self.breaks and "".join(self.parts).isdigit()

    def line(self, page: int) -> Line:
        first_x1 = self.x1 if self.first_x1 is None else self.first_x1
        return Line(
            text=tidy(write_run(self.parts, self.breaks, self.inner)),
            page=page,
            x0=self.x0,
            top=self.top,
            x1=self.x1,
            bottom=self.bottom,
            size=self.size_sum / self.count,
            weight=self.count,
            bold_weight=self.bold,
            first_width=first_x1 - self.x0,
            opens_bold=self.opens_bold,
            ends_bold=self.ends_bold,
        )


def build_pieces(glyphs: Iterable[Glyph], page: int) -> list[Line]:
    """Join glyphs to pieces of lines; a wide gap separates two pieces of a row.

    Args:
        glyphs: Glyphs in the order of the file.
        page: Page number.

    Returns:
        The pieces, top to bottom, then left to right.
    """
    pieces = [merge_row(chain.lines) for chain in _link(run.line(page) for run in _runs(glyphs))]
    return sorted(pieces, key=lambda line: (line.middle, line.x0))


def build_rows(glyphs: Iterable[Glyph], page: int) -> list[Line]:
    """Join glyphs to whole lines, top to bottom."""
    return merge_rows(run.line(page) for run in _runs(glyphs))


def _runs(glyphs: Iterable[Glyph]) -> Iterator[_Run]:
    run: _Run | None = None
    for glyph in glyphs:
        if glyph.text == " " or glyph.text.isspace():
            if run is not None:
                run.space = True
        elif run is not None and run.accepts(glyph):
            run.add(glyph)
        else:
            if run is not None:
                yield run
            run = _Run(glyph)
    if run is not None:
        yield run


class _Chain:
    """Runs that follow each other from left to right, set close."""

    __slots__ = ("bottom", "lines", "size", "top", "weight", "x1")

    def __init__(self, line: Line) -> None:
        self.lines = [line]
        self.x1, self.top, self.bottom = line.x1, line.top, line.bottom
        self.size, self.weight = line.size, line.weight

    def accepts(self, line: Line) -> float:
        """How much of its height a line has in common with the chain that it may continue, else 0."""
        reach = _reach(line.size, self.lines[-1].size)
        if not _BACKWARDS * line.size <= line.x0 - self.x1 <= reach:
            return 0.0
        overlap = min(self.bottom, line.bottom) - max(self.top, line.top)
        share = overlap / max(min(self.bottom - self.top, line.bottom - line.top), 0.1)
        index = line.size < _SMALL * self.size and line.weight <= _INDEX
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
        if words and _BACKWARDS <= gap <= WORD_GAP and _level(row[i - 1], line, main):
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
    return overlap >= 0.5 * shorter or line.size < _SMALL * main.size


def _exponent(base: str, line: Line, main: Line) -> str:
    """The text of a small raised number behind a digit: «10» and «2» are no «102»."""
    raised = line.size < _SMALL * main.size and main.bottom - line.bottom > _RAISED * main.size
    return (
        line.text.translate(_SUPERSCRIPTS) if raised and base[-1:].isdigit() and line.text.isdigit() else ""
    )
