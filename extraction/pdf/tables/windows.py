"""Finds the parts of a page that may hold a table without a ruled grid, by values below each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from extraction.pdf.layout import Line
from extraction.pdf.tables.area import Row, Window, bottom_of, clip, size_of, top_of
from extraction.pdf.tables.growth import grow_down, grow_up, interlock, is_running_header
from extraction.pdf.tables.rules import Rule
from extraction.pdf.tables.stacks import Stack, find_stacks, overlaps
from extraction.pdf.tables.values import is_number, is_value

_ROW_GAP = 3.2  # between rows with values, in font sizes
_FURTHEST = 0.4
_SAME = 4.0
_OVERLAP = 60.0
_MOST_RULES = 400


def find_windows(rows: Sequence[Row], rules: Sequence[Rule], width: float) -> Iterator[Window]:
    """The parts of a page that may hold a table: rows with values below each other.

    Args:
        rows: The page's rows, top to bottom.
        rules: Its horizontal rules outside ruled tables.
        width: Width of the page.
    """
    for numbers in _clusters(rows):
        if len(numbers) < 2:
            continue
        window = _around(rows, numbers, width)
        if window is None:
            continue
        first, last = numbers[0], numbers[-1]
        _attach_rules(window, rows[first], rows[last], rules)
        first -= first > 0 and interlock(rows[first - 1], rows[first])
        last += last + 1 < len(rows) and interlock(rows[last], rows[last + 1])
        window.body = [clipped for row in rows[first : last + 1] if (clipped := clip(row, window))]
        grow_up(window, rows[:first])
        if is_running_header(window, rows[0]):
            window.head = []
        grow_down(window, rows[last + 1 :])
        yield window


def _clusters(rows: Sequence[Row]) -> list[list[int]]:
    """Indices of rows that have values below each other."""
    done: list[list[int]] = []
    numbers: list[int] = []
    stacks: list[Stack] = []
    for index, row in enumerate(rows):
        values = [line for line in row if is_value(line.text)]
        if not any(is_number(line.text) for line in values) or len(row) < 2 or values == row[:1]:
            continue
        near = bool(numbers) and top_of(row) - bottom_of(rows[numbers[-1]]) <= _ROW_GAP * size_of(row)
        if not (near and _match(stacks, values)):
            numbers, stacks = [], []
            done.append(numbers)
        numbers.append(index)
        _put(stacks, values)
    return done


def _match(stacks: Sequence[Stack], values: Sequence[Line]) -> bool:
    """Whether at least half of the values stand below values of the rows before."""
    hits = sum(any(overlaps(line.x0, line.x1, s.x0, s.x1) for s in stacks) for line in values)
    return hits >= 0.5 * len(values)


def _put(stacks: list[Stack], values: Sequence[Line]) -> None:
    for line in values:
        home = next((s for s in stacks if overlaps(line.x0, line.x1, s.x0, s.x1)), None)
        if home is None:
            home = Stack()
            stacks.append(home)
        home.add(line)


def _around(rows: Sequence[Row], numbers: Sequence[int], width: float) -> Window | None:
    """How far a table reaches to the left and right of its columns of values."""
    stacks = [
        stack
        for stack in find_stacks(line for index in numbers for line in rows[index])
        if len(stack.lines) >= max(2, 0.3 * len(numbers))
    ]
    numeric = [index for index, stack in enumerate(stacks) if stack.numeric]
    if not numeric:
        return None
    low, high = numeric[0], numeric[-1]
    if any(stack.prose for stack in stacks[low:high]):
        return None
    while low > 0 and _belongs(stacks[low - 1], stacks[low], len(numbers), width):
        low -= 1
    while high + 1 < len(stacks) and _belongs(stacks[high + 1], stacks[high], len(numbers), width):
        high += 1
    chosen = stacks[low : high + 1]
    if low == numeric[0]:
        chosen = [*_labels_between(rows, numbers, chosen[0], width), *chosen]
    return Window(chosen[0].x0, chosen[-1].x1, spans=[(stack.x0, stack.x1) for stack in chosen])


def _labels_between(rows: Sequence[Row], numbers: Sequence[int], first: Stack, width: float) -> list[Stack]:
    """The column of labels whose lines stand above and below the height of the values."""
    known = set(numbers)
    between = [
        line
        for index in range(max(numbers[0] - 1, 0), min(numbers[-1] + 2, len(rows)))
        if index not in known
        for line in rows[index]
        if line.x1 < first.x0
    ]
    stacks = find_stacks(between)
    return stacks[-1:] if stacks and _belongs(stacks[-1], first, 2 * len(numbers), width) else []


def _belongs(stack: Stack, neighbour: Stack, rows: int, width: float) -> bool:
    """Whether a column of words belongs to the table beside it."""
    gap = max(stack.x0 - neighbour.x1, neighbour.x0 - stack.x1)
    return len(stack.lines) >= 0.4 * rows and not stack.prose and gap <= _FURTHEST * width


def _attach_rules(window: Window, first: Row, last: Row, rules: Sequence[Rule]) -> None:
    """Take the rules at and between the rows of a window; those that it lies within widen it."""
    top, bottom = top_of(first), bottom_of(last)
    size = size_of(first)
    near = [
        rule
        for rule in rules[:_MOST_RULES]
        if top - 14 * size <= rule.at <= bottom + 4 * size
        and min(rule.end, window.x1) - max(rule.start, window.x0) > 0
    ]
    for rule in near:
        alike = sum(abs(rule.start - r.start) <= _SAME and abs(rule.end - r.end) <= _SAME for r in near)
        if _covers(rule, window) and (alike > 1 or rule.length <= window.width + _OVERLAP):
            window.x0, window.x1 = min(window.x0, rule.start), max(window.x1, rule.end)
    window.rules = [rule for rule in near if _covers(rule, window)]
    window.parts = [rule for rule in near if not _covers(rule, window)]


def _covers(rule: Rule, window: Window) -> bool:
    return min(rule.end, window.x1) - max(rule.start, window.x0) >= 0.8 * window.width
