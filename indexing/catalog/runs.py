"""Runs and what they counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from psycopg.rows import dict_row

from indexing.catalog.database import Connection, Database
from indexing.values import storable
from rubrica.errors import FatalError
from rubrica.metrics import Counter

_COLUMNS = (
    "id, source, trigger, dag_run_id, from_revision, to_revision, state, started_at, finished_at, error"
)

_START = """
INSERT INTO runs (id, source, trigger, dag_run_id, from_revision, state)
VALUES (%s, %s, %s, %s, %s, 'running')
ON CONFLICT (id) DO UPDATE SET from_revision = excluded.from_revision, to_revision = '', state = 'running',
    started_at = now(), finished_at = NULL, error = ''
"""


class RunState(StrEnum):
    """How far a run has come, and how it ended."""

    RUNNING = "running"
    SUCCESS = "success"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Run:
    """One ingestion of one source."""

    id: str
    source: str
    trigger: str
    dag_run_id: str
    from_revision: str
    to_revision: str
    state: RunState
    started_at: datetime
    finished_at: datetime | None
    error: str


def _first(connection: Connection, query: str, values: tuple[Any, ...]) -> Run | None:
    with connection.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(query, values).fetchone()
    return None if row is None else Run(**row | {"state": RunState(row["state"])})


class Runs:
    """The tables of runs and counters."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def start(
        self, run_id: str, source: str, *, trigger: str, dag_run_id: str = "", from_revision: str = ""
    ) -> None:
        """Open a run; one that is started again counts from zero."""
        with self._database.transaction() as connection:
            connection.execute(_START, (run_id, source, trigger, dag_run_id, from_revision))
            connection.execute("DELETE FROM run_counters WHERE run_id = %s", (run_id,))
            connection.execute("DELETE FROM chunk_quality WHERE run_id = %s", (run_id,))

    def finish(self, run_id: str, state: RunState, *, to_revision: str = "", error: str = "") -> None:
        """Close a run with its verdict.

        Raises:
            FatalError: The run was never started.
        """
        with self._database.transaction() as connection:
            done = connection.execute(
                "UPDATE runs SET state = %s, to_revision = %s, error = %s, finished_at = now() WHERE id = %s",
                (state.value, to_revision, storable(error), run_id),
            )
            if not done.rowcount:
                raise FatalError(f"The catalog does not know the run {run_id!r}.")

    def get(self, run_id: str) -> Run | None:
        """The run of that id, if there is one."""
        query = f"SELECT {_COLUMNS} FROM runs WHERE id = %s"  # noqa: S608 — constant
        with self._database.transaction() as connection:
            return _first(connection, query, (run_id,))

    def last(self, source: str, *, finished: bool = False) -> Run | None:
        """The youngest run of a source, or the youngest that has ended."""
        query = (
            f"SELECT {_COLUMNS} FROM runs WHERE source = %s AND (finished_at IS NOT NULL OR NOT %s)"  # noqa: S608
            " ORDER BY started_at DESC, id DESC LIMIT 1"
        )
        with self._database.transaction() as connection:
            return _first(connection, query, (source, finished))

    def add_counters(self, run_id: str, stage: str, batch: str, values: Mapping[Counter, float]) -> None:
        """Store what one batch counted, replacing what an earlier try of the batch stored.

        Args:
            run_id: A run that was started.
            stage: Name of the stage.
            batch: Name of the batch inside the stage.
            values: Value by counter.
        """
        rows = [(run_id, stage, batch, Counter(name).value, value) for name, value in values.items()]
        with self._database.transaction() as connection, connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO run_counters (run_id, stage, batch, name, value) VALUES (%s, %s, %s, %s, %s)"
                " ON CONFLICT (run_id, stage, batch, name) DO UPDATE SET value = excluded.value",
                rows,
            )

    def totals(self, run_id: str) -> dict[Counter, int]:
        """Every counter of a run, summed over its stages and batches; 0 where nothing was counted."""
        query = "SELECT name, sum(value) FROM run_counters WHERE run_id = %s GROUP BY name"
        with self._database.transaction() as connection:
            sums = dict(connection.execute(query, (run_id,)).fetchall())
        return {counter: int(sums.get(counter.value, 0)) for counter in Counter}
