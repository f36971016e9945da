"""Parts a few lines above or below two columns from them: a date, the title of the table that follows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from extraction.pdf.layout import Box, Line

_MOST_ABOVE = 3
_MOST_BELOW = 4
_FEWEST_LINES = 3
_SHORT = 0.85
_PARTED = 1.2
_LARGE = 1.3


def split_above(band: list[Box], gutter: float, *, crossed: bool) -> tuple[list[Box], list[Box]]:
    """Part a few short lines above the columns from them: a date, the imprint of a journal.

    Args:
        band: Boxes from top to bottom, none of which crosses the gutter.
        gutter: The gutter.
        crossed: Whether something across both columns stands above.
    """
    lines = [box for box in band if isinstance(box, Line)]
    if len(lines) < len(band) or len(lines) < 2 * _MOST_ABOVE:
        return [], band
    size = median(line.size for line in lines)
    end = _first_gap(band, _PARTED * size)
    above = lines[:end]
    sides = [[line for line in above if (line.x0 < gutter) == left] for left in (True, False)]
    if not above or max(map(len, sides)) > _MOST_ABOVE:
        return [], band
    large = any(line.size > _LARGE * size for line in above)
    if not (large or (crossed and not all(sides))):
        return [], band
    widths = [
        max((line.width for line in lines if (line.x0 < gutter) == left), default=0.0)
        for left in (True, False)
    ]
    if any(line.width > _SHORT * widths[line.x0 >= gutter] for line in above if line.size <= _LARGE * size):
        return [], band
    return list(above), band[end:]


def split_below(band: list[Box], gutter: float, following: Sequence[Box]) -> tuple[list[Box], list[Box]]:
    """Part a few lines below the columns from them: the title of the table that follows.

    Args:
        band: Boxes from top to bottom, none of which crosses the gutter.
        gutter: The gutter.
        following: What stands across both columns below them.
    """
    lines = [box for box in band if isinstance(box, Line)]
    if not following or len(lines) < len(band) or len(lines) < 2 * _MOST_BELOW:
        return band, []
    size = median(line.size for line in lines)
    start = _last_gap(band, _PARTED * size)
    below = lines[start:]
    sides = {line.x0 < gutter for line in below}
    near = bool(below) and following[0].top - below[-1].bottom <= 2 * size
    if not near or len(below) > _MOST_BELOW or len(sides) > 1 or start < _FEWEST_LINES:
        return band, []
    return band[:start], list(below)


def _last_gap(boxes: Sequence[Box], least: float) -> int:
    """Index of the first box below the last space that goes across."""
    top, found = math.inf, len(boxes)
    for i in range(len(boxes) - 1, 0, -1):
        top = min(top, boxes[i].top)
        if top - max(box.bottom for box in boxes[:i]) >= least:
            return i
        if len(boxes) - i > _MOST_BELOW:
            break
    return found


def _first_gap(boxes: Sequence[Box], least: float) -> int:
    """How many boxes stand above the first space that goes across; 0 where there is none."""
    bottom = boxes[0].bottom
    for i, box in enumerate(boxes):
        if box.top - bottom >= least:
            return i
        bottom = max(bottom, box.bottom)
    return 0
