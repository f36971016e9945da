"""Finds the parts of a page that may hold a table without a ruled grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from extraction.pdf.layout import Line
from extraction.pdf.openings import is_caption
from extraction.pdf.rules import Rule
from extraction.pdf.stacks import Stack, find_stacks, overlaps
from extraction.pdf.table_values import is_number, is_value, opens_note

Row = list[Line]
"""Pieces on one line of the page, from left to right."""

# Distances in font sizes: between rows with values, between a header and what is below it.
_ROW_GAP = 3.2
_HEAD_GAP = 1.3
_RULED_GAP = 2.5
_MOST_HEAD_ROWS = 9
_FURTHEST = 0.4
_SAME = 4.0
_OVERLAP = 60.0
_WIDEST_NAME = 14.0
_MOST_RULES = 400


@dataclass(slots=True)
class Window:
    """A part of a page that may be a table.

    Attributes:
        x0: Left edge.
        x1: Right edge.
        head: Rows above the first one with values.
        body: The other rows.
        rules: Horizontal rules over most of its width, from top to bottom.
        parts: Horizontal rules over a part of its width.
        captioned: Whether a caption stands right above it.
        banded: Whether rules part its header, and perhaps its rows, over its whole width.
        spans: Left and right edges of its columns of values and of the words beside them.
    """

    x0: float
    x1: float
    head: list[Row] = field(default_factory=list)
    body: list[Row] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    parts: list[Rule] = field(default_factory=list)
    captioned: bool = False
    banded: bool = False
    spans: list[tuple[float, float]] = field(default_factory=list)

    @property
    def width(self) -> float:
        """Width."""
        return self.x1 - self.x0

    @property
    def rows(self) -> list[Row]:
        """All rows."""
        return [*self.head, *self.body]


def top_of(row: Row) -> float:
    """Upper edge of a row."""
    return min(line.top for line in row)


def bottom_of(row: Row) -> float:
    """Lower edge of a row."""
    return max(line.bottom for line in row)


def size_of(row: Row) -> float:
    """Largest font size in a row."""
    return max(line.size for line in row)


def middle_of(row: Row) -> float:
    """Middle of a row."""
    return (top_of(row) + bottom_of(row)) / 2


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
        attach_rules(window, rows[first], rows[last], rules)
        first -= first > 0 and _interlock(rows[first - 1], rows[first])
        last += last + 1 < len(rows) and _interlock(rows[last], rows[last + 1])
        window.body = [clipped for row in rows[first : last + 1] if (clipped := clip(row, window))]
        grow_up(window, rows[:first])
        if _is_running_header(window, rows[0]):
            window.head = []
        _grow_down(window, rows[last + 1 :])
        yield window


def _is_running_header(window: Window, topmost: Row) -> bool:
    """Whether the header of a window is the head of the page, which leaves columns open."""
    if len(window.head) != 1 or window.captioned or window.head[0][0] not in topmost:
        return False
    return len(window.head[0]) < 0.75 * len(window.spans)


def _interlock(upper: Row, lower: Row) -> bool:
    """Whether two rows reach into each other, as values beside the middle of a label do."""
    return top_of(lower) < bottom_of(upper) - 0.2 * size_of(lower)


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


def attach_rules(window: Window, first: Row, last: Row, rules: Sequence[Rule]) -> None:
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


def clip(row: Row, window: Window) -> Row:
    """The pieces of a row that stand in a window."""
    return [line for line in row if window.x0 - 2 <= line.center <= window.x1 + 2]


def grow_up(window: Window, above: Sequence[Row]) -> None:
    """Take the rows of the header, from the first row with values upwards."""
    taken: list[Row] = []
    lower = window.body[0]
    for row in reversed(above):
        if len(taken) == _MOST_HEAD_ROWS:
            break
        if any(_reaches_out(line, window) for line in row):
            break
        _widen(window, row)
        clipped = clip(row, window)
        if not clipped:
            continue
        if is_caption(clipped[0].text) or is_caption(row[0].text):
            window.captioned = True
            break
        if not _heads(clipped, lower, window, bool(taken)):
            break
        taken.append(clipped)
        lower = clipped
    window.head = taken[::-1]


def _reaches_out(line: Line, window: Window) -> bool:
    """Whether a piece goes past a side of a window, and is not just the wide name of its outer column."""
    slack = 1.5 * line.size
    left = line.x0 < window.x0 - slack < line.x1
    right = line.x0 < window.x1 + slack < line.x1
    if not (left or right):
        return False
    return not _is_outer_name(line, window) or (left and right)


def _is_outer_name(line: Line, window: Window) -> bool:
    """Whether a piece stands over the last or the first column alone, if not within its width."""
    if len(window.spans) < 2 or line.width > _WIDEST_NAME * line.size:
        return False
    last, before = window.spans[-1], window.spans[-2]
    return (line.x0 > before[1] and line.x0 < last[1]) or (
        line.x1 < window.spans[1][0] and line.x1 > window.spans[0][0]
    )


def _widen(window: Window, row: Row) -> None:
    for line in row:
        if line.x0 < window.x1 and line.x1 > window.x0 and _is_outer_name(line, window):
            window.x0, window.x1 = min(window.x0, line.x0), max(window.x1, line.x1)


def _heads(row: Row, lower: Row, window: Window, below_header: bool) -> bool:
    """Whether a row may be a part of the header above ``lower``."""
    gap = (top_of(lower) - bottom_of(row)) / size_of(row)
    between = [rule for rule in window.rules if middle_of(row) < rule.at < middle_of(lower)]
    if between and below_header:
        return any(rule.at < middle_of(row) for rule in window.rules) and gap <= _RULED_GAP
    if gap > (_RULED_GAP if between else _HEAD_GAP):
        return False
    ruled = any(rule.at < middle_of(row) for rule in window.rules)
    wide = row[-1].x1 - row[0].x0 > 0.6 * window.width
    return ruled or len(row) > 1 or not wide


def _grow_down(window: Window, below: Sequence[Row]) -> None:
    """Take rows below the last one with values, up to a rule at the foot of the table."""
    foot = max((rule.at for rule in window.rules), default=0.0)
    upper = window.body[-1]
    taken: list[Row] = []
    for row in below:
        if middle_of(row) > foot:
            break
        clipped = clip(row, window)
        if not clipped:
            continue
        if opens_note(clipped[0].text):
            break
        if top_of(clipped) - bottom_of(upper) > _RULED_GAP * size_of(clipped) or any(
            _reaches_out(line, window) for line in row
        ):
            return
        taken.append(clipped)
        upper = clipped
    window.body += taken
