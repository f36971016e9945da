"""Finds tables of words whose rows stand between horizontal rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from extraction.pdf.openings import is_caption
from extraction.pdf.tables.area import Row, Window, bottom_of, clip, middle_of, size_of, top_of
from extraction.pdf.tables.rules import Rule
from extraction.pdf.tables.stacks import Stack, find_stacks
from extraction.pdf.tables.values import is_equation_number, is_mark, is_page_number

_SAME = 4.0
_LEAST_LENGTH = 80.0
_LEAST_BANDS = 2
_MOST_RULES = 400
_HEAD_ROWS = 6
_CAPTION_GAP = 3.0
_PROSE_LINES = 5


def find_banded(rows: Sequence[Row], rules: Sequence[Rule]) -> Iterator[Window]:
    """The parts of a page where text stands in columns in two or more bands between rules of one length.

    The first band is the header. Running text in columns, as between the rules at the head and at the
    foot of a page, is no band of a table.

    Args:
        rows: The page's rows, top to bottom.
        rules: Its horizontal rules outside ruled tables.
    """
    for group in _alike(rules[:_MOST_RULES]):
        run: list[tuple[Rule, Rule, list[Row]]] = []
        for upper, lower in pairwise(group):
            band = _band(rows, upper, lower)
            if band and _is_tabular(band):
                run.append((upper, lower, band))
            elif not (run and band and _is_heading(band)):
                yield from _window(run, rows, rules)
                run = []
            else:
                run.append((upper, lower, band))
        yield from _window(run, rows, rules)


def _alike(rules: Sequence[Rule]) -> list[list[Rule]]:
    """Groups of long rules that begin and end at the same places, each from top to bottom."""
    groups: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda rule: rule.at):
        if rule.length < _LEAST_LENGTH:
            continue
        same = (
            g for g in groups if abs(g[0].start - rule.start) <= _SAME and abs(g[0].end - rule.end) <= _SAME
        )
        home = next(same, None)
        if home is None:
            groups.append([rule])
        else:
            home.append(rule)
    return [group for group in groups if len(group) > _LEAST_BANDS]


def _band(rows: Sequence[Row], upper: Rule, lower: Rule) -> list[Row]:
    frame = Window(upper.start, upper.end)
    inside = (row for row in rows if upper.at < middle_of(row) < lower.at)
    return [clipped for row in inside if (clipped := clip(row, frame))]


def _is_tabular(band: Sequence[Row]) -> bool:
    """Whether the text of a band stands in columns, of which one at most is running text."""
    several = [row for row in band if len(row) > 1]
    stacks = find_stacks(line for row in several for line in row)
    if len(stacks) < 2 or len(several) < 0.3 * len(band):
        return False
    return sum(stack.prose and len(stack.lines) >= _PROSE_LINES for stack in stacks) < 2 or _has_gaps(band)


def _has_gaps(band: Sequence[Row]) -> bool:
    """Whether white bands part the rows, as they do not in running text."""
    spaces = [top_of(b) - bottom_of(a) for a, b in pairwise(band)]
    return (
        sum(space > 0.7 * size_of(row) for space, row in zip(spaces, band[1:], strict=True))
        >= len(band) // 4
        > 0
    )


def _is_heading(band: Sequence[Row]) -> bool:
    """Whether a band holds one short line, as the name of a part of the table."""
    return len(band) == 1 and len(band[0]) == 1


def _window(
    run: Sequence[tuple[Rule, Rule, list[Row]]], rows: Sequence[Row], rules: Sequence[Rule]
) -> Iterator[Window]:
    while run and _is_heading(run[-1][2]):
        run = run[:-1]
    if run and _is_running_header(run, rows):
        run = run[1:]
    if len(run) < _LEAST_BANDS or len(run[0][2]) > _HEAD_ROWS:
        return
    top, bottom = run[0][0], run[-1][1]
    window = Window(top.start, top.end, banded=True)
    window.head = list(run[0][2])
    window.body = [row for _, _, band in run[1:] for row in band]
    window.rules = [top, *(lower for _, lower, _ in run)]
    window.parts = [
        rule
        for rule in rules[:_MOST_RULES]
        if top.at < rule.at < bottom.at and rule.length < 0.8 * top.length
    ]
    above = [row for row in rows if bottom_of(row) <= top.at + 2]
    window.captioned = bool(above) and _captions(above[-3:], top)
    yield window


def _is_running_header(run: Sequence[tuple[Rule, Rule, list[Row]]], rows: Sequence[Row]) -> bool:
    """Whether the first band is the head of the page, by its place and by the columns that it leaves open."""
    first = run[0][2]
    columns = max(len(row) for _, _, band in run for row in band)
    if middle_of(first[0]) > middle_of(rows[0]) + 1:
        return False
    open_columns = all(len(row) < 0.75 * columns for row in first)
    return open_columns or any(is_page_number(line.text) for line in (first[0][0], first[0][-1]))


def _marks_items(stack: Stack) -> bool:
    """Whether a column holds the numbers of paragraphs, as «(1)» or «а)»."""
    marks = sum(
        is_equation_number(line.text) or (is_mark(line.text) and not stack.numeric) for line in stack.lines
    )
    return marks > 0.5 * len(stack.lines)


def _captions(rows: Sequence[Row], top: Rule) -> bool:
    near = (row for row in rows if top.at - bottom_of(row) <= _CAPTION_GAP * size_of(row))
    return any(is_caption(line.text) for row in near for line in row)


def is_banded_table(window: Window, body: Sequence[Row], stacks: Sequence[Stack]) -> bool:
    """Whether the columns of a window between rules are those of a table: filled, and named at its top."""
    data = [row for row in body if len(row) > 1]
    if len(stacks) < 2 or not data or any(len(stack.lines) < 2 and len(data) > 3 for stack in stacks):
        return False
    if all(stack.prose for stack in stacks) and not window.captioned:
        return False
    if stacks[0].counting or any(_marks_items(stack) for stack in stacks[:-1]):
        return False
    named = sum(len(row) for row in window.head)
    several = len(window.rules) > 3 or window.captioned or len(stacks) > 2
    return named >= 2 and several and sum(map(len, data)) >= 0.5 * len(data) * len(stacks)
