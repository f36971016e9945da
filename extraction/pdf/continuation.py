"""Joins the pieces of a table that goes on over a page break."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from extraction.pdf.cells import is_number_row
from extraction.pdf.layout import TableRegion
from extraction.pdf.openings import is_continuation
from extraction.pdf.paragraphs import Block

_SAME_EDGE = 6.0


def join_tables(blocks: Sequence[Block]) -> list[Block]:
    """Join every table with its continuation on the next page.

    Two pieces are one table when the second stands first on the page after the first one, which
    ends its page, and both have the same columns. The repeated header, and a line that only says
    that the table goes on, are dropped.
    """
    result: list[Block] = []
    for block in blocks:
        above = _table_before(result, block)
        if above is None:
            result.append(block)
            continue
        table = above.tables[0]
        while result[-1] is not above:
            result.pop()
        above.tables += [_without_header(piece, table) for piece in block.tables]
    return result


def _table_before(blocks: Sequence[Block], block: Block) -> Block | None:
    """The block of the table that ``block`` continues."""
    if not block.tables:
        return None
    for above in reversed(blocks):
        if above.tables:
            return above if _continues(above.tables[-1], block.tables[0]) else None
        if not _may_stand_between(above, block):
            return None
    return None


def _may_stand_between(above: Block, block: Block) -> bool:
    """Whether a block may stand between the pieces of a table: only a note that it goes on."""
    return (
        len(above.lines) == 1
        and is_continuation(above.lines[0].text)
        and (above.lines[0].page == block.tables[0].page)
    )


def _continues(first: TableRegion, second: TableRegion) -> bool:
    if second.page != first.page + 1 or len(first.edges) != len(second.edges):
        return False
    shift = second.edges[0] - first.edges[0]
    return all(abs(b - a - shift) <= _SAME_EDGE for a, b in zip(first.edges, second.edges, strict=True))


def _without_header(piece: TableRegion, table: TableRegion) -> TableRegion:
    """A continuing piece without the rows that repeat the header of the whole table."""
    header = {_key(row) for row in table.rows[: table.header_rows]}
    skip = len(list(_leading(piece, header)))
    return replace(piece, rows=piece.rows[skip:], header_rows=0)


def _leading(piece: TableRegion, header: set[str]) -> Iterator[int]:
    for index, row in enumerate(piece.rows):
        if _key(row) not in header and not (index == 0 and is_number_row(row)):
            return
        yield index


def _key(row: Sequence[Sequence[str]]) -> str:
    return "".join("".join(cell) for cell in row).replace(" ", "").casefold()
