"""What tables of all formats have in common: spans and header rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LABEL_LENGTH = 120  # a longer text is not repeated and not a column's name, in characters
_NUMERIC = re.compile(r"[\d\s.,:;/%+\-−–—±()*°]*\d[\d\s.,:;/%+\-−–—±()*°]*")
_MAX_SPAN = 1000  # the HTML standard's own limit for colspan


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
    grid: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}  # column → rows still covered, text repeated there
    for row in rows:
        line: list[str] = []
        for cell in row:
            _fill_hanging(line, hanging)
            span = min(max(cell.colspan, 1), _MAX_SPAN)
            if cell.rowspan > 1:
                repeated = cell.text if len(cell.text) <= LABEL_LENGTH else ""
                for offset in range(span):
                    hanging[len(line) + offset] = (cell.rowspan, "" if offset else repeated)
            line += [cell.text] + [""] * (span - 1)
        _fill_hanging(line, hanging)
        hanging = {column: (left - 1, text) for column, (left, text) in hanging.items() if left > 1}
        grid.append(line)
    return _squared(grid)


def _fill_hanging(line: list[str], hanging: dict[int, tuple[int, str]]) -> None:
    while len(line) in hanging:
        line.append(hanging[len(line)][1])


def _squared(grid: list[list[str]]) -> list[list[str]]:
    width = max(map(len, grid), default=0)
    squared = [line + [""] * (width - len(line)) for line in grid]
    used = [column for column in range(width) if any(line[column].strip() for line in squared)]
    return [[line[column] for column in used] for line in squared]


def guess_header_rows(rows: Sequence[Sequence[str]]) -> int:
    """How many leading rows name the columns, where the format does not tell.

    A header has names, not numbers; where it spans columns, a second row names the parts; a row that
    counts the columns ("1 | 2 | 3") belongs to it.
    """
    if len(rows) < 2 or len(rows[0]) < 2 or not _names_columns(rows[0]):
        return 0
    count = 1
    if len(rows) > 2 and not all(rows[0][1:]) and _names_columns(rows[1]) and _completes(rows[0], rows[1]):
        count = 2
    if len(rows) > count + 1 and _counts_columns(rows[count]):
        count += 1
    return count


def count_title_rows(rows: Sequence[Sequence[str]]) -> int:
    """How many leading rows hold a single text: the sheet's title and remarks, not the table's rows."""
    single = (sum(bool(cell.strip()) for cell in row) <= 1 for row in rows)
    return next((i for i, is_single in enumerate(single) if not is_single), len(rows))


def _names_columns(row: Sequence[str]) -> bool:
    filled = [cell for cell in row if cell.strip()]
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


def _counts_columns(row: Sequence[str]) -> bool:
    return [cell.strip() for cell in row] == [str(number) for number in range(1, len(row) + 1)]
