"""What a table's cells say: rows without rules between them, spans, the header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from extraction.pdf.layout import Cell, Line

Slots = list[list[int]]
"""For every row and column of a table the index of the cell that covers it, or -1."""

_REPEATED_LENGTH = 200
_MOST_HEADER_ROWS = 4
# Height of the white band that parts two rows without a rule, in font sizes.
_BAND = 0.7
_YEAR = re.compile(r"(?:19|20)\d\d(?:\s*г\.?)?")
_NUMERIC = re.compile(r"[\d\s.,%()+±<>=≤≥×/–—-]*\d[\d\s.,%()+±<>=≤≥×/–—-]*")


def split_rows(slots: Slots, cells: Sequence[Sequence[Line]]) -> tuple[Slots, list[list[Line]]]:
    """Part the rows that stand between the same two rules, as tables with a ruled header have them.

    White bands across the whole table part them, if every stretch between two bands fills the first
    column and another one; so paragraphs inside one cell part nothing.

    Args:
        slots: Rows and columns.
        cells: The lines of each cell.

    Returns:
        Slots and cells with a row, and new cells, for each stretch.
    """
    result: Slots = []
    lines = [list(cell) for cell in cells]
    uses = [index for row in slots for index in set(row)]
    for row in slots:
        alone = len(set(row)) == len(row) and all(i >= 0 and uses.count(i) == 1 for i in row)
        bands = _bands([cells[i] for i in row]) if alone and len(row) > 1 else []
        if len(bands) < 2:
            result.append(row)
            continue
        for band in bands:
            result.append(list(range(len(lines), len(lines) + len(row))))
            lines += band
    return result, lines


def _bands(row: Sequence[Sequence[Line]]) -> list[list[list[Line]]]:
    """The lines of a row of cells, stretch by stretch between white bands; empty if it is one row."""
    every = sorted((line for cell in row for line in cell), key=lambda line: line.top)
    starts = [every[0].top] if every else []
    lower = every[0].bottom if every else 0.0
    for line in every:
        if line.top - lower > _BAND * line.size:
            starts.append(line.top)
        lower = max(lower, line.bottom)
    ends = [*starts[1:], float("inf")]
    bands = [
        [[line for line in cell if start <= line.top < end] for cell in row]
        for start, end in zip(starts, ends, strict=True)
    ]
    full = all(band[0] and sum(map(bool, band)) > 1 for band in bands)
    return bands if full else []


def resolve_spans(slots: Slots, texts: list[Cell]) -> tuple[tuple[Cell, ...], ...]:
    """Text of every slot: a spanning cell repeats its text in each row and column it covers.

    A cell over the whole width, and a long text, stand once.
    """
    rows = []
    seen: set[int] = set()
    for slot_row in slots:
        alone = len(set(slot_row)) == 1
        row: list[Cell] = []
        for index in slot_row:
            text = texts[index] if index >= 0 else ()
            once = alone or sum(map(len, text)) > _REPEATED_LENGTH
            row.append(() if once and index in seen else text)
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
    return _NUMERIC.fullmatch(cell) is not None and _YEAR.fullmatch(cell) is None


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
