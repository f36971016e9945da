"""What tables of all formats have in common: spans and header rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

_YEAR = re.compile(r"(?:19|20)\d\d")
LABEL_LENGTH = 120  # a longer text is not repeated and not a column's name, in characters
_NUMERIC = re.compile(r"[\d\s.,:;/%+\-−–—±()*°]*\d[\d\s.,:;/%+\-−–—±()*°]*")
_MAX_SPAN = 1000  # the HTML standard's own limit for colspan
MAX_CELLS = 5_000_000  # of one table
_MAX_SPANNED = 1_000_000  # cells that a table's cells may reach down into
_SPARSE = 100_000  # cells that a table may have in any case
_BLANKS = 50  # blank cells for each one with text that a larger table may have


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell and how far it reaches."""

    text: str
    colspan: int = 1
    rowspan: int = 1


def lay_out(rows: Iterable[Sequence[Cell]]) -> list[list[str]]:
    """Put cells with spans on a grid.

    A text stands once in its row. In the rows that its cell reaches down into, it is repeated if it is
    short, so that each row can be read by itself.

    Args:
        rows: Cells as they are written, row by row.

    Returns:
        Texts, all rows of the same length.
    """
    grid: list[dict[int, str]] = []
    hanging: dict[int, tuple[int, str]] = {}  # column → rows still covered, text repeated there
    covered = 0
    for row in rows:
        line: dict[int, str] = {}
        column = 0
        for cell in row:
            column = _fill_hanging(line, hanging, column)
            span = min(max(cell.colspan, 1), _MAX_SPAN)
            line[column] = cell.text
            if cell.rowspan > 1:
                repeated = cell.text if len(cell.text) <= LABEL_LENGTH else ""
                for offset in range(span):
                    hanging[column + offset] = (cell.rowspan, "" if offset else repeated)
            column += span
        _fill_hanging(line, hanging, column)
        covered += len(hanging)
        is_sane = covered <= _MAX_SPANNED  # of spans that cross each other, there may be millions
        hanging = {at: (left - 1, text) for at, (left, text) in hanging.items() if left > 1 and is_sane}
        grid.append(line)
    return _squared(grid)


def _fill_hanging(line: dict[int, str], hanging: dict[int, tuple[int, str]], column: int) -> int:
    while column in hanging:
        line[column] = hanging[column][1]
        column += 1
    return column


def _squared(grid: list[dict[int, str]]) -> list[list[str]]:
    used = sorted({column for line in grid for column, text in line.items() if text.strip()})
    if not fits(len(grid), len(used), sum(map(len, grid))):
        return [[in_one_cell(text for _, text in sorted(line.items()))] for line in grid]
    return [[line.get(column, "") for column in used] for line in grid]


def fits(rows: int, columns: int, filled: int) -> bool:
    """Whether a table with all its cells, blank ones included, is of a size that can be written out.

    A hostile file makes billions of cells from one long row and one long column.

    Args:
        rows: How many rows it has.
        columns: How many columns.
        filled: How many of its cells have text.
    """
    return rows * columns <= min(MAX_CELLS, _SPARSE + _BLANKS * filled)


def in_one_cell(cells: Iterable[str]) -> str:
    """The texts of a row whose table does not fit."""
    return " ".join(text for text in cells if text.strip())


def guess_header_rows(rows: Sequence[Sequence[str]]) -> int:
    """How many leading rows name the columns, where the format does not tell.

    A header has names, not numbers; where it spans columns, a second row names the parts; a row that
    counts the columns ("1 | 2 | 3") belongs to it.
    """
    if len(rows) < 2 or len(rows[0]) < 2 or not names_columns(rows[0]):
        return 0
    count = 1
    if len(rows) > 2 and not all(rows[0][1:]) and names_columns(rows[1]) and _completes(rows[0], rows[1]):
        count = 2
    # Under real numbers of columns there is data with words in it, else "1 | 2 | 3" is data itself.
    if len(rows) > count + 1 and _counts_columns(rows[count]) and not all(map(is_numeric, rows[count + 1])):
        count += 1
    return count


def is_numeric(text: str) -> bool:
    """Whether a cell holds a number, a range, a date or a percentage rather than words."""
    return bool(_NUMERIC.fullmatch(text))


def count_title_rows(rows: Sequence[Sequence[str]]) -> int:
    """How many leading rows hold a single text: the sheet's title and remarks, not the table's rows."""
    single = (sum(bool(cell.strip()) for cell in row) <= 1 for row in rows)
    return next((i for i, is_single in enumerate(single) if not is_single), len(rows))


def names_columns(row: Sequence[str]) -> bool:
    """Whether a row reads like the header of a table: names, or years in a row."""
    filled = [cell for cell in row if cell.strip()]
    if _counts_years(filled) and not is_numeric(row[0]):
        return True
    return (
        len(filled) >= 2
        and len(filled) * 2 >= len(row)
        and all(len(cell) <= LABEL_LENGTH and not _NUMERIC.fullmatch(cell) for cell in filled)
        # Of two columns the first often names what the second tells: "Mass | 12 kg" heads nothing.
        and (len(row) > 2 or not any(char.isdigit() for cell in filled for char in cell))
    )


def _completes(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether ``second`` names every column that ``first`` leaves open."""
    return all(below.strip() for above, below in zip(first, second, strict=True) if not above.strip())


def _counts_years(cells: Sequence[str]) -> bool:
    """Whether columns are named by years in a row: "Показатель | 2021 | 2022 | 2023"."""
    years = [int(cell) for cell in cells if _YEAR.fullmatch(cell.strip())]
    steps = {after - before for before, after in pairwise(years)}
    return len(years) >= 2 and len(cells) - len(years) <= len(years) and steps in ({1}, {-1})


def _counts_columns(row: Sequence[str]) -> bool:
    return [cell.strip() for cell in row] == [str(number) for number in range(1, len(row) + 1)]
