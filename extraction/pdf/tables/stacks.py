"""Finds columns: pieces of lines that stand below each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from extraction.pdf.layout import Line
from extraction.pdf.tables.values import is_mark, is_number, is_placeholder, is_value

_SHARE = 0.3
_PROSE_LETTERS = 22
_PROSE_LINES = 3
_ALIGNED = 2.0


@dataclass(slots=True, eq=False)
class Stack:
    """Pieces that stand below each other.

    Attributes:
        lines: The pieces.
        x0: Left edge of the leftmost.
        x1: Right edge of the rightmost.
    """

    lines: list[Line] = field(default_factory=list)
    x0: float = float("inf")
    x1: float = float("-inf")

    def add(self, line: Line) -> None:
        """Put a piece on the stack."""
        self.lines.append(line)
        self.x0, self.x1 = min(self.x0, line.x0), max(self.x1, line.x1)

    @property
    def center(self) -> float:
        """Its middle."""
        return (self.x0 + self.x1) / 2

    @property
    def texts(self) -> list[str]:
        """Texts, top to bottom."""
        return [line.text for line in sorted(self.lines, key=lambda line: line.top)]

    @property
    def numeric(self) -> bool:
        """Whether most pieces are values, some of them numbers."""
        texts = [line.text for line in self.lines]
        return sum(map(is_value, texts)) >= 0.6 * len(texts) and any(map(is_number, texts))

    @property
    def prose(self) -> bool:
        """Whether the pieces are lines of running text: they fill the width, or go on in lower case."""
        count = len(self.lines)
        if count < _PROSE_LINES or sum(line.weight for line in self.lines) < _PROSE_LETTERS * count:
            return False
        widths = sorted(line.width for line in self.lines)
        full = widths[int(0.9 * (count - 1))]
        filled = count > _PROSE_LINES and sum(w >= 0.85 * full for w in widths) >= 0.55 * count
        return filled or sum(line.text[:1].islower() for line in self.lines) >= 0.6 * count

    @property
    def counting(self) -> bool:
        """Whether the pieces only count lines or items: 1, 2, 3 or 2.1, 2.2 or a), b)."""
        texts = self.texts
        numbers = [int(text) for text in texts if text.isdecimal()]
        if len(numbers) > 1 and len(numbers) >= 0.8 * len(texts):
            return sum(b - a == 1 for a, b in pairwise(numbers)) >= 0.7 * (len(numbers) - 1)
        return sum(map(is_mark, texts)) >= 0.7 * len(texts) and not any(map(is_placeholder, texts))

    @property
    def aligned(self) -> bool:
        """Whether most pieces share a left edge, a right edge or a middle."""
        edges = zip(*((line.x0, line.x1, line.center) for line in self.lines), strict=True)
        return any(_agreeing(values) >= 0.7 for values in edges)


def _agreeing(values: Sequence[float]) -> float:
    """Largest share of values that lie within a small distance of each other."""
    ordered = sorted(values)
    most, start = 0, 0
    for end, value in enumerate(ordered):
        while value - ordered[start] > 2 * _ALIGNED:
            start += 1
        most = max(most, end - start + 1)
    return most / len(ordered)


def overlaps(x0: float, x1: float, y0: float, y1: float) -> bool:
    """Whether two stretches share a good part of the shorter one."""
    return min(x1, y1) - max(x0, y0) >= _SHARE * max(min(x1 - x0, y1 - y0), 0.1)


def find_stacks(lines: Iterable[Line]) -> list[Stack]:
    """Stacks from left to right.

    Narrow pieces come first and found the stacks; a piece that overlaps several stacks spans them and
    belongs to none.
    """
    stacks: list[Stack] = []
    for line in sorted(lines, key=lambda line: line.width):
        over = [stack for stack in stacks if overlaps(line.x0, line.x1, stack.x0, stack.x1)]
        if not over:
            stacks.append(Stack())
            over = stacks[-1:]
        elif len(over) > 1:
            firm = [stack for stack in over if len(stack.lines) > 1]
            if len(firm) > 1:
                continue
            over = [_merge(stacks, over)]
        over[0].add(line)
    return sorted(stacks, key=lambda stack: stack.x0)


def _merge(stacks: list[Stack], over: Sequence[Stack]) -> Stack:
    first = over[0]
    for other in over[1:]:
        for line in other.lines:
            first.add(line)
        stacks.remove(other)
    return first
