"""Tells running headers and footers among the outermost rows of pages: what repeats, what counts."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from statistics import median

from extraction.pdf.text.edges import DEPTH, Edge, Key, space

MIN_PAGES = 3
NOTHING: Mapping[str, int] = {}
# Words enough, on pages enough, to be no text that merely happens to repeat.
_MANY_PAGES = 6
_MANY_WORDS = 4
_SAME_HEIGHT = 0.03
_SAME_PLACE = 0.008
_ALIKE = 0.75
_LONGEST_ALIKE = 200
_LONGEST_TITLE = 120
_APART = 1.0

_PAGE_NUMBER = re.compile(
    r"[-–—\s]*(?:с\.|стр\.?|страница|лист|page|p\.)?\s*#\s*(?:(?:из|of|/)\s*#)?[-–—.\s]*", re.IGNORECASE
)
_CAPTION = re.compile(r"(?:продолжение|окончание)?\s*(?:табл|рис|fig|table)\w*\.?\s*#", re.IGNORECASE)
_TITLE = re.compile(
    r"(?:продолжение|окончание)?\s*(?:приложение|статья|пример|глава|section|chapter)\w*\.?\s*#",
    re.IGNORECASE,
)
_AT_START = re.compile(r"[^\w]*(?:с\.|стр\.?|page)?\s*(\d{1,4})(?![\d.,/:–-]|\s*[.)]\s)", re.IGNORECASE)
_AT_END = re.compile(r"(?<![\d.,/:–—-])(\d{1,4})[^\w]*$")
_OF_TOTAL = re.compile(r"(\d{1,4})\s*(?:из|of|/)\s*\d{1,4}\W*$", re.IGNORECASE)


class RunningRows:
    """The running rows at one edge of a document's pages.

    Args:
        pages: The outermost rows of each page, from the edge inwards.
        inside: How often a text stands between the edges of pages, by the text, numbers masked. What
            repeats there too, such as «(в ред. Федерального закона от … N …-ФЗ)», is no running row.
    """

    def __init__(self, pages: Sequence[Sequence[Edge]], inside: Mapping[str, int] = NOTHING) -> None:
        texts = Counter(row.text for page in pages for row in page[:DEPTH])
        self._of_text = {
            text
            for text, count in texts.items()
            if 2 * inside.get(text, 0) >= count and any(map(str.isalpha, text))
        }
        rows = [row for page in pages for row in page[:DEPTH] if row.text not in self._of_text]
        self._first = min((row.page for row in rows), default=1)
        self._seen = Counter(row.key for row in rows)
        self._known = _repeated(rows, len(pages))
        self._counted = _counted(rows, len(pages))
        self._places = _places(pages, self._is_sure)

    def __contains__(self, row: Edge) -> bool:
        """Whether a row is a running header or footer, if all that stands outside of it is."""
        if row.text in self._of_text:
            return False
        return self._is_sure(row) or (row.in_zone and self._resembles(row)) or self._takes_place(row)

    def _is_sure(self, row: Edge) -> bool:
        if not row.in_zone:
            return False
        return any(_same_height(row, other) for other in self._known.get(row.key, ())) or self._counts(row)

    def _counts(self, row: Edge) -> bool:
        return any(vote in self._counted for vote in _votes(row))

    def _resembles(self, row: Edge) -> bool:
        """Whether a row is a known one that recognition has read a little differently."""
        if len(row.text) > _LONGEST_ALIKE or row.is_table:
            return False
        others = {group[0].text for group in self._known.values() if _same_height(row, group[0])}
        return any(SequenceMatcher(None, row.text, other).ratio() >= _ALIKE for other in others)

    def _takes_place(self, row: Edge) -> bool:
        """Whether a row stands exactly where the other pages have theirs, whatever it says."""
        titles = row.page == self._first and self._seen[row.key] < 2
        if titles or not row.in_zone or not _may_run(row):
            return False
        return any(
            abs(row.height - height) <= _SAME_PLACE and row.size == size for height, size in self._places
        )


def _repeated(rows: Sequence[Edge], pages: int) -> dict[Key, list[Edge]]:
    """Rows that stand on enough pages at the same height, by their words."""
    groups: dict[tuple[Key, float], list[Edge]] = defaultdict(list)
    for row in rows:
        groups[row.key, row.size].append(row)
    needed = min(MIN_PAGES, max(2, round(pages * 0.6)))
    known: dict[Key, list[Edge]] = {}
    for (key, _), group in groups.items():
        height = median(row.height for row in group)
        near = [row for row in group if abs(row.height - height) <= _SAME_HEIGHT]
        if len({row.page for row in near}) >= needed and _numbers_fit(near):
            known.setdefault(key, []).extend(near)
    return known


def _numbers_fit(group: Sequence[Edge]) -> bool:
    """Whether each number in the rows is the same everywhere or counts with the pages."""
    if _CAPTION.match(group[0].text):
        return False
    if all(row.numbers == group[0].numbers for row in group):
        return True
    if _TITLE.match(group[0].text):
        return False
    if len(group) >= _MANY_PAGES and sum(word != "0" for word in group[0].key) >= _MANY_WORDS:
        return True
    if _PAGE_NUMBER.fullmatch(group[0].text):
        return _counting(group) >= 0.3
    return _counting(group) >= 0.8


def _counting(group: Sequence[Edge]) -> float:
    """Largest share of rows in which some number keeps its distance from the page's."""
    distances: dict[int, set[int]] = defaultdict(set)
    for row in group:
        for number in row.numbers:
            distances[number - row.page].add(row.page)
    return max((len(found) for found in distances.values()), default=0) / len(group)


