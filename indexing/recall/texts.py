"""Documents as an evaluation sees them: text, chunks and pages."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from indexing.recall.folding import Folded
from indexing.recall.model import CharSpan
from rubrica.model import Chunk

NO_PAGE = (0, 0)


@dataclass(frozen=True)
class IndexedText:
    """The text of a document as one generation holds it.

    Attributes:
        document_id: The document.
        path: Its path.
        text: Its text.
        chunks: Offsets of its chunks' bodies, in order; they tile the text.
        chunk_ids: Ids of the chunks, in the same order.
        pages: First and last page of each chunk; ``(0, 0)`` where there are none.
    """

    document_id: str
    path: str
    text: str
    chunks: tuple[CharSpan, ...]
    chunk_ids: tuple[str, ...]
    pages: tuple[CharSpan, ...]

    @cached_property
    def folded(self) -> Folded:
        """The text by its letters and digits."""
        return Folded(self.text)

    @cached_property
    def tiles(self) -> dict[str, CharSpan]:
        """Of each chunk its body and the blanks after it, up to the next one; without gaps, by chunk id."""
        ends = [start for start, _ in self.chunks[1:]] + [len(self.text)]
        spans = [(start, max(end, after)) for (start, end), after in zip(self.chunks, ends, strict=True)]
        return dict(zip(self.chunk_ids, spans, strict=True))

    def pages_at(self, offset: int) -> CharSpan:
        """First and last page of the chunk that holds an offset."""
        place = bisect_right(self.chunks, (offset, len(self.text))) - 1
        return self.pages[max(0, place)] if self.pages else NO_PAGE

    def page_span(self, page: int) -> CharSpan | None:
        """Offsets of the chunks that have text on a page, if any has."""
        on = [
            span for span, (first, last) in zip(self.chunks, self.pages, strict=True) if first <= page <= last
        ]
        return (on[0][0], on[-1][1]) if on else None


def rebuilt(document_id: str, path: str, chunks: Iterable[Chunk]) -> IndexedText:
    """A document's text out of its chunks, whose bodies tile it: only blanks can be between them.

    Args:
        document_id: The document.
        path: Its path.
        chunks: All its chunks, in order.
    """
    parts: list[str] = []
    length = 0
    ordered = tuple(chunks)
    for chunk in ordered:
        parts += ["\n" * (chunk.start - length), chunk.body]
        length = max(length, chunk.end)
    return IndexedText(
        document_id,
        path,
        "".join(parts),
        tuple((chunk.start, chunk.end) for chunk in ordered),
        tuple(chunk.id for chunk in ordered),
        tuple((chunk.page_from or 0, chunk.page_to or chunk.page_from or 0) for chunk in ordered),
    )
