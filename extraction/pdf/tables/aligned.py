"""Reads tables that no grid of rules shows: columns of text, perhaps with rules above and below."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise

from extraction.pdf.layout import Cell, Glyph, Line, TableRegion
from extraction.pdf.tables.area import Window
from extraction.pdf.tables.bands import find_banded, is_banded_table
from extraction.pdf.tables.captioned import find_captioned
from extraction.pdf.tables.cells import resolve_spans, write_cell
from extraction.pdf.tables.heads import Head, read_head
from extraction.pdf.tables.pieces import Splitter
from extraction.pdf.tables.rows import TextRow, group_text_rows, level_rows
from extraction.pdf.tables.rules import Rule
from extraction.pdf.tables.stacks import Stack, find_stacks, overlaps
from extraction.pdf.tables.values import (
    counts_pages,
    has_leaders,
    is_equation_number,
    is_mark,
    is_scale,
    is_year,
)
from extraction.pdf.tables.windows import find_windows

_LEAST_ROWS = 3
_ENOUGH = 4


def find_aligned(
    pieces: Sequence[Line], glyphs: Sequence[Glyph], rules: Sequence[Rule], page: int, width: float
) -> tuple[list[TableRegion], list[Line]]:
    """The tables among the pieces of lines outside ruled tables.

    Precision comes before recall: text that is torn to cells is worse than a table that stays lines.

    Args:
        pieces: Pieces of lines, as ``lines.build_pieces`` gives them.
        glyphs: The glyphs that they are made of.
        rules: Horizontal rules outside ruled tables.
        page: Page number.
        width: Width of the page.

    Returns:
        The tables, and the pieces that stand in them.
    """
    tables: list[TableRegion] = []
    used: list[Line] = []
    taken: set[int] = set()
    splitter: Splitter | None = None
    rows = level_rows(pieces)
    for window in chain(find_windows(rows, rules, width), find_banded(rows, rules), find_captioned(rows)):
        inside = [line for row in window.rows for line in row]
        if any(id(line) in taken for line in inside):
            continue
        splitter = splitter or Splitter(glyphs, page)
        table = _read(window, splitter, page)
        if table is not None:
            tables.append(table)
            used += inside
            taken.update(map(id, inside))
    return tables, used


def _read(window: Window, splitter: Splitter, page: int) -> TableRegion | None:
    body = [splitter.values(row) for row in window.body]
    stacks = _columns(body, window)
    is_table = is_banded_table if window.banded else _is_table
    if len(stacks) < 2 or not is_table(window, body, stacks):
        return None
    spans = [(stack.x0, stack.x1) for stack in stacks]
    rows = [TextRow(_place(row, spans)) for row in body]
    if _alternate(rows, stacks, window):
        return None
    grouped = group_text_rows(rows, [rule.at for rule in window.rules])
    head = read_head(window, spans, splitter)
    return _region(window, head, grouped, spans, page)


def _alternate(rows: Sequence[TextRow], stacks: Sequence[Stack], window: Window) -> bool:
    """Whether two columns of values without names take turns, as values on the bars of a chart do."""
    filled = [row.filled() for row in rows]
    named = [line for row in window.head for line in row]
    for right in range(1, len(stacks)):
        pair = {right - 1, right}
        if not all(stacks[column].numeric for column in pair):
            continue
        either = [len(columns & pair) for columns in filled if columns & pair]
        names = (any(overlaps(n.x0, n.x1, stacks[c].x0, stacks[c].x1) for n in named) for c in pair)
        if len(either) >= _LEAST_ROWS and max(either) == 1 and not all(names):
            return True
    return False


def _columns(body: Sequence[Sequence[Line]], window: Window) -> list[Stack]:
    """The columns of a table, by the pieces of its rows and of the lines between them."""

    def counts(line: Line, row: Sequence[Line]) -> bool:
        return len(row) > 1 or any(x0 - 1 <= line.x0 and line.x1 <= x1 + 1 for x0, x1 in window.spans)

    return find_stacks(line for row in body for line in row if counts(line, row))


def _place(row: Sequence[Line], spans: Sequence[tuple[float, float]]) -> list[list[Line]]:
    """The pieces of a row by column."""
    cells: list[list[Line]] = [[] for _ in spans]
    for line in row:
        over = [i for i, span in enumerate(spans) if overlaps(line.x0, line.x1, *span)]
        cells[over[0] if over else _nearest(line, spans)].append(line)
    return cells


def _nearest(line: Line, spans: Sequence[tuple[float, float]]) -> int:
    return min(range(len(spans)), key=lambda i: max(spans[i][0] - line.x1, line.x0 - spans[i][1]))


def _is_table(window: Window, body: Sequence[Sequence[Line]], stacks: Sequence[Stack]) -> bool:
    """Whether rows are those of a table, by everything that speaks for and against it."""
    data = [row for row in body if len(row) > 1]
    ruled = len(window.rules)
    if len(data) < (2 if ruled > 1 or window.captioned else _LEAST_ROWS):
        return False
    plain = ruled < 3 and not window.captioned
    numeric = [
        stack
        for stack in stacks
        if stack.numeric
        and not ((stack is stacks[0] or plain) and stack.counting)
        and _share(stack, is_equation_number) <= 0.6
    ]
    if any(_refutes(stacks, numeric, window)):
        return False
    points = min(ruled, 3) + 2 * window.captioned + min(len(numeric), 3)
    points += (len(data) >= 4) + bool(window.head)
    points += all(stack.aligned for stack in numeric)
    fill = sum(min(len(stack.lines), len(data)) for stack in stacks) / (len(data) * len(stacks))
    points += 1 if fill >= 0.7 else -2 if fill < 0.4 else 0
    return points >= _ENOUGH + (len(stacks) == 2)


def _refutes(stacks: Sequence[Stack], numeric: Sequence[Stack], window: Window) -> Iterator[bool]:
    """Signs of something else: contents, lists, formulas, axes of charts, running text."""
    first, last = stacks[0], stacks[-1]
    firm = len(window.rules) > 1 or window.captioned
    yield not numeric or (numeric == [first] and not window.captioned)
    yield any(stack.prose for stack in stacks) and not firm
    yield len(stacks) == 2 and (first.numeric or _share(first, is_mark) > 0.6)
    if len(numeric) == 1:
        yield (numeric[0] is last or first.counting) and counts_pages(numeric[0].texts) and not firm
        yield _share(stacks[-2], has_leaders) > 0.4
    long = [stack for stack in numeric if len(stack.lines) > 3]
    yield bool(long) and all(is_scale(stack.texts) for stack in long)
    yield not all(stack.aligned for stack in numeric) and not firm
    matrix = all(stack.numeric for stack in stacks)
    yield matrix and not (window.head or firm or len(first.lines) >= 6)
    yield matrix and max(len(stack.lines) for stack in stacks) < _LEAST_ROWS


def _share(stack: Stack, test: Callable[[str], bool]) -> float:
    return sum(test(line.text) for line in stack.lines) / len(stack.lines)


def _year_rows(slots: Sequence[Sequence[int]], texts: Sequence[Cell]) -> int:
    """1 if the first row names its columns by years, which the rows below do not hold; else 0."""
    if len(slots) < 2:
        return 0
    first, second = ([" ".join(texts[i]) for i in row[1:]] for row in slots[:2])
    years = sum(map(is_year, first))
    return int(years >= 2 and years == sum(map(bool, first)) and not any(map(is_year, second)))


def _region(
    window: Window,
    head: Head,
    grouped: Sequence[Sequence[TextRow]],
    spans: Sequence[tuple[float, float]],
    page: int,
) -> TableRegion:
    slots = [list(row) for row in head.slots]
    texts: list[Cell] = list(head.texts)
    for rows in grouped:
        slots.append(list(range(len(texts), len(texts) + len(spans))))
        texts += [write_cell([line for row in rows for line in row.cells[i]]) for i in range(len(spans))]
    lines = [line for row in window.rows for line in row]
    inner = [(a[1] + b[0]) / 2 for a, b in pairwise(spans)]
    return TableRegion(
        page=page,
        x0=min(line.x0 for line in lines),
        top=min(line.top for line in lines),
        x1=max(line.x1 for line in lines),
        bottom=max(line.bottom for line in lines),
        edges=(spans[0][0], *inner, spans[-1][1]),
        rows=resolve_spans(slots, texts),
        header_rows=len(head.slots) + _year_rows(slots[len(head.slots) :], texts),
        slots=tuple(map(tuple, slots)),
        ruled=False,
    )
