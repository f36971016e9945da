"""Chunks as each generation holds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.rows import dict_row

from indexing.catalog.database import Connection, Database
from indexing.values import storable
from rubrica.model import Chunk, ElementKind

_COLUMNS = (
    "id, document_id, ordinal, char_start, char_end, body, text, tokens, overlap_start,"
    " page_from, page_to, heading_path, clauses, kind, boundary_score"
)
_FIELDS = _COLUMNS.replace("char_start", "char_start AS start").replace("char_end", 'char_end AS "end"')

_FOUND = """
SELECT c.id, c.document_id, d.source, d.path, i.title, i.language, c.ordinal,
    c.char_start AS start, c.char_end AS "end",
    c.page_from, c.page_to, c.clauses, c.heading_path, c.body, c.text
FROM chunks c
JOIN documents d ON d.id = c.document_id
JOIN indexed_documents i ON i.generation_id = c.generation_id AND i.document_id = c.document_id
WHERE c.generation_id = %s AND c.id = ANY(%s) AND d.path IS NOT NULL
"""

_NEIGHBOURS = f"""
SELECT hit.id AS hit, {", ".join(f"c.{column}" for column in _FIELDS.split(", "))}
FROM chunks hit
JOIN chunks c ON c.generation_id = hit.generation_id AND c.document_id = hit.document_id
    AND c.ordinal BETWEEN hit.ordinal - %(reach)s AND hit.ordinal + %(reach)s AND c.id <> hit.id
WHERE hit.generation_id = %(generation)s AND hit.id = ANY(%(ids)s)
ORDER BY hit.id, c.ordinal
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A chunk with what a reader wants to know of its document."""

    id: str
    document_id: str
    source: str
    path: str
    title: str
    language: str
    ordinal: int
    start: int
    end: int
    page_from: int | None
    page_to: int | None
    clauses: tuple[str, ...]
    heading_path: tuple[str, ...]
    body: str
    text: str


class Chunks:
    """The table of chunks, for readers; ``IndexedDocuments`` writes it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_document(self, generation_id: int, document_id: str) -> list[Chunk]:
        """A document's chunks, in order."""
        query = (
            f"SELECT {_FIELDS} FROM chunks WHERE generation_id = %s AND document_id = %s"  # noqa: S608
            " ORDER BY ordinal"
        )
        with self._database.transaction() as connection:
            return [_chunk(row) for row in _dicts(connection, query, (generation_id, document_id))]

    def found(self, generation_id: int, ids: Sequence[str]) -> dict[str, FoundChunk]:
        """The chunks that exist, by id; those of removed documents do not."""
        with self._database.transaction() as connection:
            rows = _dicts(connection, _FOUND, (generation_id, list(ids)))
        return {row["id"]: FoundChunk(**_tuples(row)) for row in rows}

    def neighbours(self, generation_id: int, ids: Sequence[str], reach: int) -> dict[str, list[Chunk]]:
        """The chunks that stand beside others in the same document.

        Args:
            generation_id: The generation.
            ids: Chunks.
            reach: How far to go, before and after.

        Returns:
            By chunk id the neighbours of those that have one, in the order of the document.
        """
        values = {"generation": generation_id, "ids": list(ids), "reach": reach}
        found: dict[str, list[Chunk]] = {}
        with self._database.transaction() as connection:
            rows = _dicts(connection, _NEIGHBOURS, values)
        for row in rows:
            found.setdefault(row.pop("hit"), []).append(_chunk(row))
        return found

    def ids(self, generation_id: int, document_id: str | None = None) -> set[str]:
        """Ids of a document's chunks, or of all."""
        query = (
            "SELECT id FROM chunks WHERE generation_id = %(g)s"
            " AND (%(d)s::text IS NULL OR document_id = %(d)s)"
        )
        with self._database.transaction() as connection:
            rows = connection.execute(query, {"g": generation_id, "d": document_id}).fetchall()
        return {row[0] for row in rows}


def read_chunks(connection: Connection, condition: str, values: tuple[Any, ...]) -> list[Chunk]:
    """Chunks that meet a condition, by ordinal, inside the caller's transaction."""
    query = f"SELECT {_FIELDS} FROM chunks WHERE {condition} ORDER BY ordinal"  # noqa: S608 — constants
    return [_chunk(row) for row in _dicts(connection, query, values)]


def insert_chunks(connection: Connection, generation_id: int, chunks: Sequence[Chunk]) -> None:
    """Add chunks inside the caller's transaction."""
    copy = f"COPY chunks (generation_id, {_COLUMNS}) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(copy) as rows:
        for chunk in chunks:
            rows.write_row((generation_id, *_values(chunk)))


def _values(chunk: Chunk) -> tuple[Any, ...]:
    return (
        chunk.id,
        chunk.document_id,
        chunk.ordinal,
        chunk.start,
        chunk.end,
        storable(chunk.body),
        storable(chunk.text),
        chunk.tokens,
        chunk.overlap_start,
        chunk.page_from,
        chunk.page_to,
        [storable(heading) for heading in chunk.heading_path],
        [storable(clause) for clause in chunk.clauses],
        chunk.kind.value,
        chunk.boundary_score,
    )


def _dicts(
    connection: Connection, query: str, values: tuple[Any, ...] | dict[str, Any]
) -> list[dict[str, Any]]:
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query, values).fetchall()


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"heading_path": tuple(row["heading_path"]), "clauses": tuple(row["clauses"])}


def _chunk(row: dict[str, Any]) -> Chunk:
    return Chunk(**_tuples(row) | {"kind": ElementKind(row["kind"])})
