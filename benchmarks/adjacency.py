"""The cell measure of the ICDAR-2013 table competition: adjacency relations of non-blank cells.

Source: M. Göbel, T. Hassan, E. Oro, G. Orsi, "A Methodology for Evaluating Algorithms for Table
Understanding in PDF Documents", DocEng 2012, and "ICDAR 2013 Table Competition" by the same authors.
Each cell with text is related to its nearest neighbour with text at its right and below it; blank cells
are passed over, a cell over several rows or columns may have several neighbours on a side, and a pair is
counted once. A relation found is right when both texts and the direction are those of the truth.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

_LEADERS = re.compile(r"(?:\.\s*){3,}")

Relation = tuple[str, str, bool]
"""Texts of two neighbours, and whether the second one stands at the right of the first, not below it."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: its text, and its first and last row and column, counted from 0."""

    text: str
    row: int
    column: int
    last_row: int
    last_column: int


Table = Sequence[Cell]
Pages = Mapping[int, Sequence[Table]]
"""The tables of each page, by the page's number."""


@dataclass(frozen=True, slots=True)
class Score:
    """How many relations are right, how many were found, and how many there are."""

    right: int = 0
    found: int = 0
    true: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(self.right + other.right, self.found + other.found, self.true + other.true)

    @property
    def precision(self) -> float:
        """Share of the relations found that are right; 1 where nothing was found."""
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """Share of the true relations that were found; 1 where there are none."""
        return self.right / self.true if self.true else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def normalize(text: str) -> str:
    """A cell's text for comparing.

    White space, case and leaders (three dots and more in a row) do not count; every sign that is neither
    a letter nor a digit is alike.
    """
    folded = _LEADERS.sub("", unicodedata.normalize("NFKC", text).casefold())
    return "".join(
        char if char.isalnum() else "_" for char in folded if not char.isspace() and char != "\xad"
    )


def relations(table: Table) -> Counter[Relation]:
    """The adjacency relations of a table."""
    cells = [cell for cell in table if normalize(cell.text)]
    places = {
        (row, column): index
        for index, cell in enumerate(cells)
        for row in range(cell.row, cell.last_row + 1)
        for column in range(cell.column, cell.last_column + 1)
    }
    lines: dict[tuple[bool, int], list[tuple[int, int]]] = {}
    for (row, column), index in places.items():
        lines.setdefault((True, row), []).append((column, index))
        lines.setdefault((False, column), []).append((row, index))
    pairs = {
        (first, second, across)
        for (across, _), line in lines.items()
        for first, second in _neighbours([index for _, index in sorted(line)])
    }
    texts = [normalize(cell.text) for cell in cells]
    return Counter((texts[first], texts[second], across) for first, second, across in pairs)


def _neighbours(line: Sequence[int]) -> Iterator[tuple[int, int]]:
    return ((a, b) for a, b in pairwise(line) if a != b)


def compare(found: Pages, truth: Pages) -> Score:
    """Score the tables of a document; each one found counts for one true table of its page at most."""
    return sum((_compare(found.get(p, ()), truth.get(p, ())) for p in {*found, *truth}), start=Score())


def _compare(found: Iterable[Table], truth: Iterable[Table]) -> Score:
    results = [relations(table) for table in found]
    truths = [relations(table) for table in truth]
    matches = sorted(
        (
            ((result & true).total(), i, j)
            for i, result in enumerate(results)
            for j, true in enumerate(truths)
        ),
        reverse=True,
    )
    right, taken = 0, set[tuple[str, int]]()
    for common, i, j in matches:
        if not {("found", i), ("true", j)} & taken:
            taken |= {("found", i), ("true", j)}
            right += common
    return Score(right, sum(r.total() for r in results), sum(t.total() for t in truths))


def read_truth(path: Path) -> Pages:
    """The tables of a ``*-str.xml`` file; the regions of a table on several pages count by themselves."""
    pages: dict[int, list[Table]] = {}
    for region in ET.parse(path).getroot().iter("region"):  # noqa: S314 - the files are the benchmark's own
        pages.setdefault(int(region.attrib["page"]), []).append([_cell(cell) for cell in region.iter("cell")])
    return pages


def _cell(cell: ET.Element) -> Cell:
    row, column = int(cell.attrib["start-row"]), int(cell.attrib["start-col"])
    return Cell(
        text=cell.findtext("content") or "",
        row=row,
        column=column,
        last_row=int(cell.get("end-row", row)),
        last_column=int(cell.get("end-col", column)),
    )