Vote = tuple[int, int]


def _votes(row: Edge) -> Iterable[Vote]:
    """Distance of a number at either end of a row from the page's, with the row's height, rounded."""
    if not _may_run(row):
        return
    found = (_AT_START.match(row.plain), _OF_TOTAL.search(row.plain) or _AT_END.search(row.plain))
    for match in found:
        if match:
            distance = int(match[1]) - row.page
            for place in (int(row.height * 50), int(row.height * 50 + 0.5) + 1000):
                yield distance, place


def _counted(rows: Sequence[Edge], pages: int) -> set[Vote]:
    """Distances and heights that page numbers keep on most pages, whatever stands beside them."""
    found: dict[Vote, set[int]] = defaultdict(set)
    for row in rows:
        if row.in_zone:
            for vote in _votes(row):
                found[vote].add(row.page)
    return {vote for vote, seen in found.items() if len(seen) >= max(MIN_PAGES, 0.4 * pages)}


def _places(pages: Sequence[Sequence[Edge]], is_sure: Callable[[Edge], bool]) -> list[tuple[float, float]]:
    """Heights and sizes at which (nearly) every page has a running row, parted from the text by a space."""
    if len(pages) < _MANY_PAGES:
        return []
    outer = [page[0] for page in pages if len(page) > 1 and _heads(page[0], page[1])]
    counts = Counter((round(row.height / _SAME_PLACE), row.size) for row in outer)
    repeated = Counter(row.key for row in outer)
    found = []
    for (place, size), count in counts.items():
        here = [row for row in outer if row.size == size and round(row.height / _SAME_PLACE) == place]
        told = sum(is_sure(row) or repeated[row.key] > 1 for row in here)
        if count >= 0.6 * len(pages) and told >= 0.5 * count:
            found.append((median(row.height for row in here), size))
    return found


def _heads(row: Edge, inner: Edge) -> bool:
    return row.in_zone and _may_run(row) and space(row, inner) >= _APART


def _may_run(row: Edge) -> bool:
    """Whether a row may be a header by its place alone: short, no table, no caption or title of a part."""
    titled = _CAPTION.match(row.text) or _TITLE.match(row.text)
    return not row.is_table and len(row.plain) <= _LONGEST_TITLE and titled is None


def _same_height(row: Edge, other: Edge) -> bool:
    return abs(row.height - other.height) <= _SAME_HEIGHT and abs(row.size - other.size) <= 1
