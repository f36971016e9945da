"""What the catalog says that a generation holds, page by page, to be compared with Milvus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.rows import class_row, dict_row

from indexing.catalog.database import Database
from rubrica.model import Chunk, Document, ElementKind

_PAGE_ROWS = 500

_CHUNKS = """
SELECT c.id, c.document_id, c.ordinal, c.char_start, c.char_end, c.body, c.text, c.tokens, c.overlap_start,
    c.page_from, c.page_to, c.heading_path, c.clauses, c.kind, c.boundary_score,
    d.source, d.path, i.revision, i.content_hash, i.media_type, i.language, i.title, i.attributes
FROM chunks c
JOIN documents d ON d.id = c.document_id
JOIN indexed_documents i ON i.generation_id = c.generation_id AND i.document_id = c.document_id
WHERE c.generation_id = %(generation)s AND d.path IS NOT NULL
"""

_PAGE = (
    _CHUNKS
    + """
    AND (%(source)s::text IS NULL OR d.source = %(source)s) AND c.id > %(after)s
ORDER BY c.id LIMIT %(limit)s
"""
)

_SOURCES = """
SELECT c.id, d.source FROM chunks c JOIN documents d ON d.id = c.document_id
WHERE c.generation_id = %s AND c.id = ANY(%s) AND d.path IS NOT NULL
"""

_NAMES = """
SELECT d.id, coalesce(d.path, d.first_path),
    d.path IS NULL AND EXISTS (
        SELECT FROM indexed_documents i WHERE i.generation_id = %s AND i.document_id = d.id)
FROM documents d WHERE d.id = ANY(%s)
"""

_COUNT = """
SELECT count(*) FROM chunks c JOIN documents d ON d.id = c.document_id
WHERE c.generation_id = %(generation)s AND d.path IS NOT NULL
    AND (%(source)s::text IS NULL OR d.source = %(source)s)
"""

_WITHOUT_PATH = """
SELECT d.id AS document_id, d.source, d.first_path AS path, i.chunk_count AS said,
    (SELECT count(*) FROM chunks c WHERE c.generation_id = i.generation_id AND c.document_id = d.id) AS held
FROM documents d JOIN indexed_documents i ON i.document_id = d.id
WHERE i.generation_id = %(generation)s AND d.path IS NULL AND d.id > %(after)s
    AND (%(source)s::text IS NULL OR d.source = %(source)s)
ORDER BY d.id LIMIT %(limit)s
"""

_MISCOUNTED = """
SELECT d.id AS document_id, d.source, d.path, i.chunk_count AS said, count(c.id) AS held
FROM indexed_documents i
JOIN documents d ON d.id = i.document_id
LEFT JOIN chunks c ON c.generation_id = i.generation_id AND c.document_id = i.document_id
WHERE i.generation_id = %(generation)s AND d.path IS NOT NULL AND d.id > %(after)s
    AND (%(source)s::text IS NULL OR d.source = %(source)s)
GROUP BY d.id, d.source, d.path, i.chunk_count HAVING count(c.id) <> i.chunk_count
ORDER BY d.id LIMIT %(limit)s
"""

_RECOUNT = """
UPDATE indexed_documents i SET mark = '', updated_at = now(), chunk_count =
    (SELECT count(*) FROM chunks c WHERE c.generation_id = i.generation_id AND c.document_id = i.document_id)
WHERE i.generation_id = %(generation)s AND i.document_id = %(document)s AND i.chunk_count <>
    (SELECT count(*) FROM chunks c WHERE c.generation_id = i.generation_id AND c.document_id = i.document_id)
