"""Versioned changes of the catalog's schema."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files

from indexing.catalog.database import Connection, Database
from rubrica.errors import FatalError
from rubrica.log import get_logger

_LOG = get_logger(__name__)
_LOCK = "rubrica:migrations"
_CREATE = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    version     text PRIMARY KEY,
    checksum    text NOT NULL,
    applied_at  timestamptz NOT NULL DEFAULT now()
)
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of SQL; its name orders it."""

    version: str
    sql: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the file."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def bundled_migrations() -> list[Migration]:
    """The migrations of this version of Rubrica, oldest first."""
    folder = files("indexing").joinpath("migrations")
    names = sorted(item.name for item in folder.iterdir() if item.name.endswith(".sql"))
    return [
        Migration(name.removesuffix(".sql"), folder.joinpath(name).read_text(encoding="utf-8"))
        for name in names
    ]


def migrate(database: Database, migrations: list[Migration]) -> list[str]:
    """Apply what is missing, all of it in one transaction.

    Returns:
        Versions that were applied.

    Raises:
        FatalError: An applied migration differs from its file, or the database is newer than this program.
    """
    with database.transaction() as connection:
        connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (_LOCK,))
        connection.execute(_CREATE)
        pending = _pending(connection, migrations)
        for migration in pending:
            connection.execute(migration.sql.encode())
            connection.execute(
                "INSERT INTO schema_migrations (version, checksum) VALUES (%s, %s)",
                (migration.version, migration.checksum),
            )
    for migration in pending:
        _LOG.info("migration applied", version=migration.version)
    return [migration.version for migration in pending]


def _pending(connection: Connection, migrations: list[Migration]) -> list[Migration]:
    rows = connection.execute("SELECT version, checksum FROM schema_migrations").fetchall()
    applied = {str(version): str(checksum) for version, checksum in rows}
    unknown = sorted(applied.keys() - {migration.version for migration in migrations})
    if unknown:
        raise FatalError(
            f"The catalog has migrations that this version does not know: {', '.join(unknown)}.",
            hint="Install the version of Rubrica that wrote it.",
        )
    for migration in migrations:
        if applied.get(migration.version, migration.checksum) != migration.checksum:
            raise FatalError(
                f"Migration {migration.version} was applied in another form than the file has now.",
                hint="Restore the file; put a change into a new migration.",
            )
    return [migration for migration in migrations if migration.version not in applied]
