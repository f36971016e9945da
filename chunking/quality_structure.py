"""Counts what was torn: from the document and the offsets of its chunks, and from nothing else.

This is a second opinion. It shares no code with the rules and partitions that keep structures whole, so
that a fault in those shows here.

*Torn* means cut although it would have fitted, where token limit and headings come first: a table is not
torn if it fits into a chunk only without the headings that must stay with its first row.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rubrica.model import Document, Element, ElementKind

Fits = Callable[[str], bool]

_HEADINGS = frozenset({ElementKind.HEADING, ElementKind.TITLE})
_LINED = frozenset({ElementKind.TABLE, ElementKind.CODE})
_FIRST_LOOK = 4096
_BLANK = re.compile(r"\s")
# Where a first sentence ends for sure ("1." and "г." end none), and where one may.
_SENTENCE_END = re.compile(r"(?<=[^\W\d_][^\W\d_])[.!?…][»”\")\]]*\s+(?=[«“\"(]?[A-ZА-ЯЁ])")
_PERHAPS_AN_END = re.compile(r"[.!?…][»”\")\]]*\s")


@dataclass(frozen=True, slots=True)
class Breaches:
    """What a document has of each structure, and how much of it is broken."""

    tables: int
    tables_torn: int
    clauses: int
    clauses_torn: int
    headings: int
    headings_parted: int


class StructureCheck:
    """Looks for cuts in what should be whole."""

    def __init__(self, document: Document, starts: Sequence[int], fits: Fits) -> None:
        """Prepare to look.

        Args:
            document: The document.
            starts: Offsets at which its chunks start, in order.
            fits: Whether a text can be one chunk, without a context line.
        """
        self._text = document.text
        self._elements = document.elements
        self._starts = starts
        self._fits = fits

    def run(self) -> Breaches:
        """Count."""
        tables = [i for i, element in enumerate(self._elements) if element.kind is ElementKind.TABLE]
        clauses = list(self._clauses())
        return Breaches(
            tables=len(tables),
            tables_torn=sum(self._torn(i, i + 1) for i in tables),
            clauses=len(clauses),
            clauses_torn=sum(self._torn(*clause) for clause in clauses),
            headings=sum(element.kind in _HEADINGS for element in self._elements),
            headings_parted=sum(self._parted(*run) for run in self._heading_runs()),
        )

    def _cuts(self, start: int, end: int) -> int:
        """Chunks that start after ``start`` and before ``end``."""
        return bisect_right(self._starts, end - 1) - bisect_right(self._starts, start)

    def _begin(self, element: Element) -> int:
        """Its first character that is no blank: a table's first cell may be empty."""
        text = self._text[element.start : element.end]
        return element.start + len(text) - len(text.lstrip())

    def _torn(self, first: int, stop: int) -> bool:
        """Whether elements that would fit into one chunk are in more than one."""
        start, end = self._begin(self._elements[first]), self._elements[stop - 1].end
        if not self._cuts(start, end):
            return False
        return self._fit(self._elements[self._run_start(first)].start, end)

    def _fit(self, start: int, end: int) -> bool:
        """Whether a stretch can be one chunk; of a long one no more is counted than tells."""
        text = self._text[start:end].strip()
        size = _FIRST_LOOK
        while size < len(text):
            if not self._fits(text[:size]):
                return False
            size *= 2
        return self._fits(text)

    def _run_start(self, index: int) -> int:
        """First of the headings directly before an element."""
        while index and self._elements[index - 1].kind in _HEADINGS:
            index -= 1
        return index

    # --- Clauses ---------------------------------------------------------------------------------

    def _clauses(self) -> Iterator[tuple[int, int]]:
        """Numbered clauses, as first element and the one after the last: up to the next number."""
        first: int | None = None
        for i, element in enumerate(self._elements):
            if first is not None and (element.clause or _leaves(self._elements[first], element)):
                yield first, self._without_announcement(first, i)
                first = None
            if element.clause:
                first = i
        if first is not None:
            yield first, len(self._elements)

    def _without_announcement(self, first: int, stop: int) -> int:
        """``stop`` without the headings that announce the next clause."""
        if not self._elements[stop].clause:
            return stop
        return max(self._run_start(stop), first + 1)

    # --- Headings --------------------------------------------------------------------------------

    def _heading_runs(self) -> Iterator[tuple[int, int]]:
        """Runs of headings, as first of them and the element that they announce."""
        for i, element in enumerate(self._elements):
            if element.kind not in _HEADINGS and self._run_start(i) < i:
                yield self._run_start(i), i

    def _parted(self, first: int, announced: int) -> int:
        start, element = self._begin(self._elements[first]), self._elements[announced]
        cuts = self._cuts(start, self._begin(element) + 1)
        if not cuts:
            return 0
        end = self._first_unit_end(element)
        if not self._fit(element.start, end):
            if self._may_end_sooner(element):
                return 0
            # Too long for any chunk, it can be cut so short that what stands above it stays.
            end = self._first_word_end(element)
        return cuts if self._fit(start, end) else 0

    def _may_end_sooner(self, element: Element) -> bool:
        """Whether the first unit may be shorter than what was taken for it, and fit."""
        match = _PERHAPS_AN_END.search(self._text, element.start, element.end)
        return (
            element.kind not in _LINED and match is not None and self._fit(element.start, match.start() + 1)
        )

    def _first_unit_end(self, element: Element) -> int:
        if element.kind in _LINED:
            newline = self._text.find("\n", element.start, element.end)
            return element.end if newline < 0 else newline
        match = _SENTENCE_END.search(self._text, element.start, element.end)
        return match.start() + 1 if match else element.end

    def _first_word_end(self, element: Element) -> int:
        match = _BLANK.search(self._text, element.start, element.end)
        return match.start() if match else element.start + 1


def _leaves(opening: Element, element: Element) -> bool:
    """Whether an element stands outside the part of the document in which a clause opened."""
    if element.kind is opening.kind is ElementKind.HEADING and (element.level or 1) <= (opening.level or 1):
        return True
    return element.heading_path[: len(opening.heading_path)] != opening.heading_path