"""


@dataclass(frozen=True, slots=True)
class HeldChunk:
    """A chunk that a generation should hold.

    Attributes:
        document: Its document, without text and elements: the catalog does not keep them.
        chunk: The chunk.
    """

    document: Document
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class KnownDocument:
    """What the catalog knows of a document.

    Attributes:
        path: Its path; the first one of a document that is gone.
        retired: It is gone, and the generation still holds something of it.
    """

    path: str
    retired: bool


@dataclass(frozen=True, slots=True)
class Suspect:
    """A document whose rows in the catalog do not fit each other.

    Attributes:
        document_id: The document.
        source: Its source.
        path: Its path; the first one of a document that is gone.
        said: How many chunks it is said to have.
        held: How many there are.
    """

    document_id: str
    source: str
    path: str
    said: int
    held: int


class Audit:
    """Reads the tables of documents and chunks from end to end, in little memory."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def pages(self, generation_id: int, source: str | None = None) -> Iterator[list[HeldChunk]]:
        """All chunks of documents that have a path, some hundreds at a time."""
        after = ""
        while page := self._page(generation_id, source, after):
            yield page
            after = page[-1].chunk.id

    def chunks(self, generation_id: int, ids: Sequence[str]) -> dict[str, HeldChunk]:
        """Those of the chunks that a document with a path has, by id."""
        values = {"generation": generation_id, "ids": list(ids)}
        held = self._held(_CHUNKS + " AND c.id = ANY(%(ids)s)", values)
        return {item.chunk.id: item for item in held}

    def sources(self, generation_id: int, ids: Sequence[str]) -> dict[str, str]:
        """Source by chunk id, of those chunks that a document with a path has."""
        with self._database.transaction() as connection:
            return dict(connection.execute(_SOURCES, (generation_id, list(ids))).fetchall())

    def names(self, generation_id: int, document_ids: Sequence[str]) -> dict[str, KnownDocument]:
        """Those of the documents that the catalog knows, by id."""
        with self._database.transaction() as connection:
            rows = connection.execute(_NAMES, (generation_id, list(document_ids))).fetchall()
        return {id_: KnownDocument(path, retired) for id_, path, retired in rows}

    def count(self, generation_id: int, source: str | None = None) -> int:
        """How many chunks documents with a path have."""
        with self._database.transaction() as connection:
            row = connection.execute(_COUNT, {"generation": generation_id, "source": source}).fetchone()
        return int(row[0]) if row else 0

    def without_path(self, generation_id: int, source: str | None = None) -> Iterator[Suspect]:
        """Documents that are gone and of which the generation still holds something."""
        return self._suspects(_WITHOUT_PATH, generation_id, source)

    def miscounted(self, generation_id: int, source: str | None = None) -> Iterator[Suspect]:
        """Documents that have more or fewer chunks than they are said to have."""
        return self._suspects(_MISCOUNTED, generation_id, source)

    def recount(self, generation_id: int, document_id: str) -> bool:
        """Correct a document's number of chunks, and let the next ingestion read the document again.

        Which of the two was wrong cannot be told, and chunks that are lost here are lost.

        Returns:
            Whether the number was wrong.
        """
        values = {"generation": generation_id, "document": document_id}
        with self._database.transaction() as connection:
            return connection.execute(_RECOUNT, values).rowcount > 0

    def _page(self, generation_id: int, source: str | None, after: str) -> list[HeldChunk]:
        values = {"generation": generation_id, "source": source, "after": after, "limit": _PAGE_ROWS}
        return self._held(_PAGE, values)

    def _held(self, query: str, values: dict[str, Any]) -> list[HeldChunk]:
        with (
            self._database.transaction() as connection,
            connection.cursor(row_factory=dict_row) as cursor,
        ):
            return [_held(row) for row in cursor.execute(query, values)]

    def _suspects(self, query: str, generation_id: int, source: str | None) -> Iterator[Suspect]:
        after = ""
        while page := self._suspect_page(query, generation_id, source, after):
            yield from page
            after = page[-1].document_id

    def _suspect_page(self, query: str, generation_id: int, source: str | None, after: str) -> list[Suspect]:
        values = {"generation": generation_id, "source": source, "after": after, "limit": _PAGE_ROWS}
        with (
            self._database.transaction() as connection,
            connection.cursor(row_factory=class_row(Suspect)) as cursor,
        ):
            return cursor.execute(query, values).fetchall()


def _held(row: dict[str, Any]) -> HeldChunk:
    document = Document(
        id=row["document_id"],
        source=row["source"],
        path=row["path"],
        revision=row["revision"],
        content_hash=row["content_hash"],
        media_type=row["media_type"],
        language=row["language"],
        title=row["title"],
        text="",
        elements=(),
        attributes=row["attributes"],
    )
    return HeldChunk(document, _chunk(row))


def _chunk(row: dict[str, Any]) -> Chunk:
    return Chunk(
        id=row["id"],
        document_id=row["document_id"],
        ordinal=row["ordinal"],
        start=row["char_start"],
        end=row["char_end"],
        body=row["body"],
        text=row["text"],
        tokens=row["tokens"],
        overlap_start=row["overlap_start"],
        page_from=row["page_from"],
        page_to=row["page_to"],
        heading_path=tuple(row["heading_path"]),
        clauses=tuple(row["clauses"]),
        kind=ElementKind(row["kind"]),
        boundary_score=row["boundary_score"],
    )
