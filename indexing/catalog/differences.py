"""In what a generation that is being built, or that soaks, differs from the live one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.rows import class_row

from indexing.catalog.database import Database

_DOCUMENT = """
SELECT d.id, d.source, d.path, l.mark, l.state, l.revision, l.content_hash, l.chunk_count,
    coalesce(t.content_hash, '') AS target_hash, coalesce(t.chunk_count, 0) AS target_chunks
FROM indexed_documents l
JOIN documents d ON d.id = l.document_id
LEFT JOIN indexed_documents t ON t.generation_id = %(target)s AND t.document_id = l.document_id
WHERE l.generation_id = %(live)s AND d.path IS NOT NULL
    AND (%(ids)s::text[] IS NULL OR d.id = ANY(%(ids)s))
"""

# A document that only the target cannot take is not tried again before it, or the target's settings, change;
# one that only the live generation cannot take stays in the target. Of a document that was emptied, the live
# generation holds no chunk although it held some before.
_BEHIND = (
    _DOCUMENT
    + """
    AND (t.document_id IS NULL OR t.mark <> l.mark
        OR (l.state = 'indexed' AND t.state = 'failed' AND t.config_sig <> %(config_sig)s)
        OR (l.state = 'failed' AND l.chunk_count = 0 AND l.content_hash <> '' AND t.chunk_count > 0))
ORDER BY d.source, d.path
"""
)

_GONE = """
SELECT t.document_id
FROM indexed_documents t
JOIN documents d ON d.id = t.document_id
LEFT JOIN indexed_documents l ON l.generation_id = %(live)s AND l.document_id = t.document_id
WHERE t.generation_id = %(target)s AND (l.document_id IS NULL OR d.path IS NULL)
    AND (%(ids)s::text[] IS NULL OR t.document_id = ANY(%(ids)s))
ORDER BY t.document_id
"""

_FAILED = _DOCUMENT + " AND l.state = 'indexed' AND t.state = 'failed' AND t.mark = l.mark ORDER BY 2, 3"


@dataclass(frozen=True, slots=True)
class LiveDocument:
    """A document as the live generation holds it.

    Attributes:
        id: The document.
        source: Its source.
        path: Its path now.
        mark: Change mark of its content.
        state: "indexed" or "failed".
        revision: Revision at which the live generation took what it holds.
        content_hash: Hash of what the live generation holds; of a failed document, of its last good version.
        chunk_count: Chunks in the live generation.
        target_hash: Hash of what the other generation holds; empty where it holds nothing.
        target_chunks: Chunks in the other generation.
    """

    id: str
    source: str
    path: str
    mark: str
    state: str
    revision: str
    content_hash: str
    chunk_count: int
    target_hash: str
    target_chunks: int

    @property
    def emptied(self) -> bool:
        """Whether it has no text any more."""
        return self.state == "failed" and not self.chunk_count and bool(self.content_hash)

    @property
    def version(self) -> tuple[str, str, str]:
        """What must not have changed between planning a write to the other generation and doing it."""
        return self.path, self.mark, self.state


class Differences:
    """The live generation against another one; read only."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def behind(
        self, live: int, target: int, config_sig: str, ids: Sequence[str] | None = None
    ) -> list[LiveDocument]:
        """Documents that the target does not hold as the live generation does.

        Args:
            live: Id of the live generation.
            target: Id of the other one.
            config_sig: Signature of the target's settings.
            ids: Only of these documents.
        """
        return self._documents(_BEHIND, live, target, ids, config_sig=config_sig)

    def gone(self, live: int, target: int, ids: Sequence[str] | None = None) -> list[str]:
        """Documents that the target holds, or began to write, and the live generation no longer does."""
        values = {"live": live, "target": target, "ids": None if ids is None else list(ids)}
        with self._database.transaction() as connection:
            return [row[0] for row in connection.execute(_GONE, values).fetchall()]

    def get(self, live: int, target: int, document_id: str) -> LiveDocument | None:
        """A document as it is now; ``None`` where it is gone from the live generation."""
        found = self._documents(_DOCUMENT, live, target, [document_id])
        return found[0] if found else None

    def failed(self, live: int, target: int) -> list[LiveDocument]:
        """Documents that are well in the live generation and that the target could not take."""
        return self._documents(_FAILED, live, target, None)

    def _documents(
        self, query: str, live: int, target: int, ids: Sequence[str] | None, **more: Any
    ) -> list[LiveDocument]:
        values = {"live": live, "target": target, "ids": None if ids is None else list(ids)} | more
        with (
            self._database.transaction() as connection,
            connection.cursor(row_factory=class_row(LiveDocument)) as cursor,
        ):
            return cursor.execute(query.encode(), values).fetchall()
