"""Documents for people: lists, outlines, stretches of text, and what became of each over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row

from indexing.catalog.chunks import read_chunks
from indexing.catalog.database import Database
from indexing.values import storable
from rubrica.model import Chunk

_DOCUMENT = """
SELECT d.id, d.source, d.path, d.first_path, i.state, i.title, i.language, i.media_type, i.attributes,
    i.revision, i.content_hash, i.chunk_count, i.updated_at
FROM documents d JOIN indexed_documents i ON i.document_id = d.id AND i.generation_id = %(generation)s
WHERE d.path IS NOT NULL
"""
_ONE = f"{_DOCUMENT} AND d.id = %(document)s"
_LISTED = """
    AND (%(source)s::text IS NULL OR d.source = %(source)s)
    AND (%(words)s = '' OR strpos(lower(d.path || ' ' || i.title), lower(%(words)s)) > 0)
"""
_LIST = f"{_DOCUMENT} {_LISTED} ORDER BY d.source, d.path LIMIT %(limit)s OFFSET %(offset)s"
_COUNT = f"SELECT count(*) FROM ({_DOCUMENT} {_LISTED}) AS listed"  # noqa: S608 — constants

_OUTLINE = """
SELECT id, ordinal, char_start AS start, char_end AS "end", tokens, page_from, boundary_score AS score, kind,
    heading_path, clauses
FROM chunks WHERE generation_id = %(generation)s AND document_id = %(document)s ORDER BY ordinal
"""

_VERSIONS = """
SELECT q.run_id, r.dag_run_id, r.trigger, r.state, r.to_revision AS revision, q.mark, q.measured_at,
    coalesce((q.counts ->> 'chunks')::int, 0) AS chunks
FROM chunk_quality q JOIN runs r ON r.id = q.run_id
WHERE q.document_id = %(document)s ORDER BY q.measured_at DESC LIMIT 50
"""

_HOLDINGS = """
SELECT g.number, g.state, i.state AS document_state, i.chunk_count, i.revision, i.updated_at
FROM indexed_documents i JOIN generations g ON g.id = i.generation_id
WHERE i.document_id = %(document)s AND g.alias = %(alias)s ORDER BY g.number DESC
"""

_PLACE = """
SELECT c.document_id, c.ordinal FROM chunks c JOIN documents d ON d.id = c.document_id
WHERE c.generation_id = %s AND c.id = %s AND d.path IS NOT NULL
"""

_LANGUAGES = """
SELECT i.language FROM indexed_documents i JOIN documents d ON d.id = i.document_id
WHERE i.generation_id = %s AND d.path IS NOT NULL AND i.chunk_count > 0
GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 50
"""
_STANDARDS = """
SELECT DISTINCT i.attributes ->> 'standard' AS standard
FROM indexed_documents i JOIN documents d ON d.id = i.document_id
WHERE i.generation_id = %s AND d.path IS NOT NULL AND i.attributes ? 'standard' ORDER BY 1 LIMIT 200
"""


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A document as one generation holds it, without its text.

    Attributes:
        id: The document.
        source: Its source.
        path: Its path now.
        first_path: Its path when it was first seen.
        state: "indexed" or "failed".
        title: Its title; empty while no version of it was indexed.
        language: ISO 639-1.
        media_type: MIME type.
        attributes: What else is known.
        revision: Revision of the source at which it was taken.
        content_hash: SHA-256 of its file.
        chunk_count: Its chunks.
        updated_at: When it was written last.
    """

    id: str
    source: str
    path: str
    first_path: str
    state: str
    title: str
    language: str
    media_type: str
    attributes: Mapping[str, Any]
    revision: str
    content_hash: str
    chunk_count: int
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class ChunkOutline:
    """A chunk without its text; see ``rubrica.model.Chunk``."""

    id: str
    ordinal: int
    start: int
    end: int
    tokens: int
    page_from: int | None
    score: float | None
    kind: str
    heading_path: list[str]
    clauses: list[str]


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """What a run made of a document.

    Attributes:
        run_id: The run.
        dag_run_id: The same in Airflow; empty where it ran in a process of its own.
        trigger: Who asked for it.
        state: How it ended.
        revision: The source's revision.
        mark: Change mark of the document's content.
        measured_at: When the document was cut.
        chunks: Into how many chunks.
    """

    run_id: str
    dag_run_id: str
    trigger: str
    state: str
    revision: str
    mark: str
    measured_at: datetime
    chunks: int


