"""Joins the glyphs that a file draws one after the other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from extraction.pdf.glyphs.spacing import Break, tidy, write_run
from extraction.pdf.layout import Glyph, Line

# Shares of the font size. A space is a quarter; letters of a word are set closer than a sixth.
WORD_GAP = 0.17
PIECE_GAP = 0.9
# Recognised text sets «2.1.» loosely: more room counts as a space beside a digit or before a stop.
_NUMBER_GAP = 0.3
_NO_SPACE_BEFORE = frozenset(".,:;)»!?")
_FAKE_SPACE = 0.04
BACKWARDS = -0.6
# What is this much smaller and stands this much higher is an exponent or a mark.
SMALL = 0.8
_RAISED = 0.1
_INDEX = 3
# Type that is larger by these factors belongs to a heading or a mark; to a drop cap or a symbol.
_OTHER_TYPE = 1.3
_OTHER_GAP = 0.5
_CAP = 2.1
# Behind these and behind digits a raised number is written as such, lest «2010.» and «9» become «2010.9».
_BEFORE_MARK = frozenset(".,;:)]!?»”\"'")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def is_raised(bottom: float, base: float, size: float) -> bool:
    """Whether a foot at ``bottom`` stands clearly above one at ``base``, in type of this size."""
    return base - bottom > _RAISED * size


def may_lift(before: str) -> bool:
    """Whether a raised number behind this character must be told from it: «10²», «2010.⁹»."""
    return before.isdigit() or before in _BEFORE_MARK


def lift(text: str) -> str:
    """Text with its digits written as superscripts."""
    return text.translate(_SUPERSCRIPTS)


def reach(first: float, second: float) -> float:
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
        if not BACKWARDS * glyph.size <= gap <= reach(glyph.size, self.size_sum / self.count):
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
        if size < SMALL * self.height or size > 1.2 * self.height:
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
            raised = is_raised(glyph.bottom, self.bottom, self.height)
            spaced = bool(self.breaks) and self.breaks[-1].place == self.count
            if not raised or spaced:
                return glyph.text
            if self.lifted is None:
                self.lifted = glyph.text.isdigit() and may_lift(self.parts[-1][-1])
            return lift(glyph.text) if self.lifted else glyph.text
        lowered = is_raised(self.bottom, glyph.bottom, self.height)
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


def read_runs(glyphs: Iterable[Glyph], page: int) -> Iterator[Line]:
    """Join glyphs that follow each other in the file and on the page.

    Args:
        glyphs: Glyphs in the order of the file.
        page: Page number.
    """
    run: _Run | None = None
    for glyph in glyphs:
        if glyph.text == " " or glyph.text.isspace():
            if run is not None:
                run.space = True
        elif run is not None and run.accepts(glyph):
            run.add(glyph)
        else:
            if run is not None:
                yield run.line(page)
            run = _Run(glyph)
    if run is not None:
        yield run.line(page)
