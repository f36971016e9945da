"""A table's cells as rows and columns, and the characters in them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from extraction.pdf.glyphs.characters import PageGlyphs
from extraction.pdf.layout import Glyph
from rubrica.model import BBox


@dataclass(slots=True)
class Grid:
    """The cells of one table and the characters that fall into them.

    Attributes:
        cells: Boxes of the cells.
        xs: The x of every column border, from left to right.
        ys: The y of every row border, from top to bottom.
        slots: For every row and column the index of the cell that covers it, or -1.
        glyphs: The characters of each cell.
    """

    cells: list[BBox]
    xs: list[float] = field(init=False)
    ys: list[float] = field(init=False)
    slots: list[list[int]] = field(init=False)
    glyphs: list[PageGlyphs] = field(init=False)

    def __post_init__(self) -> None:
        self.xs = _distinct([x for cell in self.cells for x in (cell[0], cell[2])])
        self.ys = _distinct([y for cell in self.cells for y in (cell[1], cell[3])])
        self.slots = [[-1] * (len(self.xs) - 1) for _ in self.ys[1:]]
        self.glyphs = [PageGlyphs() for _ in self.cells]
        for index, (x0, top, x1, bottom) in enumerate(self.cells):
            for row in range(_nearest(self.ys, top), _nearest(self.ys, bottom)):
                for column in range(_nearest(self.xs, x0), _nearest(self.xs, x1)):
                    self.slots[row][column] = index

    @property
    def bbox(self) -> BBox:
        """The box around all cells."""
        return (self.xs[0], self.ys[0], self.xs[-1], self.ys[-1])

    @property
    def area(self) -> float:
        """Area of that box."""
        return (self.xs[-1] - self.xs[0]) * (self.ys[-1] - self.ys[0])

    def cell_at(self, x: float, y: float) -> int:
        """Index of the cell that holds a point, or -1."""
        row, column = bisect_right(self.ys, y) - 1, bisect_right(self.xs, x) - 1
        if 0 <= row < len(self.slots) and 0 <= column < len(self.slots[0]):
            return self.slots[row][column]
        return -1


def _distinct(values: Iterable[float]) -> list[float]:
    result: list[float] = []
    for value in sorted(values):
        if not result or value - result[-1] > 1.0:
            result.append(value)
    return result


def _nearest(values: Sequence[float], value: float) -> int:
    after = bisect_right(values, value)
    near = [i for i in (after - 1, after) if 0 <= i < len(values)]
    return min(near, key=lambda i: abs(values[i] - value))


def distribute(grids: list[Grid], glyphs: PageGlyphs) -> PageGlyphs:
    """Put every character into its cell of the smallest table around it; return the others."""
    rest = PageGlyphs(dropped=glyphs.dropped)
    directions: list[tuple[str, Callable[[Glyph], tuple[float, float]]]] = [
        ("upright", lambda g: ((g.x0 + g.x1) / 2, (g.top + g.bottom) / 2)),
        ("rising", lambda g: ((g.top + g.bottom) / 2, -(g.x0 + g.x1) / 2)),
        ("falling", lambda g: (-(g.top + g.bottom) / 2, (g.x0 + g.x1) / 2)),
    ]
    for name, center in directions:
        for glyph in getattr(glyphs, name):
            place = _find(grids, *center(glyph))
            target = rest if place is None else place
            getattr(target, name).append(glyph)
    return rest


def _find(grids: list[Grid], x: float, y: float) -> PageGlyphs | None:
    for grid in grids:
        x0, top, x1, bottom = grid.bbox
        if x0 <= x <= x1 and top <= y <= bottom:
            cell = grid.cell_at(x, y)
            if cell >= 0:
                return grid.glyphs[cell]
    return None


def give_back(grid: Grid, rest: PageGlyphs, cells: Collection[int] | None = None) -> None:
    """Return the characters of a grid that is no table, or of some of its cells only."""
    for index, cell in enumerate(grid.glyphs):
        if cells is None or index in cells:
            rest.upright += cell.upright
            rest.rising += cell.rising
            rest.falling += cell.falling
