"""Finds tables of words, without rules, by their captions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from extraction.pdf.openings import is_caption
from extraction.pdf.tables.area import Row, Window, bottom_of, size_of, top_of
from extraction.pdf.tables.stacks import Stack, find_stacks

_TABLE = re.compile(r"(?:Таблица|Табл\.|Table|Exhibit)\s*\W*[\dА-ЯA-Z]", re.IGNORECASE)
# In font sizes: from the caption to the table, and between its lines.
_CAPTION_GAP = 3.0
_ROW_GAP = 2.2
_TITLE_LINES = 3
_LEAST_ROWS = 3
_MOST_ROWS = 120


def find_captioned(rows: Sequence[Row]) -> Iterator[Window]:
    """The parts of a page below captions of tables where text stands in columns.

    Only captions that stand alone in their row, with nothing beside the rows above, are looked at: on a
    page of several columns the text beside the table could be taken for a part of it.

    Args:
        rows: The page's rows, top to bottom.
    """
    for index, row in enumerate(rows):
        caption = len(row) == 1 and _TABLE.match(row[0].text) and is_caption(row[0].text)
        if caption and all(len(above) == 1 for above in rows[max(index - 3, 0) : index]):
            yield from _below(rows, index)


def _below(rows: Sequence[Row], caption: int) -> Iterator[Window]:
    first = caption + 1
    while first < len(rows) and first - caption <= _TITLE_LINES and len(rows[first]) == 1:
        first += 1
    if first >= len(rows) or len(rows[first]) < 2:
        return
    if top_of(rows[first]) - bottom_of(rows[first - 1]) > _CAPTION_GAP * size_of(rows[first]):
        return
    body = list(_columns_go_on(rows[first : first + _MOST_ROWS]))
    if sum(len(row) > 1 for row in body) < _LEAST_ROWS:
        return
    yield Window(
        min(line.x0 for row in body for line in row),
        max(line.x1 for row in body for line in row),
        head=[body[0]],
        body=body[1:],
        captioned=True,
        banded=True,
    )


def _columns_go_on(rows: Sequence[Row]) -> Iterator[Row]:
    """Rows whose pieces all stand in the columns of the first lines, up to a wide space."""
    stacks = find_stacks(line for row in rows[:_LEAST_ROWS] if len(row) > 1 for line in row)
    upper: Row | None = None
    for row in rows:
        if upper and top_of(row) - bottom_of(upper) > _ROW_GAP * size_of(row):
            return
        if any(_crosses(line.x0, line.x1, stacks) for line in row):
            return
        yield row
        upper = row


def _crosses(x0: float, x1: float, stacks: Sequence[Stack]) -> bool:
    return sum(stack.x0 < x1 - 2 and stack.x1 > x0 + 2 for stack in stacks) > 1
