"""The document page: outline, text in stretches, versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.services import Services

if TYPE_CHECKING:
    from indexing.catalog.failures import FailureRecord
    from indexing.catalog.generations import Generation
    from indexing.catalog.reading import ChunkOutline, DocumentInfo, DocumentVersion, Holding
    from rubrica.model import Chunk, Document

LISTED = 50
"""Documents of a page of the list."""

STRETCH = 40
"""Chunks that are handed out at a time."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a document.

    Attributes:
        text: The heading.
        depth: From 0 at the top.
        ordinal: The chunk that it stands in, or the first one below it.
    """

    text: str
    depth: int
    ordinal: int


@dataclass(frozen=True, slots=True)
class Figures:
    """A document in numbers.

    Attributes:
        chunks: Chunks.
        tokens: Their tokens.
        mean: Mean tokens of a chunk.
        most: Most tokens of one.
        limit: Most that one may have.
        least: Fewest that one should have.
        pages: Pages, where it has any.
    """

    chunks: int
    tokens: int
    mean: float
    most: int
    limit: int
    least: int
    pages: int


@dataclass(frozen=True, slots=True)
class DocumentView:
    """All but the text of a document.

    Attributes:
        info: The document.
        generation: Number of the generation that is shown.
        chunks: Its chunks, without their texts.
        headings: Its headings.
        figures: It in numbers.
        versions: What runs made of it.
        holdings: What generations hold of it.
        failures: Its failures, open and resolved, youngest first.
    """

    info: DocumentInfo
    generation: int
    chunks: Sequence[ChunkOutline]
    headings: Sequence[Heading]
    figures: Figures
    versions: Sequence[DocumentVersion]
    holdings: Sequence[Holding]
    failures: Sequence[FailureRecord]


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of the list of documents.

    Attributes:
        documents: By source and path.
        total: How many there are in all.
        page: Which page, from 1.
        pages: How many pages there are.
        indexed: Whether there is anything at all.
    """

    documents: Sequence[DocumentInfo]
    total: int
    page: int
    pages: int
    indexed: bool


def listing(services: Services, *, source: str = "", words: str = "", page: int = 1) -> Listing:
    """Documents of the live generation.

    Args:
        services: Open services.
        source: Only of this source.
        words: Only those whose path or title contains this.
        page: Which page, from 1.
    """
    live = _live(services)
    if live is None:
        return Listing((), 0, 1, 1, indexed=False)
    found, total = services.catalog.reading.documents(
        live.id, source=source or None, words=words, limit=LISTED, offset=(page - 1) * LISTED
    )
    return Listing(found, total, page, max(1, -(-total // LISTED)), indexed=True)


def view(services: Services, document_id: str) -> DocumentView | None:
    """A document of the live generation; ``None`` where there is none of that id."""
    live = _live(services)
    info = None if live is None else services.catalog.reading.document(live.id, document_id)
    if live is None or info is None:
        return None
    reading = services.catalog.reading
    chunks = reading.outline(live.id, info.id)
    settings = services.settings.with_recipe(live.settings)
    stored = _stored(services, live, info)
    return DocumentView(
        info,
        live.number,
        chunks,
        list(_headings(stored, chunks) if stored else _headings_of_chunks(chunks)),
        _figures(chunks, settings.chunking.max_tokens, settings.chunking.min_tokens),
        reading.versions(info.id),
        reading.holdings(info.id, live.alias),
        _failures(services, info),
    )


def stretch(services: Services, document_id: str, first: int) -> list[Chunk]:
    """``STRETCH`` chunks of a document of the live generation, with their texts."""
    live = _live(services)
    if live is None:
        return []
    return services.catalog.reading.stretch(live.id, document_id, first, STRETCH)


def place(services: Services, chunk_id: str) -> str | None:
    """The document that a chunk of the live generation stands in."""
    live = _live(services)
    found = None if live is None else services.catalog.reading.place(live.id, chunk_id)
    return None if found is None else found[0]


def _live(services: Services) -> Generation | None:
    return services.catalog.generations.live(services.settings.indexing.alias)


def _failures(services: Services, info: DocumentInfo) -> list[FailureRecord]:
    records = services.catalog.failures.find(info.source, resolved=True)
    mine = [record for record in records if record.document_id == info.id]
    return sorted(mine, key=lambda record: record.last_seen, reverse=True)


def _figures(chunks: Sequence[ChunkOutline], limit: int, least: int) -> Figures:
    tokens = [chunk.tokens for chunk in chunks]
    return Figures(
        chunks=len(chunks),
        tokens=sum(tokens),
        mean=sum(tokens) / len(tokens) if tokens else 0.0,
        most=max(tokens, default=0),
        limit=limit,
        least=least,
        pages=max((chunk.page_from or 0 for chunk in chunks), default=0),
    )


# --- Headings ----------------------------------------------------------------------------------------


def _stored(services: Services, live: Generation, info: DocumentInfo) -> Document | None:
    """What extraction made of the document, if it is still in the workspace."""
    from extraction.signature import extraction_signature
    from pipeline.artefacts import document_key, read_document
    from rubrica.errors import RubricaError

    settings = services.settings.with_recipe(live.settings)
    key = document_key(info.content_hash, info.path, extraction_signature(settings.extraction))
    try:
        if not info.content_hash or not services.workspace.exists(key):
            return None
        return read_document(services.workspace, key)
    except (OSError, ValueError, KeyError, RubricaError):  # a picture less, not a page less
        return None


def _headings(document: Document, chunks: Sequence[ChunkOutline]) -> Iterator[Heading]:
    from bisect import bisect_right

    from pipeline.plots.visible import one_line
    from rubrica.model import ElementKind

    starts = [chunk.start for chunk in chunks]
    for element in document.elements:
        if starts and element.kind in {ElementKind.TITLE, ElementKind.HEADING}:
            text = one_line(document.text[element.start : element.end])
            ordinal = max(0, bisect_right(starts, element.start) - 1)
            yield Heading(text, len(element.heading_path), ordinal)


def _headings_of_chunks(chunks: Sequence[ChunkOutline]) -> Iterator[Heading]:
    """Headings that stand above chunks: those of which nothing else than the chunks is left."""
    last: list[str] = []
    for chunk in chunks:
        path = chunk.heading_path
        same = next((i for i, (a, b) in enumerate(zip(last, path, strict=False)) if a != b), None)
        for depth in range(min(len(last), len(path)) if same is None else same, len(path)):
            yield Heading(path[depth], depth, chunk.ordinal)
        last = path
