"""Takes off pages what does not belong to the text: running headers, page numbers, stamps."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

from extraction.pdf.layout import Line, PageLayout
from extraction.pdf.text.edges import DEPTH, NUMBER, Edge, edges, space, texts_inside
from extraction.pdf.text.line_numbers import find_line_numbers
from extraction.pdf.text.running_rows import MIN_PAGES, RunningRows

_LEAST_SPACE = 0.7
_SHORT = 60
# A watermark is larger than the text by this factor and stands in the same place on this share of pages.
_WATERMARK_SIZE = 1.8
_WATERMARK_PAGES = 0.5
_PLACE = 4.0


def remove_furniture(pages: Sequence[PageLayout]) -> list[PageLayout]:
    """Take running headers, footers, page numbers, watermarks and numbers of lines off every page.

    A row belongs to the furniture when, digits aside, the same words stand at the same height on
    several pages and everything between it and the edge of the page is furniture too. Numbers may
    differ where they count with the pages. A single page keeps all its text, and so do pages that
    are copies of each other.
    """
    distinct = _without_copies(pages)
    gone = find_line_numbers(distinct)
    if len(distinct) >= 2:
        inside = Counter(text for page in distinct for text in texts_inside(page))
        for upper in (True, False):
            rows = {page.number: list(edges(page, upper=upper)) for page in pages}
            running = RunningRows([rows[page.number] for page in distinct], inside)
            for page_rows in rows.values():
                gone.update(id(box) for row in _outermost(page_rows, running) for box in row.boxes)
        gone |= _stamps(distinct) | _watermarks(distinct)
    return [_without(page, gone) for page in pages] if gone else list(pages)


def _without(page: PageLayout, gone: set[int]) -> PageLayout:
    return replace(
        page,
        boxes=tuple(box for box in page.boxes if id(box) not in gone),
        turned=tuple(line for line in page.turned if id(line) not in gone),
    )


def _without_copies(pages: Sequence[PageLayout]) -> list[PageLayout]:
    seen: dict[str, PageLayout] = {}
    for page in pages:
        text = "\n".join(box.text for box in page.boxes)
        if text:
            seen.setdefault(text, page)
    return list(seen.values())


def _outermost(rows: Sequence[Edge], running: RunningRows) -> list[Edge]:
    """The rows of one page that are furniture, from its edge up to the first that is not.

    A space parts furniture from the text; without one, only short rows count.
    """
    matching = list(itertools.takewhile(lambda row: row in running, rows[:DEPTH]))
    for count in range(len(matching), 0, -1):
        if count < len(rows) and space(rows[count - 1], rows[count]) >= _LEAST_SPACE:
            return matching[:count]
    return list(itertools.takewhile(lambda row: len(row.text) <= _SHORT, matching))


def _stamps(pages: Sequence[PageLayout]) -> set[int]:
    """Turned lines that stand on several pages."""
    groups: dict[str, dict[int, list[Line]]] = defaultdict(lambda: defaultdict(list))
    for page in pages:
        for line in page.turned:
            groups[NUMBER.sub("#", line.text)][page.number].append(line)
    needed = min(MIN_PAGES, len(pages))
    return {
        id(line)
        for group in groups.values()
        if len(group) >= needed
        for lines in group.values()
        for line in lines
    }


def _watermarks(pages: Sequence[PageLayout]) -> set[int]:
    """Large words that stand in the same place on most pages, wherever that is."""
    groups: dict[tuple[str, int, int], dict[int, Line]] = defaultdict(dict)
    for page in pages:
        for line in _large(page):
            groups[line.text, round(line.x0 / _PLACE), round(line.top / _PLACE)][page.number] = line
    needed = max(MIN_PAGES, _WATERMARK_PAGES * len(pages))
    return {id(line) for group in groups.values() if len(group) >= needed for line in group.values()}


def _large(page: PageLayout) -> Iterator[Line]:
    lines = [box for box in page.boxes if isinstance(box, Line)]
    if lines:
        usual = median(line.size for line in lines)
        yield from (line for line in lines if line.size >= _WATERMARK_SIZE * usual)
