"""What there is to see of a chunked document, from a fresh explanation or from stored chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunking.explain import Cut, CutKind, Explanation, cuts_of_chunks
from pipeline.plots.visible import one_line
from rubrica.model import Chunk, Document, Element, ElementKind

_HEADINGS = {ElementKind.TITLE, ElementKind.HEADING}

REASONS = {
    CutKind.FREE: "nothing holds both sides together",
    CutKind.CLAUSE: "a long clause must start a chunk",
    CutKind.ROW: "between two rows of a table",
    CutKind.CODE: "between two lines of code",
    CutKind.LEAD_IN: "between a caption or lead-in and what it is for",
    CutKind.WHOLE: "inside what fits into one chunk",
    CutKind.HEADING: "between a heading and what it announces",
    CutKind.SIZE: "inside a unit longer than a chunk may be",
}
"""What lies at a cut, for people."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes that chunks were asked to have, in tokens."""

    most: int
    least: int


@dataclass(frozen=True, slots=True)
class Section:
    """What a heading stands above: offsets, depth from 0, the heading's text."""

    start: int
    end: int
    depth: int
    text: str


@dataclass(frozen=True, slots=True)
class PageStart:
    """Where a page begins."""

    position: int
    page: int


@dataclass(frozen=True, slots=True)
class View:
    """One document, ready to be drawn.

    Attributes:
        document: The document.
        chunks: Its chunks, in order.
        cuts: Where it could be cut, in order.
        limits: What sizes were asked for.
        sections: Its headings, each with what it stands above.
        pages: Where its pages begin; none where the format has no pages.
    """

    document: Document
    chunks: Sequence[Chunk]
    cuts: Sequence[Cut]
    limits: Limits
    sections: Sequence[Section]
    pages: Sequence[PageStart]

    @property
    def title(self) -> str:
        """The document's title in one line."""
        return one_line(self.document.title or self.document.path)


def view_of(document: Document, chunks: Sequence[Chunk], cuts: Sequence[Cut], limits: Limits) -> View:
    """The view of a document and its chunks."""
    return View(document, chunks, cuts, limits, list(_sections(document)), list(_page_starts(document)))


def explained_view(explanation: Explanation, limits: Limits) -> View:
    """The view of chunks that were just made, with the scores of all cuts."""
    cuts = explanation.cuts()
    if all(cut.score is None for cut in cuts):
        # Without any score, cuts that were not made say nothing; there may be one at every word.
        cuts = [cut for cut in cuts if cut.chunk is not None]
    return view_of(explanation.document, explanation.chunks, cuts, limits)


def stored_view(document: Document, chunks: Sequence[Chunk], limits: Limits) -> View:
    """The view of stored chunks, with the scores of the cuts that were made."""
    return view_of(document, chunks, cuts_of_chunks(chunks), limits)


def _sections(document: Document) -> Iterator[Section]:
    """Headings with their extent: up to the next heading that is no deeper."""
    headings = [element for element in document.elements if element.kind in _HEADINGS]
    depths = [len(heading.heading_path) for heading in headings]
    ends = [len(document.text)] * len(headings)
    open_: list[int] = []
    for i, depth in enumerate(depths):
        while open_ and depths[open_[-1]] >= depth:
            ends[open_.pop()] = headings[i].start
        open_.append(i)
    for heading, depth, end in zip(headings, depths, ends, strict=True):
        yield Section(heading.start, end, depth, one_line(document.text[heading.start : heading.end]))


def _page_starts(document: Document) -> Iterator[PageStart]:
    last = 0
    for element in _paged(document.elements):
        page = element.page_from or 0
        if page > last:
            yield PageStart(element.start, page)
        last = max(last, page)


def _paged(elements: Sequence[Element]) -> Iterator[Element]:
    return (element for element in elements if element.page_from is not None)
