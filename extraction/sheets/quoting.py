"""Rows of delimited text, also of one whose quotes do not all open or close a cell.

A quote opens a cell only where one follows that closes it: a quote before a delimiter or the end of a
line. Any other is an inch sign or a misprint: it is part of the text, and its row ends with its line.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

_RUNAWAY = 20  # line breaks in a cell from which its lines may be rows although the row is of the right width
_EVEN = 0.8  # share of lines as wide as the table from which they are rows rather than a cell
_BROKEN_OFF = 0.5  # share of such lines below which a file is taken to end inside a cell

# The default of 128 KiB is for files from strangers in a server's memory; ours are limited before.
csv.field_size_limit(sys.maxsize)

Rows = list[list[str]]


def read_rows(text: str, delimiter: str, most: int | None = None) -> Rows:
    """Rows of cells; a blank line is an empty row.

    Args:
        text: The whole text.
        delimiter: The sign between cells.
        most: How many of the first rows to read; all by default.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = list(islice(reader, most))
    except csv.Error:
        return _Quoting(text, delimiter).rows(most)
    if reader.line_num == len(rows) or not _may_have_swallowed(rows):
        return rows
    return _Quoting(text, delimiter).rows(most)


def _may_have_swallowed(rows: Rows) -> bool:
    width = _common_width(rows)
    return any(_is_too_long(row, width) for row in rows)


def _is_too_long(cells: Sequence[str], width: int) -> bool:
    """Whether a row of several lines may be several rows."""
    breaks = max((max(cell.count("\n"), cell.count("\r")) for cell in cells), default=0)
    return width > 1 and (breaks >= _RUNAWAY or (breaks > 0 and len(cells) != width))


def _common_width(rows: Rows) -> int:
    """The width that most rows have; 0 where all are blank."""
    widths = Counter(len(row) for row in rows if row)
    return widths.most_common(1)[0][0] if widths else 0


def _share(rows: Rows, width: int) -> float:
    """The share of rows of a width."""
    filled = [row for row in rows if row]
    return sum(len(row) == width for row in filled) / len(filled) if filled else 0.0


@dataclass(frozen=True, slots=True)
class _Row:
    """A row where it stands.

    Attributes:
        cells: Their texts.
        start: Where it begins.
        end: Where the next one begins.
        stray: Whether one of its cells begins with a quote that does not open it.
    """

    cells: list[str]
    start: int
    end: int
    stray: bool = False


class _Quoting:
    """A text under one delimiter."""

    def __init__(self, text: str, delimiter: str) -> None:
        self._text = text
        self._delimiter = delimiter
        sign = re.escape(delimiter)
        end = rf"[ ]*?(?={sign}|[\r\n]|\Z)"
        self._closed = re.compile(rf'"((?:[^"]++|"")*+)"{end}')
        self._closed_on_line = re.compile(rf'"((?:[^"\r\n]++|"")*+)"{end}')
        self._unclosed = re.compile(r'"((?:[^"]++|"")*+)\Z')
        # Words follow what is quoted: "A, B" Ltd.; such a cell stays as it is written.
        self._begins_quoted = re.compile(rf'"(?:[^"\r\n]++|"")*+"[^{sign}\r\n]*+')
        self._plain = re.compile(rf"[^{sign}\r\n]*+")
        self._line = re.compile(r"([^\r\n]*+)(?:\r\n?|\n)?+")

    def rows(self, most: int | None) -> Rows:
        """The rows, those apart again that a stray quote would put into one."""
        read = list(islice(self._read(0, len(self._text), self._closed), most))
        rest = self._broken_off(read)
        width = _common_width([row.cells for row in read])
        whole = read if rest is None else [row for row in read if row.start < rest.start]
        rows = [cells for row in whole for cells in self._settled(row, width)]
        return rows if rest is None else [*rows, rest.cells]

    def _broken_off(self, read: Sequence[_Row]) -> _Row | None:
        """The row that goes on to the end of the text, where that breaks off inside a cell."""
        for number, row in enumerate(read):
            if not row.stray:
                continue
            rest = self._row(row.start, len(self._text), self._closed, self._unclosed)
            if rest.end == row.end:
                continue
            width = _common_width([above.cells for above in read[:number]])
            lines = [line.cells for line in read[number:]]
            is_cell = 1 < width == len(rest.cells) and _share(lines, width) < _BROKEN_OFF
            return rest if is_cell else None
        return None

    def _settled(self, row: _Row, width: int) -> Rows:
        """A row, or the rows that its lines are by themselves where these suit the table better."""
        has_width = len(row.cells) == width
        if _is_too_long(row.cells, width):
            lines = [line.cells for line in self._read(row.start, row.end, self._closed_on_line)]
            return lines if _share(lines, width) >= (1.0 if has_width else _EVEN) else [row.cells]
        if row.stray and not has_width:
            plain = self._text[row.start : row.end].rstrip("\r\n").split(self._delimiter)
            return [plain] if len(plain) == width else [row.cells]
        return [row.cells]

    def _read(self, start: int, end: int, closed: re.Pattern[str]) -> Iterator[_Row]:
        while start < end:
            row = self._row(start, end, closed)
            yield row
            start = row.end

    def _row(self, start: int, end: int, *quoted: re.Pattern[str]) -> _Row:
        """The row that begins at a place, its quoted cells by the first pattern that matches."""
        line = self._line.match(self._text, start, end)
        if line and '"' not in line[1]:
            return _Row(line[1].split(self._delimiter) if line[1] else [], start, line.end())
        cells: list[str] = []
        at, stray, goes_on = start, False, True
        while goes_on:
            begins_quoted = self._text.startswith('"', at, end)
            match = self._cell(at, end, quoted if begins_quoted else ())
            is_quoted = match.re in quoted
            cells.append(match[1].replace('""', '"') if is_quoted else match[0])
            stray = stray or begins_quoted is not is_quoted
            goes_on = self._text.startswith(self._delimiter, match.end(), end)
            at = match.end() + goes_on
        line = self._line.match(self._text, at, end)
        return _Row(cells, start, line.end() if line else end, stray)

    def _cell(self, at: int, end: int, quoted: Sequence[re.Pattern[str]]) -> re.Match[str]:
        patterns = (*quoted, self._begins_quoted, self._plain)
        return next(found for pattern in patterns if (found := pattern.match(self._text, at, end)))
