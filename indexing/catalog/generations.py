"""Generations: one Milvus collection each, built with one configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from indexing.catalog.database import Connection, Database
from rubrica.errors import FatalError
from rubrica.identity import config_sig

_COLUMNS = (
    "id, alias, number, collection, config_sig, config, settings, embedder, dimension, state, created_at,"
    " live_at, ended_at, note"
)

_SIZES = """
SELECT g.id, count(*) FILTER (WHERE i.state = 'indexed'), coalesce(sum(i.chunk_count), 0)::bigint
FROM generations g JOIN indexed_documents i ON i.generation_id = g.id
WHERE g.alias = %s GROUP BY g.id
"""

# A generation goes live only when it equals the one before, so it has come as far with every source.
_COPY_PROGRESS = """
INSERT INTO source_progress (generation_id, source, last_revision, last_success_at)
SELECT %(id)s, p.source, p.last_revision, p.last_success_at
FROM source_progress p JOIN generations g ON g.id = p.generation_id
WHERE g.state = 'live' AND g.id <> %(id)s
    AND g.alias = (SELECT alias FROM generations WHERE id = %(id)s)
ON CONFLICT (generation_id, source) DO UPDATE
    SET last_revision = excluded.last_revision, last_success_at = excluded.last_success_at
"""


class GenerationState(StrEnum):
    """Where a generation stands.

    ``SOAKING``: it was live before; it is written to beside the live one, so that a rollback is safe.
    ``REFUSED``: the recall gate did not let it become live; nobody writes to it.
    """

    BUILDING = "building"
    LIVE = "live"
    SOAKING = "soaking"
    REFUSED = "refused"
    DROPPED = "dropped"


NO_SETTINGS: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Generation:
    """One build of the index.

    Attributes:
        id: Identity in the catalog.
        alias: Name that readers use.
        number: From 1, per alias.
        collection: Milvus collection that holds it.
        config_sig: Signature of ``config``.
        config: Models, versions and schema that it was built with.
        settings: Settings that it is written and read with, by name; none in those of older versions.
        embedder: Name of the embedder.
        dimension: Length of its vectors.
        state: Where it stands.
        created_at: When it was begun.
        live_at: When it became live last.
        ended_at: When it ceased to be live, was refused or dropped.
        note: Why, in a sentence.
    """

    id: int
    alias: str
    number: int
    collection: str
    config_sig: str
    config: Mapping[str, Any]
    settings: Mapping[str, Any]
    embedder: str
    dimension: int
    state: str
    created_at: datetime
    live_at: datetime | None
    ended_at: datetime | None
    note: str


class Generations:
    """The table of generations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def live(self, alias: str) -> Generation | None:
        """The generation that the alias stands for, if there is one."""
        return self._find("alias = %s AND state = 'live'", alias)

    def building(self, alias: str) -> Generation | None:
        """The youngest generation that was begun and not finished."""
        return self._find("alias = %s AND state = 'building'", alias)

    def get(self, generation_id: int) -> Generation | None:
        """The generation of that id, if there is one."""
        return self._find("id = %s", generation_id)

    def all(self, alias: str) -> list[Generation]:
        """All generations of an alias, oldest first."""
        query = f"SELECT {_COLUMNS} FROM generations WHERE alias = %s ORDER BY number"  # noqa: S608
        with (
            self._database.transaction() as connection,
            connection.cursor(row_factory=class_row(Generation)) as cursor,
        ):
            return cursor.execute(query, (alias,)).fetchall()

    def begin(
        self,
        alias: str,
        config: Mapping[str, Any],
        *,
        embedder: str,
        dimension: int,
        settings: Mapping[str, Any] = NO_SETTINGS,
    ) -> Generation:
        """Open the alias's next generation, in state "building"; one that was left so is dropped."""
        with self._database.transaction() as connection:
            number = _next_number(connection, alias)
            connection.execute(
                "UPDATE generations SET state = 'dropped', ended_at = now(),"
                " note = 'Another build was begun.' WHERE alias = %s AND state = 'building'",
                (alias,),
            )
            row = connection.execute(
                "INSERT INTO generations"
                " (alias, number, collection, config_sig, config, settings, embedder, dimension, state)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, 'building') RETURNING id",
                (
                    alias,
                    number,
                    f"{alias}_g{number}",
                    config_sig(config),
                    Jsonb(dict(config)),
                    Jsonb(dict(settings)),
                    embedder,
                    dimension,
                ),
            ).fetchone()
            return _one(connection, "id = %s", row[0] if row else 0)

    def make_live(self, generation_id: int) -> Generation:
        """Let the generation take its alias over, with all progress; the one that was live soaks.

        Raises:
            FatalError: The generation was dropped.
        """
        with self._database.transaction() as connection:
            values = {"id": generation_id}
            connection.execute(_COPY_PROGRESS, values)
            connection.execute(
                "UPDATE generations SET state = 'soaking', ended_at = now() WHERE state = 'live'"
                " AND id <> %(id)s AND alias = (SELECT alias FROM generations WHERE id = %(id)s)",
                values,
            )
            connection.execute(
                "UPDATE generations SET state = 'live', live_at = now(), ended_at = NULL, note = ''"
                " WHERE id = %(id)s AND state NOT IN ('live', 'dropped')",
                values,
            )
            made = _one(connection, "id = %s", generation_id)
            if made.state != GenerationState.LIVE:
                raise FatalError(f"Generation {made.number} of {made.alias!r} was dropped.")
            return made

    def end(self, generation_id: int, state: GenerationState, *, note: str = "") -> bool:
        """Take a generation that is not live out of use, for a reason.

        Args:
            generation_id: The generation.
            state: ``REFUSED`` or ``DROPPED``.
            note: Why, in a sentence.

        Returns:
            Whether it is in that state now; a live one stays live.
        """
        with self._database.transaction() as connection:
            done = connection.execute(
                "UPDATE generations SET state = %s, ended_at = now(), note = %s"
                " WHERE id = %s AND state <> 'live'",
                (state.value, note, generation_id),
            )
            return done.rowcount == 1

    def note(self, generation_id: int, note: str) -> None:
        """Say something about a generation."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE generations SET note = %s WHERE id = %s", (note, generation_id))

    def sizes(self, alias: str) -> dict[int, tuple[int, int]]:
        """Documents that are indexed, and chunks, by generation id; none where there are none."""
        with self._database.transaction() as connection:
            rows = connection.execute(_SIZES, (alias,)).fetchall()
        return {id_: (documents, chunks) for id_, documents, chunks in rows}

    def forget(self, generation_id: int) -> None:
        """Delete what a dropped generation knew of documents; that it was there stays known."""
        with self._database.transaction() as connection:
            for table in ("indexed_documents", "source_progress"):
                connection.execute(
                    f"DELETE FROM {table} WHERE generation_id ="  # noqa: S608 — constant
                    " (SELECT id FROM generations WHERE id = %s AND state = 'dropped')",
                    (generation_id,),
                )

    def _find(self, condition: str, value: str | int) -> Generation | None:
        with self._database.transaction() as connection:
            return _first(connection, condition, value)


def _first(connection: Connection, condition: str, value: str | int) -> Generation | None:
    query = f"SELECT {_COLUMNS} FROM generations WHERE {condition} ORDER BY number DESC LIMIT 1"  # noqa: S608
    with connection.cursor(row_factory=class_row(Generation)) as cursor:
        return cursor.execute(query, (value,)).fetchone()


def _one(connection: Connection, condition: str, value: int) -> Generation:
    generation = _first(connection, condition, value)
    if generation is None:
        raise FatalError("A generation vanished while it was being made.")
    return generation


def _next_number(connection: Connection, alias: str) -> int:
    row = connection.execute(
        "SELECT coalesce(max(number), 0) + 1 FROM generations WHERE alias = %s", (alias,)
    ).fetchone()
    return int(row[0]) if row else 1
