"""Alarms: what is wrong with the answers, since when, and whether it has passed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from indexing.catalog.database import Connection, Database
from indexing.values import json_safe, storable
from rubrica.errors import FatalError

_COLUMNS = (
    "id, cause, kind, set_name, generation_id, evaluation_id, baseline_id, summary, details, note,"
    " opened_at, last_seen, closed_at"
)

_OPEN = """
INSERT INTO alarms (cause, kind, set_name, generation_id, evaluation_id, baseline_id, summary, details)
VALUES (%(cause)s, %(kind)s, %(set)s, %(generation)s, %(evaluation)s, %(baseline)s, %(summary)s, %(details)s)
ON CONFLICT (cause) WHERE closed_at IS NULL DO UPDATE SET
    generation_id = excluded.generation_id, evaluation_id = excluded.evaluation_id,
    baseline_id = excluded.baseline_id, summary = excluded.summary, details = excluded.details,
    last_seen = now()
RETURNING id
"""


class AlarmKind(StrEnum):
    """What an alarm is about.

    ``RECALL``: fewer questions are answered than before, or than there should be. ``LABELS``: golden
    questions name passages that the documents no longer have. ``QUESTIONS``: the file of a source's golden
    questions cannot be read. ``GATE``: a new generation was refused.
    """

    RECALL = "recall"
    LABELS = "labels"
    QUESTIONS = "questions"
    GATE = "gate"


@dataclass(frozen=True, slots=True)
class NewAlarm:
    """What is wrong.

    Attributes:
        cause: Names it; as long as an alarm of that cause is open, no second one is opened.
        kind: What it is about.
        summary: One sentence.
        details: All else that is known, as JSON has it.
        set_name: The golden set that shows it.
        generation_id: The generation that shows it.
        evaluation_id: The evaluation that shows it.
        baseline_id: The evaluation that it is worse than.
    """

    cause: str
    kind: AlarmKind
    summary: str
    details: Mapping[str, Any] = field(default_factory=dict)
    set_name: str | None = None
    generation_id: int | None = None
    evaluation_id: int | None = None
    baseline_id: int | None = None


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm and its history.

    Attributes:
        id: Identity in the catalog.
        said: What is wrong, as it was seen last.
        note: Why it was closed.
        opened_at: When it was seen first.
        last_seen: When it was seen last.
        closed_at: When it had passed; ``None`` while it is open.
    """

    id: int
    said: NewAlarm
    note: str
    opened_at: datetime
    last_seen: datetime
    closed_at: datetime | None

    @property
    def is_open(self) -> bool:
        """Whether it has not passed yet."""
        return self.closed_at is None


class Alarms:
    """The table of alarms; each cause has at most one that is open."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def open(self, alarm: NewAlarm) -> Alarm:
        """Open an alarm, or bring the open one of the same cause up to date."""
        values = {
            "cause": storable(alarm.cause),
            "kind": alarm.kind.value,
            "set": alarm.set_name,
            "generation": alarm.generation_id,
            "evaluation": alarm.evaluation_id,
            "baseline": alarm.baseline_id,
            "summary": storable(alarm.summary),
            "details": Jsonb(json_safe(alarm.details)),
        }
        with self._database.transaction() as connection:
            row = connection.execute(_OPEN, values).fetchone()
            found = _find(connection, "id = %s", (row[0] if row else 0,))
        if not found:
            raise FatalError("An alarm vanished while it was being opened.")
        return found[0]

    def close(self, cause: str, note: str) -> bool:
        """Close the open alarm of a cause.

        Args:
            cause: As it was opened.
            note: Why, in a sentence.

        Returns:
            Whether there was one.
        """
        query = "UPDATE alarms SET closed_at = now(), note = %s WHERE cause = %s AND closed_at IS NULL"
        with self._database.transaction() as connection:
            return connection.execute(query, (storable(note), storable(cause))).rowcount > 0

    def get(self, alarm_id: int) -> Alarm | None:
        """The alarm of that id, if there is one."""
        with self._database.transaction() as connection:
            found = _find(connection, "id = %s", (alarm_id,))
        return found[0] if found else None

    def open_alarms(self) -> list[Alarm]:
        """Those that have not passed, oldest first."""
        with self._database.transaction() as connection:
            return _find(connection, "closed_at IS NULL")

    def all(self) -> list[Alarm]:
        """All that were ever opened, oldest first."""
        with self._database.transaction() as connection:
            return _find(connection, "true")


def _find(connection: Connection, condition: str, values: tuple[Any, ...] = ()) -> list[Alarm]:
    query = f"SELECT {_COLUMNS} FROM alarms WHERE {condition} ORDER BY opened_at, id"  # noqa: S608 — constants
    with connection.cursor(row_factory=dict_row) as cursor:
        return [_alarm(row) for row in cursor.execute(query, values).fetchall()]


def _alarm(row: dict[str, Any]) -> Alarm:
    said = NewAlarm(
        cause=row["cause"],
        kind=AlarmKind(row["kind"]),
        summary=row["summary"],
        details=row["details"],
        set_name=row["set_name"],
        generation_id=row["generation_id"],
        evaluation_id=row["evaluation_id"],
        baseline_id=row["baseline_id"],
    )
    return Alarm(row["id"], said, row["note"], row["opened_at"], row["last_seen"], row["closed_at"])
