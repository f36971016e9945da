"""Groups the lines of text in a table's columns to rows, where no rules part the rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from extraction.pdf.layout import Line
from extraction.pdf.tables.values import is_number, is_value

Cells = list[list[Line]]
"""For every column the pieces in it."""

# Widest space between two lines of one cell, in font sizes.
_TIGHT = 0.45
_LONG_LABEL = 12
# So many stretches between rules, of no more lines than this, may be the rows themselves.
_RULED_ROWS = 3
_MOST_LINES = 15


@dataclass(slots=True)
class TextRow:
    """The pieces that stand on one line across a table, column by column."""

    cells: Cells

    @property
    def lines(self) -> list[Line]:
        """All pieces."""
        return [line for cell in self.cells for line in cell]

    @property
    def top(self) -> float:
        """Upper edge."""
        return min(line.top for line in self.lines)

    @property
    def bottom(self) -> float:
        """Lower edge."""
        return max(line.bottom for line in self.lines)

    @property
    def size(self) -> float:
        """Largest font size."""
        return max(line.size for line in self.lines)

    def filled(self) -> set[int]:
        """Columns that have something."""
        return {column for column, cell in enumerate(self.cells) if cell}


def level_rows(lines: Iterable[Line]) -> list[list[Line]]:
    """Pieces that stand at one height, top to bottom, each row from left to right."""
    rows: list[list[Line]] = []
    top = bottom = 0.0
    for line in sorted(lines, key=lambda line: line.middle):
        overlap = min(bottom, line.bottom) - max(top, line.top)
        if rows and overlap >= 0.5 * min(bottom - top, line.bottom - line.top):
            rows[-1].append(line)
        else:
            rows.append([line])
            top, bottom = line.top, line.bottom
    for row in rows:
        row.sort(key=lambda line: line.x0)
    return rows


def text_rows(columns: Sequence[Sequence[Line]]) -> list[TextRow]:
    """The lines of all columns, by the height at which they stand."""
    places = {id(line): column for column, cell in enumerate(columns) for line in cell}
    rows = []
    for pieces in level_rows(line for cell in columns for line in cell):
        cells: Cells = [[] for _ in columns]
        for line in pieces:
            cells[places[id(line)]].append(line)
        rows.append(TextRow(cells))
    return rows


def value_columns(rows: Sequence[TextRow]) -> set[int]:
    """Columns other than the first that hold values for the most part."""
    found = set()
    for column in range(1, len(rows[0].cells) if rows else 0):
        texts = [line.text for row in rows for line in row.cells[column]]
        if texts and sum(map(is_value, texts)) >= 0.6 * len(texts) and any(map(is_number, texts)):
            found.add(column)
    return found


def group_text_rows(rows: Sequence[TextRow], barriers: Iterable[float] = ()) -> list[list[TextRow]]:
    """Group lines of text to rows of a table.

    A line with values opens a row; a line that has none goes on with the row above, or with the one
    below where values stand at the foot of their row, if its label is the rest of that row's label.
    Without columns of values, white bands part the rows, or labels that open anew.

    Args:
        rows: Lines across the table, top to bottom.
        barriers: The y of rules between rows.
    """
    values = value_columns(rows)
    grouped: list[list[TextRow]] = []
    stretches = _stretches(rows, sorted(barriers))
    if _are_rows(stretches):
        return stretches
    for stretch in stretches:
        grouped += _by_values(stretch, values) if values else _by_labels(stretch)
    return grouped


def _stretches(rows: Sequence[TextRow], walls: Sequence[float]) -> list[list[TextRow]]:
    """Rows between neighbouring rules."""
    stretches: list[list[TextRow]] = []
    for row in rows:
        above = stretches[-1][-1] if stretches else None
        if above and not any(_middle(above) < wall < _middle(row) for wall in walls):
            stretches[-1].append(row)
        else:
            stretches.append([row])
    return stretches


def _are_rows(stretches: Sequence[Sequence[TextRow]]) -> bool:
    """Whether rules part all rows: nearly every stretch has a column with a single line in it."""
    if len(stretches) < _RULED_ROWS:
        return False
    single = sum(
        any(sum(bool(row.cells[c]) for row in stretch) == 1 for c in range(len(stretch[0].cells)))
        for stretch in stretches
    )
    return single >= 0.8 * len(stretches) and max(map(len, stretches)) <= _MOST_LINES


def _middle(row: TextRow) -> float:
    return (row.top + row.bottom) / 2


def _by_values(rows: Sequence[TextRow], values: set[int]) -> list[list[TextRow]]:
    right = max((line.x1 for row in rows for line in row.cells[0]), default=0.0)
    groups: list[list[TextRow]] = []
    for index, row in enumerate(rows):
        following = rows[index + 1] if index + 1 < len(rows) else None
        if groups and _joins(groups[-1], row, following, right, values):
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def _joins(
    group: Sequence[TextRow], row: TextRow, following: TextRow | None, right: float, values: set[int]
) -> bool:
    """Whether a line belongs to the row that the lines of ``group`` have begun."""
    above = group[-1]
    label_only = not any(each.filled() & values for each in group)
    if _overlap(above, row) and (label_only or not row.filled() & values):
        return True
    if label_only:
        return _wraps(above, row, right)
    if _opens(above, row, right, values) or not _continues(above, row, right, values):
        return False
    return not (following and row.filled() == {0} and _overlap(row, following))


def _opens(above: TextRow, row: TextRow, right: float, values: set[int]) -> bool:
    """Whether a line has values enough to be a row by itself, not only the foot of a fraction."""
    found = row.filled() & values
    if len(found) >= 0.5 * len(values):
        return True
    return bool(found and row.cells[0]) and not (found < above.filled() and _wraps(above, row, right))


def _continues(above: TextRow, row: TextRow, right: float, values: set[int]) -> bool:
    """Whether a line without values of its own is the rest of the row above."""
    if row.top - above.bottom > _TIGHT * row.size:
        return False
    if row.filled() == {0}:
        return _wraps(above, row, right)
    return not row.cells[0] or _wraps(above, row, right) or not row.filled() & values


def _overlap(above: TextRow, row: TextRow) -> bool:
    """Whether two lines stand partly beside each other, as values in the middle of a label do."""
    return row.top < above.bottom - 0.2 * row.size and not (above.filled() & row.filled())


def _wraps(above: TextRow, row: TextRow, right: float) -> bool:
    """Whether the label of a line is the rest of the label above: it had no more room, or is lower case."""
    if not (above.cells[0] and row.cells[0]):
        return False
    last, first = above.cells[0][-1], row.cells[0][0]
    if first.top - last.bottom > _TIGHT * first.size:
        return False
    if last.text.endswith(":"):
        return False
    if first.text[:1].islower() or first.text[:1] == "(":
        return True
    if not _in_line(last, first):
        return False
    return right - last.x1 < first.first_width + 0.3 * first.size and len(last.text) >= _LONG_LABEL


def _in_line(last: Line, first: Line) -> bool:
    """Whether two lines of a label share a side, or the second one stands in a little."""
    aligned = min(abs(last.x0 - first.x0), abs(last.x1 - first.x1), abs(last.center - first.center)) <= 2.0
    return aligned or 0 < first.x0 - last.x0 <= 1.5 * first.size


def _by_labels(rows: Sequence[TextRow]) -> list[list[TextRow]]:
    """Rows of words: parted by white bands where there are any, else where a label opens anew."""
    gaps = [below.top - above.bottom for above, below in pairwise(rows)]
    limit = _band(gaps, rows)
    right = max((line.x1 for row in rows for line in row.cells[0]), default=0.0)
    groups: list[list[TextRow]] = [[rows[0]]]
    for gap, (above, row) in zip(gaps, pairwise(rows), strict=True):
        opens = bool(row.cells[0]) and len(row.filled()) > 1 and not _wraps(above, row, right)
        if gap > limit or (limit == float("inf") and opens):
            groups.append([row])
        else:
            groups[-1].append(row)
    return groups


def _band(gaps: Sequence[float], rows: Sequence[TextRow]) -> float:
    """Height of white above which a row ends; infinite where all lines are equally far apart."""
    ordered = sorted(gaps)
    if len(ordered) < 2:
        return float("inf")
    size = max(row.size for row in rows)
    jump, limit = max((b - a, (a + b) / 2) for a, b in pairwise(ordered))
    return limit if jump > 0.25 * size else float("inf")