@dataclass(frozen=True, slots=True)
class Holding:
    """What a generation holds of a document."""

    number: int
    state: str
    document_state: str
    chunk_count: int
    revision: str
    updated_at: datetime


class Reading:
    """Queries of those who look at documents; nothing is changed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def document(self, generation_id: int, document_id: str) -> DocumentInfo | None:
        """One document, unless it was removed."""
        values = {"generation": generation_id, "document": document_id}
        found = self._all(DocumentInfo, _ONE, values)
        return found[0] if found else None

    def documents(
        self,
        generation_id: int,
        *,
        source: str | None = None,
        words: str = "",
        limit: int = 50,
        offset: int = 0,
    ) -> tuple[list[DocumentInfo], int]:
        """Documents by source and path, and how many there are in all.

        Args:
            generation_id: The generation that holds them.
            source: Only of this source.
            words: Only those whose path or title contains this, in any case.
            limit: Most to return.
            offset: How many to pass over.
        """
        values = {
            "generation": generation_id,
            "source": source,
            "words": words.strip(),
            "limit": limit,
            "offset": offset,
        }
        with self._database.transaction() as connection:
            row = connection.execute(_COUNT, _storable(values)).fetchone()
        return self._all(DocumentInfo, _LIST, values), int(row[0]) if row else 0

    def outline(self, generation_id: int, document_id: str) -> list[ChunkOutline]:
        """A document's chunks without their texts, in order."""
        values = {"generation": generation_id, "document": document_id}
        return self._all(ChunkOutline, _OUTLINE, values)

    def stretch(self, generation_id: int, document_id: str, first: int, count: int) -> list[Chunk]:
        """Consecutive chunks of a document.

        Args:
            generation_id: The generation.
            document_id: The document.
            first: Ordinal of the first.
            count: How many at most.
        """
        with self._database.transaction() as connection:
            return read_chunks(
                connection,
                "generation_id = %s AND document_id = %s AND ordinal >= %s AND ordinal < %s",
                (generation_id, storable(document_id), first, first + count),
            )

    def place(self, generation_id: int, chunk_id: str) -> tuple[str, int] | None:
        """Document and ordinal of a chunk, if the generation has it."""
        with self._database.transaction() as connection:
            row = connection.execute(_PLACE, (generation_id, storable(chunk_id))).fetchone()
        return None if row is None else (str(row[0]), int(row[1]))

    def versions(self, document_id: str) -> list[DocumentVersion]:
        """What runs made of a document, youngest first, fifty at most."""
        return self._all(DocumentVersion, _VERSIONS, {"document": document_id})

    def holdings(self, document_id: str, alias: str) -> list[Holding]:
        """What each generation of an alias holds of a document, youngest first."""
        return self._all(Holding, _HOLDINGS, {"document": document_id, "alias": alias})

    def languages(self, generation_id: int) -> list[str]:
        """Languages of the documents, most frequent first."""
        return self._column(_LANGUAGES, generation_id)

    def standards(self, generation_id: int) -> list[str]:
        """Designations of the standards among the documents, two hundred at most."""
        return self._column(_STANDARDS, generation_id)

    def _column(self, query: str, generation_id: int) -> list[str]:
        with self._database.transaction() as connection:
            return [str(row[0]) for row in connection.execute(query, (generation_id,)).fetchall()]

    def _all(self, kind: type[Any], query: str, values: Mapping[str, Any]) -> list[Any]:
        with (
            self._database.transaction() as connection,
            connection.cursor(row_factory=class_row(kind)) as cursor,
        ):
            return cursor.execute(query, _storable(values)).fetchall()


def _storable(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a query; they come out of addresses of pages, where anything may stand."""
    return {name: storable(value) if isinstance(value, str) else value for name, value in values.items()}
