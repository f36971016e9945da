"""Joins the pieces of a table that goes on over a page break."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import groupby, pairwise

from extraction.pdf.layout import Cell, TableRegion
from extraction.pdf.openings import ends_hyphenated, ends_sentence, is_caption, is_continuation
from extraction.pdf.tables.cells import is_number_row
from extraction.pdf.tables.values import is_value
from extraction.pdf.text.paragraphs import Block

_SAME_EDGE = 6.0
# Edges of columns that are known from text alone may differ by so much of the column's width.
_LOOSE = 0.35
_SAME_WIDTH = 0.05
_ALIKE = 0.85
_MOST_LETTERS = 400
_SHORT = 60
_MOST_BETWEEN = 40
_MOST_NAMES = 2  # rows of names of columns at the foot of a page
_GOES_ON = re.compile(r"[^\W\d_]{2}")
Row = tuple[Cell, ...]


def join_tables(blocks: Sequence[Block]) -> list[Block]:
    """Join every table with its continuation on the next page.

    Two pieces are one table when the second stands first on the page after the first one, which
    ends its page, and both have the same columns. The repeated header, and a line that only says
    that the table goes on, are dropped; footnotes of the first page go behind the table, and so does
    the title block of a drawing, over which only a table whose header is repeated goes on.
    """
    result: list[Block] = []
    for block in blocks:
        above = _table_before(result, block)
        if above is None:
            result.append(block)
            continue
        at = next(i for i, each in enumerate(result) if each is above)
        result[at + 1 :] = [each for each in result[at + 1 :] if not _says_more(each)]
        for piece in block.tables:
            _append(above.tables, piece)
    return result


def _table_before(blocks: Sequence[Block], block: Block) -> Block | None:
    """The block of the table that ``block`` continues."""
    if not block.tables:
        return None
    second = block.tables[0]
    strict = False
    for above in reversed(blocks[-_MOST_BETWEEN:]):
        if above.tables:
            same = _continues(above.tables[-1], second) and not (strict and not _repeats(above, second))
            return above if same else None
        if not _may_stand_between(above, second):
            if not _is_short(above, second):
                return None
            strict = True
    return None


def _may_stand_between(block: Block, second: TableRegion) -> bool:
    """Whether a block may stand between the pieces of a table: a note that it goes on, or a footnote."""
    if block.footnote:
        return block.lines[-1].page < second.page
    return _says_more(block) and block.lines[0].page == second.page


def _says_more(block: Block) -> bool:
    """Whether a block only says that a table goes on."""
    return len(block.lines) == 1 and is_continuation(block.lines[0].text)


def _is_short(block: Block, second: TableRegion) -> bool:
    """Whether a block on the page before may be a part of a title block."""
    return bool(block.lines) and all(
        line.page == second.page - 1 and len(line.text) <= _SHORT and not is_caption(line.text)
        for line in block.lines
    )


def _repeats(above: Block, second: TableRegion) -> bool:
    """Whether a piece begins with the header of the table before it."""
    header = above.tables[0].rows[: above.tables[0].header_rows]
    return bool(header) and [*map(_key, header)] == [*map(_key, second.rows[: len(header)])]


def _continues(first: TableRegion, second: TableRegion) -> bool:
    return second.page == first.page + 1 and _columns_of(first, second) is not None


def _columns_of(first: TableRegion, second: TableRegion) -> list[int] | None:
    """For every column of ``first`` the column of ``second`` below it; ``None`` if they do not match.

    The second piece may have fewer columns, if its cells span those of the first one; on scans it may be
    a little larger or smaller.
    """
    width, other = first.edges[-1] - first.edges[0], second.edges[-1] - second.edges[0]
    scale = width / max(other, 1.0)
    if abs(scale - 1) > _SAME_WIDTH and abs(width - other) > _SAME_EDGE:
        return None
    edges = [first.edges[0] + (edge - second.edges[0]) * scale for edge in second.edges]
    columns: list[int] = []
    at = 0
    for left, right in pairwise(first.edges):
        columns.append(at)
        near = _SAME_EDGE if first.ruled and second.ruled else max(_SAME_EDGE, _LOOSE * (right - left))
        if at + 1 < len(edges) and abs(edges[at + 1] - right) <= near:
            at += 1
    spans = len(columns) - len(set(columns))
    return columns if at == len(edges) - 1 and spans <= len(columns) // 2 else None


def _append(pieces: list[TableRegion], piece: TableRegion) -> None:
    """Add a continuing piece, without the rows that repeat the header of the whole table."""
    if len(pieces) == 1 and _is_header_alone(pieces[0], piece):
        pieces[0] = replace(pieces[0], header_rows=len(pieces[0].rows))
    table, last = pieces[0], pieces[-1]
    columns = _columns_of(last, piece)
    rows = [tuple(row[c] for c in columns) for row in piece.rows] if columns else list(piece.rows)
    rows = rows[_repeated(rows, table.rows[: table.header_rows]) :]
    if rows and last.rows and _is_rest(last.rows[-1], rows[0]):
        joined = tuple((*a, *b) for a, b in zip(last.rows[-1], rows[0], strict=True))
        pieces[-1] = replace(last, rows=(*last.rows[:-1], joined))
        rows = rows[1:]
    pieces.append(replace(piece, rows=tuple(rows), header_rows=0, edges=_shifted(last, piece)))


def _is_header_alone(table: TableRegion, piece: TableRegion) -> bool:
    """Whether all that stands before the break are names of columns, below which values come."""
    if table.header_rows or len(table.rows) > _MOST_NAMES or not piece.rows:
        return False
    names = [" ".join(cell) for row in table.rows for cell in row]
    return all(names) and not any(map(is_value, names)) and any(is_value(" ".join(c)) for c in piece.rows[0])


def _shifted(last: TableRegion, piece: TableRegion) -> tuple[float, ...]:
    """The edges of the whole table's columns where a piece stands."""
    return tuple(edge + piece.edges[0] - last.edges[0] for edge in last.edges)


