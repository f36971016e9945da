"""The dead-letter list: documents that failed, where and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from indexing.catalog.database import Connection, Database
from indexing.values import storable
from rubrica.model import Failure, Stage

_RECORD = """
INSERT INTO failures (source, path, document_id, run_id, stage, error, reason, hint)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (source, path) WHERE resolved_at IS NULL DO UPDATE SET
    document_id = coalesce(excluded.document_id, failures.document_id), run_id = excluded.run_id,
    stage = excluded.stage, error = excluded.error, reason = excluded.reason, hint = excluded.hint,
    attempts = failures.attempts
        + CASE WHEN failures.run_id IS NOT DISTINCT FROM excluded.run_id THEN 0 ELSE 1 END,
    last_seen = now()
"""

_LIST = """
SELECT source, path, stage, error, reason, hint, document_id, run_id, attempts, first_seen, last_seen,
    resolved_at
FROM failures
WHERE (%(source)s::text IS NULL OR source = %(source)s)
    AND (%(run)s::text IS NULL OR run_id = %(run)s)
    AND (%(resolved)s OR resolved_at IS NULL)
ORDER BY source, path, id
"""

_RETRY = """
UPDATE indexed_documents SET mark = '' WHERE document_id IN (
    SELECT document_id FROM failures WHERE resolved_at IS NULL
        AND (%(source)s::text IS NULL OR source = %(source)s)
        AND (%(paths)s::text[] IS NULL OR path = ANY(%(paths)s)))
"""


@dataclass(frozen=True, slots=True)
class FailureRecord:
    """A failure and its history.

    Attributes:
        failure: What failed, where and why.
        document_id: The document, where it has an id.
        run_id: The run that saw it last.
        attempts: Runs that met it.
        first_seen: When it failed first.
        last_seen: When it failed last.
        resolved_at: When the document was indexed or removed; ``None`` while it is open.
    """

    failure: Failure
    document_id: str | None
    run_id: str | None
    attempts: int
    first_seen: datetime
    last_seen: datetime
    resolved_at: datetime | None


class Failures:
    """The table of failures; each path has at most one that is open."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, failure: Failure, *, document_id: str | None = None, run_id: str | None = None) -> None:
        """Note a failure; the same run counts as one attempt, however often it retries."""
        reason = storable(failure.reason).strip() or f"It failed with {failure.error} and no message."
        values = (
            failure.source,
            storable(failure.path),
            document_id,
            run_id,
            failure.stage.value,
            failure.error,
            reason,
            storable(failure.hint),
        )
        with self._database.transaction() as connection:
            connection.execute(_RECORD, values)

    def find(
        self, source: str | None = None, *, run_id: str | None = None, resolved: bool = False
    ) -> list[FailureRecord]:
        """Failures by source and path.

        Args:
            source: Only of this source.
            run_id: Only those that this run saw last.
            resolved: Also those that are no longer open.
        """
        values = {"source": source and storable(source), "run": run_id, "resolved": resolved}
        with self._database.transaction() as connection:
            rows = connection.execute(_LIST, values).fetchall()
        return [FailureRecord(Failure(row[0], row[1], Stage(row[2]), *row[3:6]), *row[6:12]) for row in rows]

    def resolve(self, document_ids: Sequence[str]) -> None:
        """Close the failures of documents."""
        with self._database.transaction() as connection:
            resolve_failures(connection, document_ids)

    def retry(self, source: str | None = None, paths: Sequence[str] | None = None) -> list[FailureRecord]:
        """Let the next run take failed documents again, although they did not change.

        Returns:
            The failures that will be tried again; they stay open until the document is indexed.
        """
        wanted = None if paths is None else [storable(path) for path in paths]
        values = {"source": source and storable(source), "paths": wanted}
        with self._database.transaction() as connection:
            connection.execute(_RETRY, values)
        return [record for record in self.find(source) if wanted is None or record.failure.path in wanted]


def resolve_failures(connection: Connection, document_ids: Sequence[str]) -> None:
    """Close the failures of documents inside the caller's transaction."""
    connection.execute(
        "UPDATE failures SET resolved_at = now() FROM documents d"
        " WHERE d.id = ANY(%s) AND resolved_at IS NULL AND (document_id = d.id"
        " OR (document_id IS NULL AND failures.source = d.source"
        " AND failures.path = d.path))",
        (list(document_ids),),
    )
