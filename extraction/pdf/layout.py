"""What a page is made of while it is being read. Lengths are points, ``top`` grows downwards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from rubrica.model import BBox


class Glyph(NamedTuple):
    """One drawn character, upright."""

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    size: float
    bold: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, or a piece of one between two wide gaps.

    Attributes:
        text: Words with one space between them.
        page: Page number, from 1.
        x0: Left edge.
        top: Upper edge.
        x1: Right edge.
        bottom: Lower edge.
        size: Mean font size.
        weight: How many characters it has, spaces aside.
        bold_weight: How many of them are bold.
        first_width: Width of the first word.
        gap: Widest space inside, in font sizes.
        opens_bold: Whether its first character is bold.
        ends_bold: Whether its last character is bold.
    """

    text: str
    page: int
    x0: float
    top: float
    x1: float
    bottom: float
    size: float
    weight: int
    bold_weight: int
    first_width: float
    gap: float = 0.0
    opens_bold: bool = False
    ends_bold: bool = False

    @property
    def bold(self) -> bool:
        """Whether (nearly) all of it is bold."""
        return self.bold_weight >= 0.85 * self.weight

    @property
    def middle(self) -> float:
        """Height of its middle."""
        return (self.top + self.bottom) / 2

    @property
    def center(self) -> float:
        """Distance of its middle from the left edge of the page."""
        return (self.x0 + self.x1) / 2

    @property
    def width(self) -> float:
        """Width."""
        return self.x1 - self.x0


Cell = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableRegion:
    """A table, or the part of one that stands on one page.

    Attributes:
        page: Page number, from 1.
        x0: Left edge.
        top: Upper edge.
        x1: Right edge.
        bottom: Lower edge.
        edges: The x of every column border, the outer ones included.
        rows: Cells as lists of lines, spans resolved; every row has ``len(edges) - 1`` cells.
        header_rows: How many of the first rows are the header.
        slots: For every row and column the number of the cell that covers it, or -1.
        ruled: Whether rules, not only its text, show its columns.
    """

    page: int
    x0: float
    top: float
    x1: float
    bottom: float
    edges: tuple[float, ...]
    rows: tuple[tuple[Cell, ...], ...]
    header_rows: int
    slots: tuple[tuple[int, ...], ...] = ()
    ruled: bool = True

    @property
    def text(self) -> str:
        """All cells, for comparing."""
        return " ".join(line for row in self.rows for cell in row for line in cell)

    @property
    def middle(self) -> float:
        """Height of its middle."""
        return (self.top + self.bottom) / 2

    @property
    def size(self) -> float:
        """Tables have no font size of their own."""
        return 0.0


Box = Line | TableRegion


@dataclass(frozen=True, slots=True)
class PageLayout:
    """What stands on a page, before it is put in order.

    Attributes:
        number: Page number, from 1.
        width: Width of the page.
        height: Height of the page.
        boxes: Pieces of upright lines, and tables.
        turned: Lines outside tables that read up or down the page: stamps, labels of axes.
    """

    number: int
    width: float
    height: float
    boxes: tuple[Box, ...]
    turned: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """A column of a page, or the part of a page between columns.

    Attributes:
        left: Where its full lines begin.
        right: Where its full lines end.
        boxes: Whole lines and tables, top to bottom.
        aside: Whether it stands beside the text, which goes on past it.
    """

    left: float
    right: float
    boxes: tuple[Box, ...]
    aside: bool = False


def bounds(boxes: Iterable[Box]) -> BBox:
    """The smallest box around all of ``boxes``, rounded to a tenth of a point."""
    x0, top, x1, bottom = zip(*((b.x0, b.top, b.x1, b.bottom) for b in boxes), strict=True)
    return (round(min(x0), 1), round(min(top), 1), round(max(x1), 1), round(max(bottom), 1))