def _repeated(rows: Sequence[Row], header: Sequence[Row]) -> int:
    """How many of the first rows of a piece repeat the header, perhaps with other faults of recognition."""
    keys = {_key(row) for row in header}
    label = _key(header[0][:1]) if header else ""
    count = 0
    for row in rows:
        named = bool(label) and count > 0 and _key(row[:1]) == label
        if not (named or _key(row) in keys or (count == 0 and is_number_row(row))):
            break
        count += 1
    if count or not header:
        return count
    whole = "".join(map(_key, header))[:_MOST_LETTERS]
    for length in range(1, min(len(header) + 2, len(rows))):
        text = "".join(map(_key, rows[:length]))[: 2 * _MOST_LETTERS]
        if SequenceMatcher(None, text, whole, autojunk=False).ratio() >= _ALIKE:
            return length
    return 0


def _is_rest(last: Row, row: Row) -> bool:
    """Whether the first row of a piece is the rest of the last row before the break.

    It has no label of its own, and each of its texts goes on with the one above in lower case or after
    a hyphen.
    """
    filled = [(above, cell) for above, cell in zip(last, row, strict=True) if cell]
    if not filled or row[0] or len(filled) == len(row):
        return False
    return all(above and _goes_on(above[-1], cell[0]) for above, cell in filled)


def _goes_on(end: str, start: str) -> bool:
    if ends_hyphenated(end):
        return True
    return _GOES_ON.match(start) is not None and start[0].islower() and not ends_sentence(end)


def _key(row: Sequence[Sequence[str]]) -> str:
    """The text of a row for comparing; a cell over several columns counts once."""
    cells = ["".join(cell) for cell, _ in groupby(row)]
    return "".join(cells).replace(" ", "").casefold()
