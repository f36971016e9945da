"""A part of a page that may be a table, and the rows of pieces in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from extraction.pdf.layout import Line
from extraction.pdf.tables.rules import Rule

Row = list[Line]
"""Pieces on one line of the page, from left to right."""


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


def clip(row: Row, window: Window) -> Row:
    """The pieces of a row that stand in a window."""
    return [line for line in row if window.x0 - 2 <= line.center <= window.x1 + 2]
