"""Finds where a table without a grid begins and ends, from its rows with values outwards."""

from __future__ import annotations

from collections.abc import Sequence

from extraction.pdf.layout import Line
from extraction.pdf.openings import is_caption
from extraction.pdf.tables.area import Row, Window, bottom_of, clip, middle_of, size_of, top_of
from extraction.pdf.tables.values import opens_note

# Distances in font sizes: between a header and what is below it, without and with a rule between.
_HEAD_GAP = 1.3
_RULED_GAP = 2.5
_MOST_HEAD_ROWS = 9
_WIDEST_NAME = 14.0


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


def grow_down(window: Window, below: Sequence[Row]) -> None:
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


def is_running_header(window: Window, topmost: Row) -> bool:
    """Whether the header of a window is the head of the page, which leaves columns open."""
    if len(window.head) != 1 or window.captioned or window.head[0][0] not in topmost:
        return False
    return len(window.head[0]) < 0.75 * len(window.spans)


def interlock(upper: Row, lower: Row) -> bool:
    """Whether two rows reach into each other, as values beside the middle of a label do."""
    return top_of(lower) < bottom_of(upper) - 0.2 * size_of(lower)
