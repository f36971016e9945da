"""Tables that are drawn with characters: ``+---+``, ``┌──┬──┐``, ``====  ====``, or only with spaces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from extraction.tables import LABEL_LENGTH, guess_header_rows

Rows = list[list[str]]

_BOX = str.maketrans(
    {
        **dict.fromkeys("─━┄┅┈┉╌╍", "-"),
        **dict.fromkeys("═", "="),
        **dict.fromkeys("│┃║┆┇┊┋╎╏¦", "|"),
        **dict.fromkeys((chr(code) for code in range(0x250C, 0x254C)), "+"),
        **dict.fromkeys((chr(code) for code in range(0x2552, 0x256D)), "+"),
    }
)
_BORDER = re.compile(r"\s*[+|](?:[-=:]*[-=]{2,}[-=:]*[+|])+\s*")
_RULE = re.compile(r"\s*=+(?:\s+=+)+\s*")
_PSQL = re.compile(r"\s*-+(?:\+-+)+\s*")
_PIPES = re.compile(r"\s*\|.*\|\s*")
_GAP = 2  # spaces that part columns
_FEWEST_LINES = 3
_MOST_LINES = 5000
_WIDEST = 1000  # characters


@dataclass(frozen=True, slots=True)
class DrawnTable:
    """Cells, row by row, all rows of the same length; how many of the rows are the header."""

    rows: Rows
    header_rows: int


def read_drawn_table(lines: Sequence[str]) -> DrawnTable | None:
    """The table that lines of text draw, or ``None`` where they draw none that is clear.

    Args:
        lines: Lines without blank ones at the ends; tabs expanded.
    """
    if len(lines) > _MOST_LINES or max(map(len, lines), default=0) > _WIDEST:
        return None
    lines = [line.translate(_BOX).rstrip() for line in lines]
    if sum(bool(_BORDER.fullmatch(line)) for line in lines) >= 2:
        return _bordered(lines)
    if len(lines) >= 3 and _PSQL.fullmatch(lines[1]):
        rows = [[cell.strip() for cell in line.split("|")] for line in lines[:1] + lines[2:]]
        return _checked(rows, 1)
    if len(lines) >= 2 and all(map(_PIPES.fullmatch, lines)):
        rows = [[cell.strip() for cell in line.strip()[1:-1].split("|")] for line in lines]
        return _checked([row for row in rows if not all(re.fullmatch(r":?-*:?", cell) for cell in row)], None)
    if len(lines) >= 3 and _RULE.fullmatch(lines[0]):
        return _ruled(lines)
    return None


def read_spaced_table(lines: Sequence[str]) -> DrawnTable | None:
    """The table whose columns only spaces part, where each line fills each column; else ``None``."""
    edges = column_edges(lines)
    if len(edges) < 2:
        return None
    rows = [_cut(line, edges) for line in lines]
    if not all(all(row) for row in rows):
        return None
    return _checked(rows, None)


def column_edges(lines: Sequence[str]) -> list[int]:
    """Where columns begin that only spaces part; of lines that are no table one edge or none."""
    width = max(map(len, lines), default=0)
    if not _FEWEST_LINES <= len(lines) <= _MOST_LINES or width > _WIDEST:
        return []
    padded = [line.ljust(width) for line in lines]
    blank = [all(line[column] == " " for line in padded) for column in range(width)]
    edges = [0] if width and not blank[0] else []
    run = 0
    for column, is_blank in enumerate(blank):
        if not is_blank and (run >= _GAP or (not edges and run)):
            edges.append(column)
        run = run + 1 if is_blank else 0
    return edges


def _checked(rows: Rows, header_rows: int | None) -> DrawnTable | None:
    if len({len(row) for row in rows}) != 1 or len(rows) < 2 or len(rows[0]) < 2:
        return None
    return DrawnTable(rows, guess_header_rows(rows) if header_rows is None else header_rows)


def _cut(line: str, edges: Sequence[int]) -> list[str]:
    return [line[start:end].strip() for start, end in pairwise([*edges, max(len(line), edges[-1])])]


# --- Rules of = above and below ----------------------------------------------------------------------


def _ruled(lines: Sequence[str]) -> DrawnTable | None:
    edges = [match.start() for match in re.finditer(r"=+", lines[0])]
    rules = [i for i, line in enumerate(lines) if _RULE.fullmatch(line)]
    if len(rules) < 2 or rules[-1] != len(lines) - 1:
        return None
    rows: Rows = []
    headers = 0
    for i, line in enumerate(lines):
        if i in rules:
            headers = len(rows) if i == rules[1] and len(rules) > 2 else headers
            continue
        row = _cut(line, edges)
        if rows and not row[0] and i - 1 not in rules:
            rows[-1] = [f"{above} {below}".strip() for above, below in zip(rows[-1], row, strict=True)]
        else:
            rows.append(row)
    return _checked(rows, headers)


# --- Borders -----------------------------------------------------------------------------------------


class _Grid:
    """Fills a grid line by line; a border through some of the columns only ends the row in these."""

    def __init__(self, edges: Sequence[int], *, line_is_row: bool) -> None:
        self.rows: list[list[list[str]]] = []
        self._edges = edges
        self._line_is_row = line_is_row
        self._origin = [0] * (len(edges) - 1)  # per column the row in which its cell began
        self._spanned: list[tuple[int, int]] = []  # rows and columns that a cell reaches down into
        self._open = False

    def end_row(self, columns: Sequence[int] | None = None) -> None:
        """End the cells of some columns, of all where none are named."""
        if self._open:
            self._open = False
            for column in range(len(self._origin)) if columns is None else columns:
                self._origin[column] = len(self.rows)

    def take(self, line: str, segments: Sequence[tuple[int, str]]) -> None:
        """Take a line that is no border, or one through some of the columns only."""
        ruled = [column for column, text in segments if text and not text.strip("-=:")]
        if ruled and any(line[self._edges[column]] == "+" for column in ruled):
            self.end_row(ruled)
            segments = [(column, text) for column, text in segments if column not in ruled]
            self._spanned += [(len(self.rows), column) for column, _ in segments]
            segments = [(column, text) for column, text in segments if text]
            if not segments:
                return
        elif self._line_is_row and segments and segments[0][1]:
            self.end_row()
        self._add(segments)

    def _add(self, segments: Sequence[tuple[int, str]]) -> None:
        if not self._open:
            self.rows.append([[] for _ in self._origin])
            self._open = True
        for column, text in segments:
            if text:
                self.rows[self._origin[column]][column].append(text)

    def texts(self) -> Rows:
        """The cells' texts; in rows that a cell reaches down into, a short text is repeated."""
        rows = [[" ".join(cell) for cell in row] for row in self.rows]
        for row, column in self._spanned:
            if 0 < row < len(rows) and not rows[row][column] and len(rows[row - 1][column]) <= LABEL_LENGTH:
                rows[row][column] = rows[row - 1][column]
        return rows


