"""Finds the tables and texts on a sheet: blocks of cells with nothing between them.

A sheet is cut at its blank rows and columns, again and again, until no part has any. Then parts are put
together that a blank row or column only spaces out: a lower one without a header of its own goes on with
the table above it, a right one whose rows are the left one's belongs to it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from extraction.sheets.model import Area, Cells
from extraction.tables import is_numeric

_MAX_GAP = 2  # blank rows that a table may have inside
_MIN_CONTRAST = 0.5  # share of a column's cells that are numbers under a name
_MAX_DEPTH = 20


def find_bands(cells: Cells) -> list[Cells]:
    """Part the cells of a sheet at blank rows only, as delimited text is written."""
    bands = _bands(cells, _Bridges((), cells))
    return list(_continued([_only(cells, band) for band in bands]))


def find_regions(cells: Cells, merges: Sequence[Area]) -> list[Cells]:
    """Part the cells of a sheet.

    Args:
        cells: Texts; modified by nobody.
        merges: Areas shown as one cell, which keep together what they span.

    Returns:
        The parts, each with at least one cell, from top to bottom and from left to right.
    """
    return list(_rows_apart(cells, _Bridges(merges, cells), 0))


class _Bridges:
    """The merged areas with text, and what blank rows and columns they close."""

    def __init__(self, merges: Sequence[Area], cells: Cells) -> None:
        filled = [area for area in merges if cells.get(area.top, {}).get(area.left)]
        self._down = sorted((area.top, area.bottom) for area in filled if area.bottom > area.top)
        self._tops = [top for top, _ in self._down]
        reach = 0
        self._reach = [reach := max(reach, bottom) for _, bottom in self._down]
        self._right = {(area.top, area.left): area.right for area in filled if area.right > area.left}

    def closes_rows(self, above: int, below: int) -> bool:
        """Whether a merged area that begins at or above a row goes on to another one."""
        index = bisect_right(self._tops, above)
        return index > 0 and self._reach[index - 1] >= below

    def right_edge(self, row: int, column: int) -> int:
        """The last column that a cell is shown in."""
        return self._right.get((row, column), column)


def _rows_apart(cells: Cells, bridges: _Bridges, depth: int) -> Iterator[Cells]:
    bands = _bands(cells, bridges)
    parts = [part for band in bands for part in _columns_apart(_only(cells, band), bridges, depth)]
    yield from _continued(parts)


def _bands(cells: Cells, bridges: _Bridges) -> list[list[int]]:
    """The rows between blank rows."""
    bands: list[list[int]] = []
    for row in sorted(cells):
        last = bands[-1][-1] if bands else row
        if not bands or (row - last > 1 and not bridges.closes_rows(last, row)):
            bands.append([])
        bands[-1].append(row)
    return bands


def _columns_apart(cells: Cells, bridges: _Bridges, depth: int) -> list[Cells]:
    spans = sorted(
        {(column, bridges.right_edge(row, column)) for row, columns in cells.items() for column in columns}
    )
    groups: list[list[int]] = []
    for left, right in spans:
        if groups and left <= groups[-1][1] + 1:
            groups[-1][1] = max(groups[-1][1], right)
        else:
            groups.append([left, right])
    if len(groups) == 1 or depth >= _MAX_DEPTH:
        return [cells]
    parts = [_between(cells, left, right) for left, right in groups]
    joined: list[Cells] = [parts[0]]
    for part in parts[1:]:
        if _are_beside(joined[-1], part):
            joined.append(part)
        else:
            joined[-1] = _united((joined[-1], part))
    if len(joined) == 1:
        return [cells]
    return [piece for part in joined for piece in _rows_apart(part, bridges, depth + 1)]


def _are_beside(left: Cells, right: Cells) -> bool:
    """Whether two blocks of the same rows are two tables rather than the columns of one."""
    if _width(right) == 1 or _width(left) == 1:
        # A remark beside a table; a column of it has a name in the first row.
        narrow, wide = (right, left) if _width(right) == 1 else (left, right)
        return len(wide) >= 4 * len(narrow) and min(narrow) != min(wide)
    if (min(left), max(left)) != (min(right), max(right)):
        return len(left) > 1 and len(right) > 1
    first_left, first_right = set(left[min(left)].values()), set(right[min(right)].values())
    if first_left == first_right and len(left) > 1:
        return True
    labels = [columns.get(_leftmost(right), "") for row, columns in sorted(right.items())[1:]]
    return has_contrast(left) and has_contrast(right) and not any(map(is_numeric, labels)) and any(labels)


def _continued(parts: Sequence[Cells]) -> Iterator[Cells]:
    """Join a part to the one above that it goes on with."""
    run: list[Cells] = []
    columns: set[int] = set()
    for part in parts:
        own = _columns(part)
        if run and _goes_on(run, columns, part, own):
            run.append(part)
            continue
        if run:
            yield _united(run)
        run, columns = [part], own
    if run:
        yield _united(run)


def _goes_on(above: Sequence[Cells], columns: set[int], below: Cells, own: set[int]) -> bool:
    """Whether a part, which stands in some of the columns of a table, is more rows of it."""
    gap = min(below) - max(above[-1]) - 1
    if not 0 < gap <= _MAX_GAP or len(columns) < 2 or len(own) < 2:
        return False
    if not own <= columns or len(own) * 2 < len(columns):
        return False
    same_header = len(below) > 1 and above[0][min(above[0])] == below[min(below)]
    return not same_header and not has_contrast(below)


def has_contrast(cells: Cells) -> bool:
    """Whether a block opens with names above numbers."""
    (_, names), *rows = sorted(cells.items())
    if not rows or len(names) < 2 or any(map(is_numeric, names.values())):
        return False
    for column in names:
        texts = [columns[column] for _, columns in rows if column in columns]
        if texts and sum(map(is_numeric, texts)) >= _MIN_CONTRAST * len(texts):
            return True
    return False


def _only(cells: Cells, rows: Iterable[int]) -> Cells:
    return {row: cells[row] for row in rows}


def _between(cells: Cells, left: int, right: int) -> Cells:
    found = (
        (row, {column: text for column, text in columns.items() if left <= column <= right})
        for row, columns in cells.items()
    )
    return {row: columns for row, columns in found if columns}


def _united(parts: Sequence[Cells]) -> Cells:
    if len(parts) == 1:
        return parts[0]
    united: Cells = {}
    for part in parts:
        for row, columns in part.items():
            united.setdefault(row, {}).update(columns)
    return united


def _columns(cells: Cells) -> set[int]:
    return {column for columns in cells.values() for column in columns}


def _width(cells: Cells) -> int:
    return len(_columns(cells))


def _leftmost(cells: Cells) -> int:
    return min(_columns(cells))


def edges(cells: Cells) -> tuple[int, int]:
    """Where a part begins: its first row and column, to sort parts by."""
    return min(cells), _leftmost(cells)
