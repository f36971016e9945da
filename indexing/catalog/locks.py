"""One run at a time per source."""

from __future__ import annotations

from indexing.catalog.database import Database

_ACQUIRE = """
INSERT INTO source_locks (source, owner, expires_at)
VALUES (%(source)s, %(owner)s, now() + make_interval(secs => %(ttl)s))
ON CONFLICT (source) DO UPDATE SET owner = excluded.owner, refreshed_at = now(),
    expires_at = excluded.expires_at,
    acquired_at = CASE WHEN source_locks.owner = excluded.owner THEN source_locks.acquired_at ELSE now() END
WHERE source_locks.owner = excluded.owner
    OR source_locks.expires_at < now()
    OR EXISTS (SELECT FROM runs WHERE runs.id = source_locks.owner AND runs.state <> 'running')
"""

_REFRESH = """
UPDATE source_locks SET refreshed_at = now(), expires_at = now() + make_interval(secs => %(ttl)s)
WHERE source = %(source)s AND owner = %(owner)s
"""


class SourceLocks:
    """The table of locks.

    A lock belongs to a run, not to a process: a run's tasks are many processes. It ends when the
    run releases it, when the run is no longer running, or when nobody refreshed it in time.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def acquire(self, source: str, owner: str, *, ttl_s: float) -> bool:
        """Take the lock, or take it over from a dead owner; taking it twice is harmless.

        Args:
            source: Name of the source.
            owner: Id of the run.
            ttl_s: Seconds until the lock ends by itself, unless refreshed.

        Returns:
            Whether the owner holds it now.
        """
        values = {"source": source, "owner": owner, "ttl": ttl_s}
        with self._database.transaction() as connection:
            return connection.execute(_ACQUIRE, values).rowcount == 1

    def refresh(self, source: str, owner: str, *, ttl_s: float) -> bool:
        """Keep the lock for another ``ttl_s`` seconds; ``False`` when the owner has lost it."""
        values = {"source": source, "owner": owner, "ttl": ttl_s}
        with self._database.transaction() as connection:
            return connection.execute(_REFRESH, values).rowcount == 1

    def release(self, source: str, owner: str) -> None:
        """Give the lock back; without effect when another owner has it."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM source_locks WHERE source = %s AND owner = %s", (source, owner))

    def owner(self, source: str) -> str | None:
        """The run that holds the lock, if it has not expired."""
        query = "SELECT owner FROM source_locks WHERE source = %s AND expires_at >= now()"
        with self._database.transaction() as connection:
            row = connection.execute(query, (source,)).fetchone()
        return None if row is None else str(row[0])
