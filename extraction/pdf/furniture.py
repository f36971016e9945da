"""Finds running headers, footers and page numbers: what repeats at the edges of pages."""

from __future__ import annotations

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from statistics import median

from extraction.pdf.layout import Box, Line, PageLayout, TableRegion
from extraction.pdf.lines import group_rows, merge_row

_DEPTH = 5
_MIN_PAGES = 3
# Words enough, on pages enough, to be no text that merely happens to repeat.
_MANY_PAGES = 6
_MANY_WORDS = 4
# Shares of the page's height in which headers and footers stand; scans of small books have wide margins.
_UPPER_ZONE = 0.2
_LOWER_ZONE = 0.75
_LEAST_SPACE = 0.7
_SHORT = 60
_SAME_HEIGHT = 0.03
_ALIKE = 0.75
_NUMBER = re.compile(r"\d+")
_ROMAN = re.compile(r"[-–—\s]*[IVXLivxl]{1,6}[-–—\s]*")
_WORD = re.compile(r"\w+")
_PAGE_NUMBER = re.compile(
    r"[-–—\s]*(?:с\.|стр\.?|страница|лист|page|p\.)?\s*#\s*(?:(?:из|of|/)\s*#)?[-–—.\s]*", re.IGNORECASE
)
_CAPTION = re.compile(
    r"(?:продолжение|окончание)?\s*"
    r"(?:табл|рис|fig|table|приложение|статья|пример|глава|section|chapter)\w*\.?\s*#",
    re.IGNORECASE,
)
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Edge:
    """A row near the upper or lower edge of a page."""

    page: int
    key: Key
    text: str
    numbers: tuple[int, ...]
    height: float
    in_zone: bool
    size: float
    boxes: tuple[Box, ...]


def remove_furniture(pages: Sequence[PageLayout]) -> list[PageLayout]:
    """Take running headers, footers and page numbers off every page.

    A row belongs to the furniture when, digits aside, the same words stand at the same height on
    several pages and everything between it and the edge of the page is furniture too. Numbers may
    differ where they count with the pages. A single page keeps all its text, and so do pages that
    are copies of each other.
    """
    distinct = _without_copies(pages)
    if len(distinct) < 2:
        return list(pages)
    gone: set[int] = set()
    for upper in (True, False):
        edges = {page.number: list(_edges(page, upper=upper)) for page in pages}
        known = _repeated([edge for page in distinct for edge in edges[page.number][:_DEPTH]], len(distinct))
        for rows in edges.values():
            gone.update(id(box) for edge in _outermost(rows, known) for box in edge.boxes)
    gone |= _stamps(distinct)
    return [
        replace(
            page,
            boxes=tuple(box for box in page.boxes if id(box) not in gone),
            turned=tuple(line for line in page.turned if id(line) not in gone),
        )
        for page in pages
    ]


def _stamps(pages: Sequence[PageLayout]) -> set[int]:
    """Turned lines that stand on several pages."""
    groups: dict[str, dict[int, Line]] = defaultdict(dict)
    for page in pages:
        for line in page.turned:
            groups[_NUMBER.sub("#", line.text)][page.number] = line
    return {id(line) for group in groups.values() if len(group) >= _MIN_PAGES for line in group.values()}


def _without_copies(pages: Sequence[PageLayout]) -> list[PageLayout]:
    seen: dict[str, PageLayout] = {}
    for page in pages:
        text = "\n".join(box.text for box in page.boxes)
        if text:
            seen.setdefault(text, page)
    return list(seen.values())


