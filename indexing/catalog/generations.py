"""Generations: one Milvus collection each, built with one configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from indexing.catalog.database import Connection, Database
from rubrica.errors import FatalError
from rubrica.identity import config_sig

_COLUMNS = "id, alias, number, collection, config_sig, config, embedder, dimension, state, created_at"


@dataclass(frozen=True, slots=True)
class Generation:
    """One build of the index.

    Attributes:
        id: Identity in the catalog.
        alias: Name that readers use.
        number: From 1, per alias.
        collection: Milvus collection that holds it.
        config_sig: Signature of ``config``.
        config: Embedder and schema that it was built with.
        embedder: Name of the embedder.
        dimension: Length of its vectors.
        state: "building", "live" or "retired".
        created_at: When it was begun.
    """

    id: int
    alias: str
    number: int
    collection: str
    config_sig: str
    config: Mapping[str, Any]
    embedder: str
    dimension: int
    state: str
    created_at: datetime


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

    def begin(self, alias: str, config: Mapping[str, Any], *, embedder: str, dimension: int) -> Generation:
        """Open the alias's next generation, in state "building"."""
        with self._database.transaction() as connection:
            number = _next_number(connection, alias)
            row = connection.execute(
                "INSERT INTO generations"
                " (alias, number, collection, config_sig, config, embedder, dimension, state)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s, 'building') RETURNING id",
                (
                    alias,
                    number,
                    f"{alias}_g{number}",
                    config_sig(config),
                    Jsonb(dict(config)),
                    embedder,
                    dimension,
                ),
            ).fetchone()
            return _one(connection, "id = %s", row[0] if row else 0)

    def make_live(self, generation_id: int) -> Generation:
        """Let the generation take its alias over from the one that was live."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE generations SET state = 'retired' WHERE state = 'live'"
                " AND alias = (SELECT alias FROM generations WHERE id = %s)",
                (generation_id,),
            )
            connection.execute("UPDATE generations SET state = 'live' WHERE id = %s", (generation_id,))
            return _one(connection, "id = %s", generation_id)

    def retire(self, generation_id: int) -> None:
        """Take a generation out of use."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE generations SET state = 'retired' WHERE id = %s", (generation_id,))

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
