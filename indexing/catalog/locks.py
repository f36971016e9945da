"""One run at a time per source, and one rebuild at a time per alias."""

from __future__ import annotations

from typing import ClassVar

from indexing.catalog.database import Database

# A run that ended before it took the lock is one that has been started again: the lock is its own.
_ACQUIRE = """
INSERT INTO {table} ({key}, owner, expires_at)
VALUES (%(name)s, %(owner)s, now() + make_interval(secs => %(ttl)s))
ON CONFLICT ({key}) DO UPDATE SET owner = excluded.owner, refreshed_at = now(),
    expires_at = excluded.expires_at,
    acquired_at = CASE WHEN {table}.owner = excluded.owner THEN {table}.acquired_at ELSE now() END
WHERE {table}.owner = excluded.owner
    OR {table}.expires_at < now()
    OR EXISTS (SELECT FROM runs WHERE runs.id = {table}.owner AND runs.finished_at >= {table}.refreshed_at)
"""

_REFRESH = """
UPDATE {table} SET refreshed_at = now(), expires_at = now() + make_interval(secs => %(ttl)s)
WHERE {key} = %(name)s AND owner = %(owner)s
"""

_RELEASE = "DELETE FROM {table} WHERE {key} = %(name)s AND owner = %(owner)s"

_OWNER = "SELECT owner FROM {table} WHERE {key} = %(name)s AND expires_at >= now()"


class Locks:
    """A table of locks.

    A lock belongs to a run, not to a process: a run's tasks are many processes. It ends when the
    run releases it, when the run has ended since, or when nobody refreshed it in time.
    """

    _table: ClassVar[str]
    _key: ClassVar[str]

    def __init__(self, database: Database) -> None:
        self._database = database

    def acquire(self, name: str, owner: str, *, ttl_s: float) -> bool:
        """Take the lock, or take it over from a dead owner; taking it twice is harmless.

        Args:
            name: What is locked.
            owner: Id of the run.
            ttl_s: Seconds until the lock ends by itself, unless refreshed.

        Returns:
            Whether the owner holds it now.
        """
        return self._change(_ACQUIRE, name, owner, ttl_s)

    def refresh(self, name: str, owner: str, *, ttl_s: float) -> bool:
        """Keep the lock for another ``ttl_s`` seconds; ``False`` when the owner has lost it."""
        return self._change(_REFRESH, name, owner, ttl_s)

    def release(self, name: str, owner: str) -> None:
        """Give the lock back; without effect when another owner has it."""
        self._change(_RELEASE, name, owner, 0)

    def owner(self, name: str) -> str | None:
        """The run that holds the lock, if it has not expired."""
        with self._database.transaction() as connection:
            row = connection.execute(self._sql(_OWNER), {"name": name}).fetchone()
        return None if row is None else str(row[0])

    def _change(self, query: str, name: str, owner: str, ttl_s: float) -> bool:
        values = {"name": name, "owner": owner, "ttl": ttl_s}
        with self._database.transaction() as connection:
            return connection.execute(self._sql(query), values).rowcount == 1

    def _sql(self, query: str) -> bytes:
        return query.format(table=self._table, key=self._key).encode()


class SourceLocks(Locks):
    """One run at a time per source."""

    _table = "source_locks"
    _key = "source"


class ReindexLocks(Locks):
    """One rebuild, switch or rollback at a time per alias."""

    _table = "reindex_locks"
    _key = "alias"