def _edges(page: PageLayout, *, upper: bool) -> Iterator[_Edge]:
    """The outermost rows of a page, from the edge inwards."""
    lines = [box for box in page.boxes if isinstance(box, Line)]
    rows: list[list[Box]] = [list(row) for row in group_rows(lines)]
    rows += [[box] for box in page.boxes if isinstance(box, TableRegion)]
    rows.sort(key=lambda row: row[0].top if upper else -row[0].bottom)
    for row in rows[: _DEPTH + 1]:
        height = (row[0].top if upper else row[0].bottom) / max(page.height, 1.0)
        pieces = [box for box in row if isinstance(box, Line)]
        text = merge_row(pieces).text if pieces else row[0].text
        masked = "#" if _ROMAN.fullmatch(text) else _NUMBER.sub("#", text.casefold())
        yield _Edge(
            page=page.number,
            key=tuple(sorted(_WORD.findall(masked.replace("#", "0")))) or (masked,),
            text=masked,
            numbers=tuple(int(number[:9]) for number in _NUMBER.findall(text)),
            height=height,
            in_zone=height <= _UPPER_ZONE if upper else height >= _LOWER_ZONE,
            size=round(row[0].size),
            boxes=tuple(row),
        )


def _repeated(edges: Sequence[_Edge], pages: int) -> dict[Key, list[_Edge]]:
    """Rows that stand on enough pages at the same height, by their words."""
    groups: dict[tuple[Key, float], list[_Edge]] = defaultdict(list)
    for edge in edges:
        groups[edge.key, edge.size].append(edge)
    needed = min(_MIN_PAGES, max(2, round(pages * 0.6)))
    known: dict[Key, list[_Edge]] = {}
    for (key, _), group in groups.items():
        height = median(edge.height for edge in group)
        near = [edge for edge in group if abs(edge.height - height) <= _SAME_HEIGHT]
        if len({edge.page for edge in near}) >= needed and _numbers_fit(near):
            known.setdefault(key, []).extend(near)
    return known


def _numbers_fit(group: Sequence[_Edge]) -> bool:
    """Whether each number in the rows is the same everywhere or counts with the pages."""
    if all(edge.numbers == group[0].numbers for edge in group):
        return True
    if _CAPTION.match(group[0].text):
        return False
    if len(group) >= _MANY_PAGES and sum(word != "0" for word in group[0].key) >= _MANY_WORDS:
        return True
    if _PAGE_NUMBER.fullmatch(group[0].text):
        return _counting(group) >= 0.3
    return _counting(group) >= 0.8


def _counting(group: Sequence[_Edge]) -> float:
    """Largest share of rows in which some number keeps its distance from the page's."""
    distances: dict[int, set[int]] = defaultdict(set)
    for edge in group:
        for number in edge.numbers:
            distances[number - edge.page].add(edge.page)
    return max((len(found) for found in distances.values()), default=0) / len(group)


def _outermost(rows: Sequence[_Edge], known: dict[Key, list[_Edge]]) -> list[_Edge]:
    """The rows of one page that are furniture, from its edge up to the first that is not.

    A space parts furniture from the text; without one, only short rows count.
    """
    matching = list(itertools.takewhile(lambda edge: _is_known(edge, known), rows[:_DEPTH]))
    for count in range(len(matching), 0, -1):
        if count < len(rows) and _space(rows[count - 1], rows[count]) >= _LEAST_SPACE:
            return matching[:count]
    return list(itertools.takewhile(lambda edge: len(edge.text) <= _SHORT, matching))


def _is_known(edge: _Edge, known: dict[Key, list[_Edge]]) -> bool:
    same = known.get(edge.key, ())
    return edge.in_zone and (any(_same_height(edge, other) for other in same) or _resembles(edge, known))


def _space(row: _Edge, inner: _Edge) -> float:
    """Distance between two rows, in heights of the outer one; a table always stands apart."""
    if isinstance(row.boxes[0], TableRegion):
        return math.inf
    first, second = sorted((row.boxes[0], inner.boxes[0]), key=lambda box: box.top)
    box = row.boxes[0]
    return (second.top - first.bottom) / max(box.bottom - box.top, 1.0)


def _resembles(edge: _Edge, known: dict[Key, list[_Edge]]) -> bool:
    """Whether a row is a known one that recognition has read a little differently."""
    if len(edge.text) > 200:
        return False
    others = {group[0].text for group in known.values() if _same_height(edge, group[0])}
    return any(SequenceMatcher(None, edge.text, other).ratio() >= _ALIKE for other in others)


def _same_height(edge: _Edge, other: _Edge) -> bool:
    return abs(edge.height - other.height) <= _SAME_HEIGHT and abs(edge.size - other.size) <= 1
