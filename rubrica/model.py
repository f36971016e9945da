"""The data that travels through the pipeline.

Every type here is frozen: a stage returns a new value instead of changing the one it was given.
Offsets are counted in Unicode code points, as Python's ``str`` counts them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Attributes = Mapping[str, Any]
BBox = tuple[float, float, float, float]

NO_ATTRIBUTES: Attributes = {}


class ElementKind(StrEnum):
    """What a stretch of a document is to its reader."""

    TITLE = "title"
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    CODE = "code"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    FORMULA = "formula"


class Stage(StrEnum):
    """The stages of an ingestion, in the order in which a document meets them."""

    DETECT = "detect"
    PLAN = "plan"
    EXTRACT = "extract"
    CHUNK = "chunk"
    INDEX = "index"
    RETIRE = "retire"
    VERDICT = "verdict"
    SEARCH = "search"


@dataclass(frozen=True, slots=True)
class Element:
    """One structural unit of a document.

    Attributes:
        kind: What the element is.
        start: Offset of the first code point in ``Document.text``.
        end: Offset after the last code point.
        level: Depth of a heading or list item, 1 at the top; ``None`` for other kinds.
        heading_path: Texts of the headings above, outermost first; a heading's own text is not in it.
        clause: Number that the element opens with ("5.2.1", "Приложение А"), if it opens a clause.
        page_from: First page, counted from 1; ``None`` where the format has no pages.
        page_to: Last page, inclusive.
        bbox: ``(x0, top, x1, bottom)`` in points on ``page_from``.
        rows: Cells of a table, row by row. The table's text has one line per row, in this order,
            its cells joined with ``" | "``; a cell never holds a newline.
        header_rows: How many of the first ``rows`` are the header.
    """

    kind: ElementKind
    start: int
    end: int
    level: int | None = None
    heading_path: tuple[str, ...] = ()
    clause: str | None = None
    page_from: int | None = None
    page_to: int | None = None
    bbox: BBox | None = None
    rows: tuple[tuple[str, ...], ...] = ()
    header_rows: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """A file's text and structure, as extraction found it.

    Attributes:
        id: Stable identity, given when the document is first seen; a bare command uses the path.
        source: Name of the source it came from; empty outside a source.
        path: Path inside the source, with ``/`` between folders.
        revision: The source's revision (a commit) that it was read at; empty where there is none.
        content_hash: SHA-256 of the file's bytes, in hexadecimal.
        media_type: MIME type, by content.
        language: ISO 639-1 code of the main language ("ru", "en"), "und" when it cannot be told.
        title: The document's title; the file's name when it has none.
        attributes: What else is known: standard number, dates, front matter.
        text: The whole text, NFC, without control characters.
        elements: In reading order, not overlapping; every non-blank character of ``text`` is in one.
    """

    id: str
    source: str
    path: str
    revision: str
    content_hash: str
    media_type: str
    language: str
    title: str
    text: str
    elements: tuple[Element, ...]
    attributes: Attributes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a document that is embedded and found as one.

    Attributes:
        id: Digest of document id, digest of ``text`` and n-th repeat (see ``rubrica.identity``).
        document_id: The document it is cut from.
        ordinal: Position in the document, from 0.
        start: Offset of ``body`` in ``Document.text``.
        end: Offset after ``body``.
        body: ``Document.text[start:end]``; the bodies tile the document.
        text: What is embedded: context line, repeated table header, overlap and body.
        tokens: Length of the final embedder input, prefix and special tokens included.
        overlap_start: Offset where the carried overlap begins; equal to ``start`` without overlap.
        page_from: First page of the body, from 1.
        page_to: Last page of the body.
        heading_path: Headings above the body's first element.
        clauses: Numbers of the clauses whose text the body holds, in order.
        kind: Kind of the element that fills most of the body.
        boundary_score: Similarity across the left edge; lower is a sharper turn. ``None`` for the
            first chunk and where no pair was scored.
    """

    id: str
    document_id: str
    ordinal: int
    start: int
    end: int
    body: str
    text: str
    tokens: int
    overlap_start: int
    page_from: int | None = None
    page_to: int | None = None
    heading_path: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    kind: ElementKind = ElementKind.PARAGRAPH
    boundary_score: float | None = None


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """Where documents come from, as the user declared it.

    Attributes:
        name: Unique slug, ``[a-z0-9-]+``.
        kind: "git", "folder", "http" or "storage".
        location: URL or absolute path.
        branch: Branch to follow; empty means the repository's default. Git only.
        include: Globs of paths to take; empty takes all.
        exclude: Globs of paths to leave out, applied after ``include``.
        options: What else the kind needs, as JSON has it (see ``sources.options``). It never holds a
            secret, only names of environment variables.
    """

    name: str
    kind: str
    location: str
    branch: str = ""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file at one revision of a source.

    Attributes:
        path: Path inside the source, ``/`` between folders, NFC not applied (as the source has it).
        mark: The source's change mark: equal marks mean equal content (a git blob id, a digest).
        size: Bytes.
    """

    path: str
    mark: str
    size: int


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A path that is not a document, with the reason why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All documents of a source at one revision."""

    revision: str
    files: tuple[SourceFile, ...]
    skipped: tuple[SkippedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Move:
    """Content that is unchanged but lives under another path."""

    old_path: str
    file: SourceFile


@dataclass(frozen=True, slots=True)
class Delta:
    """What must happen so that the index equals a snapshot.

    Attributes:
        source: Name of the source.
        revision: Revision of the snapshot.
        added: Files that are not known yet.
        changed: Known paths with other content.
        moved: Known content under a new path.
        removed: Known paths that are gone.
        skipped: Paths that are not documents.
        unchanged: How many known files stay as they are.
    """

    source: str
    revision: str
    added: tuple[SourceFile, ...] = ()
    changed: tuple[SourceFile, ...] = ()
    moved: tuple[Move, ...] = ()
    removed: tuple[str, ...] = ()
    skipped: tuple[SkippedFile, ...] = ()
    unchanged: int = 0

    @property
    def empty(self) -> bool:
        """Whether nothing has to be done."""
        return not (self.added or self.changed or self.moved or self.removed)


@dataclass(frozen=True, slots=True)
class ChunkingStats:
    """What chunking one document cost.

    Attributes:
        pairs_scored: Pairs that went through the scorer.
        pair_cache_hits: Pairs whose score came from the cache.
        pair_cache_errors: Pairs that the cache failed on; they were treated as misses.
        pair_cache_misses: Pairs that a cache was asked for and that it did not give.
    """

    pairs_scored: int = 0
    pair_cache_hits: int = 0
    pair_cache_errors: int = 0
    pair_cache_misses: int = 0


@dataclass(frozen=True, slots=True)
class ChunkedDocument:
    """The chunks of one document, what they cost, and what their quality is measured by.

    Attributes:
        document_id: The document.
        chunks: Its chunks, in order.
        stats: What they cost.
        cut_scores: Similarity at every cut that was scored, made or not, by offset of the text right of it.
        fragments: How many chunks begin inside a unit (sentence, row, line) that was too long for one.
    """

    document_id: str
    chunks: tuple[Chunk, ...]
    stats: ChunkingStats = field(default_factory=ChunkingStats)
    cut_scores: Mapping[int, float] = field(default_factory=dict)
    fragments: int = 0


@dataclass(frozen=True, slots=True)
class WriteStats:
    """What writing one document to the index changed, in chunks.

    Attributes:
        written: New ones.
        kept: Those whose text stayed, wherever they moved.
        removed: Those that are gone.
        embedded: Texts that went through the model; a chunk is written without where its vector is known.
        embed_cache_hits: Vectors that were not computed.
        embed_cache_misses: Texts that were asked for in the cache and embedded.
        embed_cache_errors: Texts that the cache could not be asked for, or not told about.
    """

    written: int = 0
    kept: int = 0
    removed: int = 0
    embedded: int = 0
    embed_cache_hits: int = 0
    embed_cache_misses: int = 0
    embed_cache_errors: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """A document that failed, where and why, and what to do.

    Attributes:
        source: Name of the source.
        path: Path of the document.
        stage: Where it failed.
        error: Name of the error's class.
        reason: One clear sentence, never empty.
        hint: What to do about it; may be empty.
    """

    source: str
    path: str
    stage: Stage
    error: str
    reason: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result.

    Attributes:
        rank: From 1.
        score: Fused score; comparable within one result list only.
        chunk_id: The chunk found.
        document_id: Its document.
        source: Its source.
        path: The document's path now.
        title: The document's title.
        start: Offset of the chunk's body in the document's text.
        end: Offset after it.
        page_from: First page, from 1.
        page_to: Last page.
        clauses: Clauses that the chunk holds.
        heading_path: Headings above it.
        text: The chunk's body.
    """

    rank: int
    score: float
    chunk_id: str
    document_id: str
    source: str
    path: str
    title: str
    start: int
    end: int
    page_from: int | None
    page_to: int | None
    clauses: tuple[str, ...]
    heading_path: tuple[str, ...]
    text: str
