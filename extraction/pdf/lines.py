"""Joins glyphs to words and lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from extraction.pdf.layout import Glyph, Line

# Shares of the font size. A space is a quarter; letters of a word are set closer than a sixth.
WORD_GAP = 0.17
PIECE_GAP = 0.9
# Recognised text sets «2.1.» loosely: more room counts as a space beside a digit or before a stop.
_NUMBER_GAP = 0.3
_NO_SPACE_BEFORE = frozenset(".,:;)»!?")
_FAKE_SPACE = 0.04
_BACKWARDS = -0.6
_SPACED_OUT = re.compile(r"(?<!\S)(?:[^\W\d_] ){3,}[^\W\d_](?![^\W_])")


class _Run:
    """Glyphs that follow each other in the file and on the page."""

    __slots__ = (
        "bold", "bottom", "count", "first_x1", "height", "parts", "size_sum", "space", "top", "x0", "x1",
    )  # fmt: skip

    def __init__(self, glyph: Glyph) -> None:
        self.parts = [glyph.text]
        self.x0, self.x1 = glyph.x0, glyph.x1
        self.top, self.bottom = glyph.top, glyph.bottom
        self.height = glyph.bottom - glyph.top
        self.size_sum = glyph.size
        self.count = 1
        self.bold = int(glyph.bold)
        self.first_x1: float | None = None
        self.space = False

    @property
    def size(self) -> float:
        return self.size_sum / self.count

    def accepts(self, glyph: Glyph) -> bool:
        gap = glyph.x0 - self.x1
        if not _BACKWARDS * glyph.size <= gap <= PIECE_GAP * max(glyph.size, self.size):
            return False
        overlap = min(self.bottom, glyph.bottom) - max(self.top, glyph.top)
        return overlap >= 0.5 * min(self.height, glyph.bottom - glyph.top)

    def add(self, glyph: Glyph) -> None:
        gap = glyph.x0 - self.x1
        if gap > self._space_width(glyph) or (self.space and gap > _FAKE_SPACE * glyph.size):
            self.parts.append(" ")
            if self.first_x1 is None:
                self.first_x1 = self.x1
        self.space = False
        self.parts.append(glyph.text)
        self.x1 = max(self.x1, glyph.x1)
        self.size_sum += glyph.size
        self.count += 1
        self.bold += glyph.bold
        if glyph.size > 1.2 * self.height:
            self.top, self.bottom = glyph.top, glyph.bottom
            self.height = glyph.bottom - glyph.top

    def _space_width(self, glyph: Glyph) -> float:
        last = self.parts[-1][-1]
        number = glyph.text[0].isdigit() and (last.isdigit() or last == ".")
        loose = number or glyph.text[0] in _NO_SPACE_BEFORE
        return (_NUMBER_GAP if loose else WORD_GAP) * glyph.size

    def line(self, page: int) -> Line:
        first_x1 = self.x1 if self.first_x1 is None else self.first_x1
        return Line(
            text=_close_up("".join(self.parts)),
            page=page,
            x0=self.x0,
            top=self.top,
            x1=self.x1,
            bottom=self.bottom,
            size=self.size,
            weight=self.count,
            bold_weight=self.bold,
            first_width=first_x1 - self.x0,
        )


def build_pieces(glyphs: Iterable[Glyph], page: int) -> list[Line]:
    """Join glyphs to pieces of lines, top to bottom; a wide gap separates two pieces of a row.

    Args:
        glyphs: Glyphs in the order of the file.
        page: Page number.
    """
    runs = [run.line(page) for run in _runs(glyphs)]
    return [piece for row in group_rows(runs) for piece in _pieces(row)]


def build_rows(glyphs: Iterable[Glyph], page: int) -> list[Line]:
    """Join glyphs to whole lines, top to bottom."""
    return merge_rows(run.line(page) for run in _runs(glyphs))


def _runs(glyphs: Iterable[Glyph]) -> Iterator[_Run]:
    run: _Run | None = None
    for glyph in glyphs:
        if glyph.text.isspace():
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


def group_rows(lines: Iterable[Line]) -> list[list[Line]]:
    """Group pieces that stand on one row, top to bottom, each row from left to right."""
    rows: list[list[Line]] = []
    leader: Line | None = None
    for line in sorted(lines, key=lambda line: (line.middle, line.x0)):
        if leader is not None and _same_row(leader, line):
            rows[-1].append(line)
            leader = max(leader, line, key=lambda line: line.size)
        else:
            rows.append([line])
            leader = line
    for row in rows:
        row.sort(key=lambda line: line.x0)
    return rows


def _same_row(leader: Line, line: Line) -> bool:
    overlap = min(leader.bottom, line.bottom) - max(leader.top, line.top)
    return overlap >= 0.5 * min(leader.bottom - leader.top, line.bottom - line.top)


def _pieces(row: Sequence[Line]) -> Iterator[Line]:
    start = 0
    end = row[0].x1
    for i in range(1, len(row)):
        if row[i].x0 - end > PIECE_GAP * max(row[i - 1].size, row[i].size):
            yield merge_row(row[start:i])
            start = i
        end = max(end, row[i].x1)
    yield merge_row(row[start:])


def merge_rows(lines: Iterable[Line]) -> list[Line]:
    """Merge the pieces of each row to one line."""
    return [merge_row(row) for row in group_rows(lines)]


def merge_row(row: Sequence[Line]) -> Line:
    """Merge pieces, given from left to right, to one line."""
    if len(row) == 1:
        return row[0]
    main = max(row, key=lambda line: line.weight)
    text, widest = _join(row)
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
    )


def _join(row: Sequence[Line]) -> tuple[str, float]:
    """The text of a row and its widest gap in font sizes."""
    parts: list[str] = []
    end, widest = row[0].x0, 0.0
    for line in row:
        gap = (line.x0 - end) / max(line.size, 1.0)
        if parts and (gap > WORD_GAP or gap < _BACKWARDS):
            parts.append(" ")
        parts.append(line.text)
        end, widest = max(end, line.x1), max(widest, gap, line.gap)
    return "".join(parts), widest


def _close_up(text: str) -> str:
    """«П Р И К А З» as a word."""
    if text.count(" ") < 0.3 * len(text):
        return text
    return _SPACED_OUT.sub(lambda match: match.group().replace(" ", ""), text)
