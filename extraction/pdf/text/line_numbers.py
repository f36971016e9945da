"""Finds the numbers that count the lines of pages in their margin, as transcripts of courts have them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from extraction.pdf.layout import Line, PageLayout

_FEWEST = 10
_FEWEST_ON_ONE_PAGE = 15
_ALIGNED = 6.0
_LONGEST = 3
_STEPS = (1, 5)
_EVEN = 0.25


def find_line_numbers(pages: Sequence[PageLayout]) -> set[int]:
    """Ids of the pieces that number the lines of pages.

    They stand below each other at even distances, left or right of all other text, and count up. A
    single page must have more of them than a document in which several pages do.
    """
    found = [numbers for page in pages if (numbers := _margin_numbers(page))]
    if len(found) > 1 or any(len(numbers) >= _FEWEST_ON_ONE_PAGE for numbers in found):
        return {id(line) for numbers in found for line in numbers}
    return set()


def _margin_numbers(page: PageLayout) -> list[Line]:
    lines = [box for box in page.boxes if isinstance(box, Line)]
    numbers = [line for line in lines if line.text.isdecimal() and len(line.text) <= _LONGEST]
    if len(numbers) < _FEWEST or len(numbers) == len(lines):
        return []
    columns: dict[int, list[Line]] = defaultdict(list)
    for line in numbers:
        columns[round(line.x1 / _ALIGNED)].append(line)
    column = max(columns.values(), key=len)
    edge = sum(line.x1 for line in column) / len(column)
    column = sorted((line for line in numbers if abs(line.x1 - edge) <= _ALIGNED), key=lambda line: line.top)
    ids = set(map(id, column))
    others = [line for line in lines if id(line) not in ids]
    return column if _is_outside(column, others) and _counts_evenly(column) else []


def _is_outside(column: Sequence[Line], others: Sequence[Line]) -> bool:
    """Whether a column stands left or right of the other text beside it."""
    top, bottom = column[0].top, column[-1].bottom
    beside = [line for line in others if top <= line.middle <= bottom]
    left, right = min(line.x0 for line in column), max(line.x1 for line in column)
    return bool(beside) and (
        all(line.x0 > right for line in beside) or all(line.x1 < left for line in beside)
    )


def _counts_evenly(column: Sequence[Line]) -> bool:
    if len(column) < _FEWEST:
        return False
    values = [int(line.text) for line in column]
    steps = {after - before for before, after in pairwise(values)}
    if len(steps) != 1 or steps.pop() not in _STEPS:
        return False
    distances = sorted(below.middle - above.middle for above, below in pairwise(column))
    usual = distances[len(distances) // 2]
    return all(abs(distance - usual) <= _EVEN * usual for distance in distances)
