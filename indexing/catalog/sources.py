"""Sources, and how far each generation has followed them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from indexing.catalog.database import Database
from indexing.values import storable
from rubrica.errors import ConfigurationError
from rubrica.model import SourceSpec

_SLUG = re.compile(r"[a-z0-9-]{1,100}")
_COLUMNS = "name, kind, location, branch, include, exclude, options"
_WIDTH = len(_COLUMNS.split(","))


@dataclass(frozen=True, slots=True)
class Source:
    """A source with its progress in one generation.

    Attributes:
        spec: What the user declared.
        last_revision: Revision of the last run that ended well; empty before the first.
        last_success_at: When that was.
    """

    spec: SourceSpec
    last_revision: str = ""
    last_success_at: datetime | None = None


def _spec(row: tuple[Any, ...]) -> SourceSpec:
    name, kind, location, branch, include, exclude, options = row
    return SourceSpec(name, kind, location, branch, tuple(include), tuple(exclude), options)


class Sources:
    """The table of sources."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def register(self, spec: SourceSpec) -> None:
        """Store a source, replacing what was declared under the same name.

        Raises:
            ConfigurationError: The name is not a slug.
        """
        if not _SLUG.fullmatch(spec.name):
            raise ConfigurationError(
                f"The source name {spec.name!r} is not valid.",
                hint="Use small Latin letters, digits and hyphens, at most 100.",
            )
        globs = (list(spec.include), list(spec.exclude))
        options = Jsonb(dict(spec.options))
        values = (spec.name, spec.kind, spec.location, spec.branch, *globs, options)
        with self._database.transaction() as connection:
            connection.execute(
                f"INSERT INTO sources ({_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s)"  # noqa: S608 — constant
                " ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, location = excluded.location,"
                " branch = excluded.branch, include = excluded.include, exclude = excluded.exclude,"
                " options = excluded.options",
                values,
            )

    def get(self, name: str) -> SourceSpec | None:
        """The source of that name, if there is one."""
        query = f"SELECT {_COLUMNS} FROM sources WHERE name = %s"  # noqa: S608 — constant
        with self._database.transaction() as connection:
            row = connection.execute(query, (storable(name),)).fetchone()
        return None if row is None else _spec(row)

    def find(self, kind: str, location: str, branch: str = "") -> SourceSpec | None:
        """The source that watches that place, if there is one."""
        query = (
            f"SELECT {_COLUMNS} FROM sources WHERE kind = %s AND location = %s AND branch = %s"  # noqa: S608
            " ORDER BY created_at, name LIMIT 1"
        )
        with self._database.transaction() as connection:
            row = connection.execute(query, (kind, storable(location), storable(branch))).fetchone()
        return None if row is None else _spec(row)

    def all(self, generation_id: int | None = None) -> list[Source]:
        """All sources by name, with their progress in one generation (none: no progress)."""
        query = (
            f"SELECT {_COLUMNS}, coalesce(last_revision, ''), last_success_at FROM sources"  # noqa: S608
            " LEFT JOIN source_progress ON source = name AND generation_id = %s ORDER BY name"
        )
        with self._database.transaction() as connection:
            rows = connection.execute(query, (generation_id,)).fetchall()
        return [Source(_spec(row[:_WIDTH]), *row[_WIDTH:]) for row in rows]

    def last_revision(self, generation_id: int, name: str) -> str:
        """Revision that the generation has reached; empty before the first run that ended well."""
        query = "SELECT last_revision FROM source_progress WHERE generation_id = %s AND source = %s"
        with self._database.transaction() as connection:
            row = connection.execute(query, (generation_id, name)).fetchone()
        return "" if row is None else str(row[0])

    def set_last_revision(self, generation_id: int, name: str, revision: str) -> None:
        """Note that the generation equals the source at ``revision``, now."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO source_progress (generation_id, source, last_revision) VALUES (%s, %s, %s)"
                " ON CONFLICT (generation_id, source) DO UPDATE"
                " SET last_revision = excluded.last_revision, last_success_at = now()",
                (generation_id, name, revision),
            )
