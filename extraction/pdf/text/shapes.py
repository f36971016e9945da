"""Judges lines by their place: whether one stands in, ends early or goes on with the one above."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from extraction.pdf.layout import Box, Frame, Line
from extraction.pdf.openings import ends_sentence, is_list_item, opens_clause
from extraction.pdf.text.blocks import Block, is_centered

# Shares of the font size.
_STANDS_IN = 0.8
_DEEPEST_INDENT = 8.0
_SAME = 0.3
_HANGING = 3.0
# A gap of so many font sizes inside a short line parts labels and values, not words.
_WIDE_GAP = 4.0
_SHORT_LINE = 45
_MARKER = re.compile(
    r"(?:[•▪●■–—*-]|[(\[]?(?:\d{1,3}|[^\W\d_])(?:\.\d{1,3})*[.:)\]]+|\d{1,3}(?:\.\d{1,3})+)(?=\s)"
)
_QUANTITY = re.compile(r"\d{1,4}(?:[.,]\d+)? [a-zа-яё]{2}")
_RAGGED = 0.2
# Line spacing in font sizes: three lines are no text any more; it is counted in steps of a twentieth.
_WIDEST_PITCH = 3.0
_STEPS = 20
_SEVERAL = 4
_TABULAR_SPACE = 2
# Symbols that stand above or below a row: no more characters than this.
_SCATTERED = 8
_BESIDE = 1.5


def usual_indent(boxes: Sequence[Box]) -> float | None:
    """The x at which the first lines of paragraphs begin, where these stand in from their second lines."""
    starts: Counter[int] = Counter()
    for line, below in pairwise(boxes):
        if not isinstance(line, Line) or not isinstance(below, Line):
            continue
        close = below.bottom - line.bottom < 2 * line.size
        if close and _STANDS_IN * line.size < line.x0 - below.x0 < _DEEPEST_INDENT * line.size:
            starts[round(line.x0)] += 1
    near = {x: starts[x - 1] + starts[x] + starts[x + 1] for x in starts}
    best = max(near, key=lambda x: near[x], default=0)
    return best if near and near[best] > 1 else None


def wide_pitch(boxes: Sequence[Box], usual: float) -> float:
    """Distance between the lines of a frame that is set wider than usual, in font sizes.

    Args:
        boxes: The boxes of the frame, from top to bottom.
        usual: The usual distance in the document, returned unless many lines that plainly go on with
            the one before them are further apart.
    """
    steps: Counter[int] = Counter()
    for last, line in pairwise(boxes):
        if isinstance(last, Line) and isinstance(line, Line) and abs(last.size - line.size) < 0.5:
            step = (line.bottom - last.bottom) / max(line.size, 1.0)
            if usual < step < _WIDEST_PITCH and goes_on(last, line):
                steps[round(step * _STEPS)] += 1
    if not steps:
        return usual
    step, count = steps.most_common(1)[0]
    return max(usual, step / _STEPS) if count >= _SEVERAL else usual


def is_tabular(line: Line) -> bool:
    """Whether a line is a row of labels and values; in running text a gap may hold a drawn formula."""
    return line.gap > _WIDE_GAP and (line.weight < _SHORT_LINE or line.gap > _TABULAR_SPACE * _WIDE_GAP)


def is_short(last: Line, line: Line, frame: Frame) -> bool:
    """Whether the first word of ``line`` would have fitted at the end of ``last``."""
    return frame.right - last.x1 > line.first_width + 0.8 * line.size


def differs(last: Line, line: Line) -> bool:
    """Whether two lines are set in different type; one that changes in mid-line leads over."""
    if min(last.weight, line.weight) < 3:
        return False
    if abs(last.size - line.size) > 0.12 * max(last.size, line.size):
        return True
    return (
        last.bold != line.bold
        and (last.bold_weight == 0 or line.bold_weight == 0)
        and last.ends_bold != line.opens_bold
    )


def opens_in_bold(last: Line, line: Line) -> bool:
    """Whether a line begins with a bold lead after a sentence in plain type."""
    return line.opens_bold and not last.ends_bold and ends_sentence(last.text)


def is_row_part(block: Block, line: Line, pitch: float) -> bool:
    """Whether a line is a part of the row above: the foot of a fraction, what stands under a sum."""
    last = block.lines[-1]
    step = (line.bottom - last.bottom) / max(last.size, line.size, 1.0)
    larger, smaller = max(last.size, line.size), min(last.size, line.size)
    apart = max(line.x0 - last.x1, last.x0 - line.x1) > _BESIDE * smaller
    if step < 0.6 * pitch and not apart:
        return larger < 1.5 * smaller or min(last.weight, line.weight) <= _SCATTERED
    small = line.size < 0.85 * last.size and line.weight < last.weight
    inside = last.x0 - 2 <= line.x0 and line.x1 <= last.x1 + 2
    display = last.x0 - block.frame.left > 2 * last.size
    return small and inside and display and step < pitch


def goes_on(last: Line, line: Line) -> bool:
    """Whether a line goes on in lower case with a sentence that has not ended."""
    return line.text[:1].islower() and not ends_sentence(last.text)


def _goes_on_counting(last: Line, line: Line, frame: Frame) -> bool:
    """Whether a line goes on with a quantity, below a nearly full line: «people aged», «6 years»."""
    nearly_full = frame.right - last.x1 < _RAGGED * (frame.right - frame.left)
    return nearly_full and _QUANTITY.match(line.text) is not None and not ends_sentence(last.text)


def continues_at_margin(block: Block, line: Line) -> bool:
    """Whether a line stands like the second line of a paragraph whose first line stands in."""
    first, last = block.lines[0], block.lines[-1]
    indented = len(block.lines) > 1 and first.x0 - last.x0 > _STANDS_IN * line.size
    return indented and abs(line.x0 - last.x0) < _SAME * line.size


def parts_by_shape(block: Block, line: Line, indent: float | None, size: float) -> bool:
    """Whether a line opens a new block, judged by its place and that of the lines before it.

    Args:
        block: The lines before it.
        line: The line.
        indent: Where first lines of paragraphs usually begin in the frame.
        size: Font size of the body text.
    """
    frame, last = block.frame, block.lines[-1]
    flush = abs(line.x0 - last.x0) < _SAME * line.size
    if not flush:
        centered = _parts_by_center(block, line, size)
        if centered is not None:
            return centered
    elif is_centered(last, frame) and is_centered(line, frame):
        return False
    if _stands_in(block, line) or _opens_by_indent(block, line, indent) or _ends_hanging(block, line):
        return True
    return is_short(last, line, frame) and not (goes_on(last, line) or _goes_on_counting(last, line, frame))


def _parts_by_center(block: Block, line: Line, size: float) -> bool | None:
    """Whether a line parts from the block because only one of them is centred; ``None`` if neither is."""
    frame, last = block.frame, block.lines[-1]
    pair = is_centered(last, frame), is_centered(line, frame)
    if all(pair):
        return False
    middle = (frame.left + frame.right) / 2
    balanced = all(abs(each.center - middle) < 0.8 * each.size for each in (*block.lines, line))
    if balanced and any(pair) and line.size > 1.12 * size:
        return False  # a large title, one of whose lines is as wide as the frame
    if pair[0] != pair[1] and len(block.lines) > 1 and not goes_on(last, line):
        return True
    return False if pair[1] and goes_on(last, line) else None


def _stands_in(block: Block, line: Line) -> bool:
    """Whether a line stands in from the lines before it, as the first of a paragraph does."""
    last = block.lines[-1]
    if line.x0 - last.x0 < _STANDS_IN * line.size:
        return False
    if len(block.lines) > 1:
        return True
    if goes_on(last, line):
        return False
    marker = _MARKER.match(last.text)
    text = last.x0 + last.first_width
    if marker and text <= line.x0 <= text + _HANGING * line.size:
        return False
    hanging = marker or is_list_item(last.text) or opens_clause(last.text)
    return not hanging or ends_sentence(last.text)


def _ends_hanging(block: Block, line: Line) -> bool:
    """Whether a line stands out like the first one of a paragraph whose other lines hang below it."""
    first, last = block.lines[0], block.lines[-1]
    hanging = last.x0 - first.x0 > _STANDS_IN * line.size
    return hanging and abs(line.x0 - first.x0) < _SAME * line.size and ends_sentence(last.text)


def _opens_by_indent(block: Block, line: Line, indent: float | None) -> bool:
    """Whether a line begins where paragraphs do, below a paragraph of a single line."""
    last = block.lines[-1]
    if indent is None or len(block.lines) > 1 or not ends_sentence(last.text):
        return False
    near = _SAME * line.size
    at_indent = abs(line.x0 - indent) < near and abs(last.x0 - indent) < near
    return at_indent and line.x0 - block.frame.left > _STANDS_IN * line.size