def _bordered(lines: Sequence[str]) -> DrawnTable | None:
    borders = [i for i, line in enumerate(lines) if _BORDER.fullmatch(line)]
    edges = sorted({at for i in borders for at, char in enumerate(lines[i]) if char in "+|"})
    if borders[0] > 0 or borders[-1] < len(lines) - 1 or len(edges) < 3:
        return None
    grid = _Grid(edges, line_is_row=len(borders) <= 3)
    headers = None
    for i, line in enumerate(lines):
        if i not in borders:
            grid.take(line, _segments(line, edges))
            continue
        grid.end_row()
        if headers is None and _ends_header(line, grid.rows, borders, i):
            headers = len(grid.rows)
    return _checked(grid.texts(), headers)


def _ends_header(line: str, rows: Sequence[object], borders: Sequence[int], at: int) -> bool:
    if not rows or at == borders[-1]:
        return False
    return "=" in line or (len(borders) == 3 and at == borders[1])


def _segments(line: str, edges: Sequence[int]) -> list[tuple[int, str]]:
    """Texts between the edges at which the line has a mark, each with its first column."""
    marked = [i for i, at in enumerate(edges) if at < len(line) and line[at] in "+|"]
    return [(left, line[edges[left] + 1 : edges[right]].strip()) for left, right in pairwise(marked)]
