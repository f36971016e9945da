"""The outermost rows of pages, where running headers and footers stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from extraction.pdf.glyphs.lines import group_rows, merge_row
from extraction.pdf.layout import Box, Line, PageLayout, TableRegion

# How many rows of a header or footer are looked at.
DEPTH = 5
# Shares of the page's height in which headers and footers stand; scans of small books have wide margins.
_UPPER_ZONE = 0.2
_LOWER_ZONE = 0.75

NUMBER = re.compile(r"\d+")
_ROMAN = re.compile(r"[-–—\s]*[IVXLivxl]{1,6}[-–—\s]*")
_WORD = re.compile(r"\w+")

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """A row near the upper or lower edge of a page.

    Attributes:
        page: Page number.
        key: Its words in alphabetical order, numbers masked.
        text: Its text in lower case, numbers masked.
        plain: Its text as it stands.
        numbers: The numbers in it.
        height: Its outer edge as a share of the page's height.
        in_zone: Whether it stands where headers and footers do.
        size: Its font size, rounded; 0 for tables.
        boxes: Its boxes, from left to right.
    """

    page: int
    key: Key
    text: str
    plain: str
    numbers: tuple[int, ...]
    height: float
    in_zone: bool
    size: float
    boxes: tuple[Box, ...]

    @property
    def is_table(self) -> bool:
        """Whether it is a table."""
        return isinstance(self.boxes[0], TableRegion)


def edges(page: PageLayout, *, upper: bool) -> Iterator[Edge]:
    """The outermost rows of a page, from the edge inwards; one more than ``DEPTH``."""
    lines = [box for box in page.boxes if isinstance(box, Line)]
    rows: list[list[Box]] = [list(row) for row in group_rows(lines)]
    rows += [[box] for box in page.boxes if isinstance(box, TableRegion)]
    rows.sort(key=lambda row: row[0].top if upper else -row[0].bottom)
    for row in rows[: DEPTH + 1]:
        height = (row[0].top if upper else row[0].bottom) / max(page.height, 1.0)
        pieces = [box for box in row if isinstance(box, Line)]
        text = merge_row(pieces).text if pieces else row[0].text
        masked = _masked(text)
        yield Edge(
            page=page.number,
            key=tuple(sorted(_WORD.findall(masked.replace("#", "0")))) or (masked,),
            text=masked,
            plain=text,
            numbers=tuple(int(number[:9]) for number in NUMBER.findall(text)),
            height=height,
            in_zone=height <= _UPPER_ZONE if upper else height >= _LOWER_ZONE,
            size=round(row[0].size),
            boxes=tuple(row),
        )


def texts_inside(page: PageLayout) -> Iterator[str]:
    """Texts, numbers masked, of the lines that stand where no header or footer does."""
    upper, lower = _UPPER_ZONE * page.height, _LOWER_ZONE * page.height
    for box in page.boxes:
        if isinstance(box, Line) and upper < box.top and box.bottom < lower:
            yield _masked(box.text)


def _masked(text: str) -> str:
    return "#" if _ROMAN.fullmatch(text) else NUMBER.sub("#", text.casefold())


def space(row: Edge, inner: Edge) -> float:
    """Distance between two rows, in heights of the outer one; infinite behind a table."""
    if row.is_table:
        return float("inf")
    first, second = sorted((row.boxes[0], inner.boxes[0]), key=lambda box: box.top)
    box = row.boxes[0]
    return (second.top - first.bottom) / max(box.bottom - box.top, 1.0)
