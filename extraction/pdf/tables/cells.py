"""What a table's cells say: rows without rules between them, spans, the header."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from extraction.pdf.layout import Cell, Line
from extraction.pdf.tables.rows import group_text_rows, text_rows, value_columns
from extraction.pdf.tables.values import is_year, without_leaders

Slots = list[list[int]]
"""For every row and column of a table the index of the cell that covers it, or -1."""

_REPEATED_LENGTH = 200
_REPEATED_ACROSS = 60
_MOST_HEADER_ROWS = 4
# Height of the white band that parts two rows without a rule, in font sizes.
_BAND = 0.7
# Share of the columns of values that a line must fill to be a row.
_FULL = 0.6
_DENOMINATOR = re.compile(r"\d{2,6}")
_NUMERIC = re.compile(r"[\d\s.,%()+±<>=≤≥×/–—-]*\d[\d\s.,%()+±<>=≤≥×/–—-]*")


def split_rows(slots: Slots, cells: Sequence[Sequence[Line]]) -> tuple[Slots, list[list[Line]]]:
    """Part the rows that stand between the same two rules, as tables with a ruled header have them.

    Lines that hold values in all columns are rows; without values, white bands across the whole table
    part them, if every stretch between two bands fills the first column and another one, so that
    paragraphs inside one cell part nothing.

    Args:
        slots: Rows and columns.
        cells: The lines of each cell.

    Returns:
        Slots and cells with a row, and new cells, for each stretch.
    """
    result: Slots = []
    lines = [list(cell) for cell in cells]
    rows_of = Counter(index for row in slots for index in set(row))
    for row in slots:
        distinct = list(dict.fromkeys(row))
        alone = len(distinct) > 1 and all(i >= 0 and rows_of[i] == 1 for i in distinct)
        columns = [cells[i] for i in distinct] if alone else []
        parts = _valued_rows(columns) or _bands(columns)
        if len(parts) < 2:
            result.append(row)
            continue
        spanning = distinct[0] if _heads_all(parts) else None
        for part in parts:
            new = [len(lines) + distinct.index(i) for i in row]
            result.append([i if i == spanning else own for i, own in zip(row, new, strict=True)])
            lines += part
    return result, lines


def _heads_all(parts: Sequence[Sequence[Sequence[Line]]]) -> bool:
    """Whether the first cell names what all the parts of its row have in common."""
    first, *others = (part[0] for part in parts)
    return bool(first) and not any(others)


def _valued_rows(columns: Sequence[Sequence[Line]]) -> list[list[list[Line]]]:
    """The rows of columns in which values stand side by side again and again; empty if there are none."""
    if sum(len(cell) > 1 for cell in columns) < 2:
        return []
    rows = text_rows(columns)
    values = value_columns(rows)
    full = [row for row in rows if len(row.filled() & values) >= _FULL * len(values)]
    few = len(values) < 2 and len(full) < len(rows)
    # A cell at the upper left may head all rows; then the labels stand in the column beside it.
    labels = [0, 1] if rows[0].cells[0] and 1 not in values else [0]
    if len(full) < 2 or few or not any(all(row.cells[column] for row in full) for column in labels):
        return []
    return [
        [[line for row in group for line in row.cells[column]] for column in range(len(columns))]
        for group in group_text_rows(rows)
    ]


def _bands(columns: Sequence[Sequence[Line]]) -> list[list[list[Line]]]:
    """The lines of a row of cells, stretch by stretch between white bands; empty if it is one row."""
    every = sorted((line for cell in columns for line in cell), key=lambda line: line.top)
    if not every:
        return []
    starts, lower = [every[0].top], every[0].bottom
    for line in every:
        if line.top - lower > _BAND * line.size:
            starts.append(line.top)
        lower = max(lower, line.bottom)
    ends = [*starts[1:], float("inf")]
    bands = [
        [[line for line in cell if start <= line.top < end] for cell in columns]
        for start, end in zip(starts, ends, strict=True)
    ]
    full = all(band[0] and sum(map(bool, band)) > 1 for band in bands)
    return bands if full else []


def write_cell(lines: Sequence[Line]) -> Cell:
    """The lines of a cell; a fraction, 1 above 25000, is written on one line."""
    texts: list[str] = []
    for index, line in enumerate(lines):
        above = lines[index - 1] if index else None
        if above and texts[-1] == "1" and _DENOMINATOR.fullmatch(line.text) and _is_below(above, line):
            texts[-1] = f"1/{line.text}"
        else:
            texts.append(without_leaders(line.text))
    return tuple(text for text in texts if text)


def _is_below(above: Line, line: Line) -> bool:
    return abs(above.center - line.center) <= 0.5 * line.size and line.top - above.bottom <= line.size


def resolve_spans(slots: Slots, texts: list[Cell]) -> tuple[tuple[Cell, ...], ...]:
    """Text of every slot: a spanning cell repeats its text in each row and column it covers.

    A cell over the whole width, and a long text, stand once; a text of middle length is repeated in the
    rows only.
    """
    rows = []
    seen: set[int] = set()
    for slot_row in slots:
        alone = len(set(slot_row)) == 1
        row: list[Cell] = []
        for column, index in enumerate(slot_row):
            text = texts[index] if index >= 0 else ()
            length = sum(map(len, text))
            across = column > 0 and slot_row[column - 1] == index and length > _REPEATED_ACROSS
            once = across or ((alone or length > _REPEATED_LENGTH) and index in seen)
            row.append(() if once else text)
            seen.add(index)
        rows.append(tuple(row))
    return tuple(rows)


def count_header_rows(slots: Slots, texts: list[Cell]) -> int:
    """How many rows at the top name the columns."""
    count = 0
    while count < len(slots) - 1 and len(set(slots[count])) == 1:
        count += 1
    first = [" ".join(texts[i]) for i in slots[count] if i >= 0 and texts[i]]
    if count == len(slots) - 1 or not first or any(_is_value(cell) for cell in first):
        return min(count, 1)
    count = _header_depth(slots, count)
    while count < len(slots) - 1 and is_number_row([texts[i] if i >= 0 else () for i in slots[count]]):
        count += 1
    return min(count, len(slots) - 1)


def _is_value(cell: str) -> bool:
    return _NUMERIC.fullmatch(cell) is not None and not is_year(cell)


def _header_depth(slots: Slots, start: int) -> int:
    """Row after the header that begins in row ``start``, by its spans."""
    row = slots[start]
    spans_columns = any(a == b and a >= 0 for a, b in pairwise(row))
    depth = start + 1
    while depth < len(slots) and any(a == b and a >= 0 for a, b in zip(row, slots[depth], strict=True)):
        depth += 1
    if spans_columns and depth == start + 1:
        depth += 1
    return depth if depth - start <= _MOST_HEADER_ROWS else start + 1


def is_number_row(cells: Sequence[Cell]) -> bool:
    """Whether a row only numbers the columns from 1 on."""
    numbers = [" ".join(cell) for cell in cells]
    return len(numbers) > 1 and numbers == [str(i) for i in range(1, len(numbers) + 1)]
