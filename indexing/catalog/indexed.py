"""What each generation holds of each document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from psycopg.types.json import Jsonb

from indexing.catalog.chunks import insert_chunks
from indexing.catalog.database import Connection, Database
from indexing.catalog.failures import resolve_failures
from indexing.values import json_safe, storable
from rubrica.model import Chunk, Document

_SAVE = """
INSERT INTO indexed_documents (generation_id, document_id, state, mark, config_sig, revision, content_hash,
    media_type, language, title, attributes, chunk_count)
VALUES (%s, %s, 'indexed', %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (generation_id, document_id) DO UPDATE SET
    state = excluded.state, mark = excluded.mark, config_sig = excluded.config_sig,
    revision = excluded.revision, content_hash = excluded.content_hash, media_type = excluded.media_type,
    language = excluded.language, title = excluded.title, attributes = excluded.attributes,
    chunk_count = excluded.chunk_count, updated_at = now()
"""

_FAIL = """
INSERT INTO indexed_documents (generation_id, document_id, state, mark, config_sig)
VALUES (%s, %s, 'failed', %s, %s)
ON CONFLICT (generation_id, document_id) DO UPDATE SET
    state = excluded.state, mark = excluded.mark, config_sig = excluded.config_sig, updated_at = now()
"""

_MARKS = """
SELECT d.path, CASE WHEN i.state = 'indexed' OR i.config_sig = %(config_sig)s THEN i.mark ELSE '' END
FROM documents d
LEFT JOIN indexed_documents i ON i.document_id = d.id AND i.generation_id = %(generation)s
WHERE d.source = %(source)s AND d.path IS NOT NULL
"""

_STATES = """
SELECT d.source, coalesce(i.state, 'pending'), count(*)
FROM documents d
LEFT JOIN indexed_documents i ON i.document_id = d.id AND i.generation_id = %s
WHERE d.path IS NOT NULL GROUP BY 1, 2
"""


class IndexedDocuments:
    """The table of indexed documents, with their chunks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def known_marks(self, generation_id: int, source: str, config_sig: str) -> dict[str, str]:
        """Change mark by path, to compare a source's snapshot with.

        A path that is not indexed yet has the mark "" and so counts as changed. What is indexed keeps its
        mark whatever the settings are now: only a new generation changes them for all documents at once. A
        document that failed keeps it until it changes, its settings do, or somebody asks for a retry.
        """
        values = {"generation": generation_id, "source": source, "config_sig": config_sig}
        with self._database.transaction() as connection:
            rows = connection.execute(_MARKS, values).fetchall()
        return {path: mark or "" for path, mark in rows}

    def stamp(self, generation_id: int) -> tuple[int, datetime | None]:
        """A mark of what a generation holds; while it stays the same, nothing was written or removed."""
        query = "SELECT count(*), max(updated_at) FROM indexed_documents WHERE generation_id = %s"
        with self._database.transaction() as connection:
            row = connection.execute(query, (generation_id,)).fetchone()
        return (row[0], row[1]) if row else (0, None)

    def save(
        self, generation_id: int, document: Document, chunks: Sequence[Chunk], *, mark: str, config_sig: str
    ) -> None:
        """Replace all that is stored of a document, in one transaction.

        In the live generation, that closes its failures: they are about what readers see.
        """
        values = (
            generation_id,
            document.id,
            mark,
            config_sig,
            document.revision,
            document.content_hash,
            document.media_type,
            document.language,
            storable(document.title),
            Jsonb(json_safe(document.attributes)),
            len(chunks),
        )
        with self._database.transaction() as connection:
            connection.execute(_SAVE, values)
            connection.execute(
                "DELETE FROM chunks WHERE generation_id = %s AND document_id = %s",
                (generation_id, document.id),
            )
            insert_chunks(connection, generation_id, chunks)
            if _is_live(connection, generation_id):
                resolve_failures(connection, [document.id])

    def finish(self, generation_id: int, document_id: str, *, mark: str) -> None:
        """Note that nothing but what was saved is left of a document in Milvus."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE indexed_documents SET mark = %s WHERE generation_id = %s AND document_id = %s",
                (mark, generation_id, document_id),
            )

    def mark_failed(self, generation_id: int, document_id: str, *, mark: str, config_sig: str) -> None:
        """Note that this content cannot be indexed; what an earlier version left stays searchable."""
        with self._database.transaction() as connection:
            connection.execute(_FAIL, (generation_id, document_id, mark, config_sig))

    def claim(self, generation_id: int, document_id: str) -> None:
        """Note that something of a document may lie in Milvus, before the first of it is written there."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO indexed_documents (generation_id, document_id, state, mark, config_sig)"
                " VALUES (%s, %s, 'failed', '', '') ON CONFLICT DO NOTHING",
                (generation_id, document_id),
            )

    def forget(self, generation_id: int, document_ids: Iterable[str]) -> None:
        """Forget what one generation holds of documents, whatever the others do."""
        with self._database.transaction() as connection:
            _delete_indexed(connection, generation_id, list(document_ids))

    def clear(self, generation_id: int, document_id: str) -> None:
        """Forget a document's chunks; the document itself, its mark and its failures stay."""
        with self._database.transaction() as connection:
            connection.execute(
                "DELETE FROM chunks WHERE generation_id = %s AND document_id = %s",
                (generation_id, document_id),
            )
            connection.execute(
                "UPDATE indexed_documents SET chunk_count = 0, updated_at = now()"
                " WHERE generation_id = %s AND document_id = %s",
                (generation_id, document_id),
            )

    def remove(self, generation_id: int, document_ids: Iterable[str]) -> None:
        """Forget what a generation holds of documents that are gone, and take away their paths.

        Their identity stays, so that a later file of the same name is born as another document.
        """
        ids = list(document_ids)
        with self._database.transaction() as connection:
            _delete_indexed(connection, generation_id, ids)
            connection.execute(
                "UPDATE documents SET path = NULL, removed_at = now()"
                " WHERE id = ANY(%s) AND path IS NOT NULL",
                (ids,),
            )
            resolve_failures(connection, ids)

    def orphans(self, generation_id: int, source: str) -> list[str]:
        """Documents without a path of which this generation still holds something.

        They were removed while another generation was live, or another file took their path.
        """
        query = (
            "SELECT id FROM documents JOIN indexed_documents ON document_id = id"
            " WHERE generation_id = %s AND source = %s AND path IS NULL ORDER BY id"
        )
        with self._database.transaction() as connection:
            return [row[0] for row in connection.execute(query, (generation_id, source)).fetchall()]

    def counts(self, generation_id: int) -> dict[tuple[str, str], int]:
        """Documents by source and state (pending, indexed, failed)."""
        with self._database.transaction() as connection:
            rows = connection.execute(_STATES, (generation_id,)).fetchall()
        return {(source, state): count for source, state, count in rows}


def _is_live(connection: Connection, generation_id: int) -> bool:
    query = "SELECT FROM generations WHERE id = %s AND state = 'live'"
    return connection.execute(query, (generation_id,)).fetchone() is not None


def _delete_indexed(connection: Connection, generation_id: int, ids: list[str]) -> None:
    connection.execute(
        "DELETE FROM indexed_documents WHERE generation_id = %s AND document_id = ANY(%s)",
        (generation_id, ids),
    )
