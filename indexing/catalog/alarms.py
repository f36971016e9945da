"""Alarms: what is wrong with the answers, since when, and whether it has passed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from indexing.catalog.database import Connection, Database
from indexing.values import json_safe, storable
from rubrica.errors import FatalError

OWN = "rubrica"
"""Holds the alarms that Rubrica's own checks open."""

PROMETHEUS = "prometheus/"
"""Begins the names of those who hold alarms for Prometheus."""

_COLUMNS = (
    "id, cause, kind, set_name, generation_id, evaluation_id, baseline_id, summary, details, note,"
    " opened_at, last_seen, closed_at,"
    " ARRAY(SELECT holder FROM alarm_holders h WHERE h.alarm_id = alarms.id ORDER BY holder) AS holders"
)

# What Rubrica's own check says is richer than what an alert can say. Of several alerts the first one's words
# stay: each of them would change them at every repeat.
_OPEN = """
INSERT INTO alarms (cause, kind, set_name, generation_id, evaluation_id, baseline_id, summary, details)
VALUES (%(cause)s, %(kind)s, (SELECT name FROM golden_sets WHERE name = %(set)s), %(generation)s,
    %(evaluation)s, %(baseline)s, %(summary)s, %(details)s)
ON CONFLICT (cause) WHERE closed_at IS NULL DO UPDATE SET
    generation_id = excluded.generation_id, evaluation_id = excluded.evaluation_id,
    baseline_id = excluded.baseline_id, summary = excluded.summary, details = excluded.details, note = ''
WHERE %(holder)s = %(own)s OR NOT EXISTS (
    SELECT FROM alarm_holders h WHERE h.alarm_id = alarms.id AND h.holder <> %(holder)s)
"""

_SEEN = "UPDATE alarms SET last_seen = now() WHERE cause = %(cause)s AND closed_at IS NULL RETURNING id"

_HOLD = """
INSERT INTO alarm_holders (alarm_id, holder) VALUES (%s, %s)
ON CONFLICT (alarm_id, holder) DO UPDATE SET last_seen = now()
"""

_LOCK = "SELECT id FROM alarms WHERE cause = %s AND closed_at IS NULL FOR UPDATE"

_NOTE = """
UPDATE alarms SET note = %(note)s,
    closed_at = CASE WHEN EXISTS (SELECT FROM alarm_holders WHERE alarm_id = %(id)s) THEN NULL ELSE now() END
WHERE id = %(id)s RETURNING closed_at IS NOT NULL
"""

_EXPIRED = """
SELECT a.cause, h.holder FROM alarm_holders h JOIN alarms a ON a.id = h.alarm_id
WHERE a.closed_at IS NULL AND starts_with(h.holder, %s) AND h.last_seen < now() - %s ORDER BY a.id, h.holder
"""


class AlarmKind(StrEnum):
    """What an alarm is about.

    ``RECALL``: fewer questions are answered than before, or than there should be. ``LABELS``: golden
    questions name passages that the documents no longer have. ``QUESTIONS``: the file of a source's golden
    questions cannot be read. ``GATE``: a new generation was refused. ``RUN``: a run of a DAG ended red.
    ``DEADLINE``: one took longer than it may. ``POLL``: a declared source cannot be polled. ``ALERT``: an
    alert of Prometheus.
    """

    RECALL = "recall"
    LABELS = "labels"
    QUESTIONS = "questions"
    GATE = "gate"
    RUN = "run"
    DEADLINE = "deadline"
    POLL = "poll"
    ALERT = "alert"


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
        note: Why it was closed; of an open one, why one who held it does not any more.
        opened_at: When it was seen first.
        last_seen: When it was seen last.
        closed_at: When it had passed; ``None`` while it is open.
        holders: Who still sees what is wrong: ``OWN``, or an alert of Prometheus.
    """

    id: int
    said: NewAlarm
    note: str
    opened_at: datetime
    last_seen: datetime
    closed_at: datetime | None
    holders: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether it has not passed yet."""
        return self.closed_at is None


class Alarms:
    """The table of alarms; each cause has at most one that is open."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def open(self, alarm: NewAlarm, *, holder: str = OWN) -> Alarm:
        """Open an alarm, or bring the open one of the same cause up to date.

        Args:
            alarm: What is wrong.
            holder: Who sees it; the alarm stays open until nobody does.
        """
        values = {
            "cause": storable(alarm.cause),
            "kind": alarm.kind.value,
            "set": storable(alarm.set_name or ""),
            "generation": alarm.generation_id,
            "evaluation": alarm.evaluation_id,
            "baseline": alarm.baseline_id,
            "summary": storable(alarm.summary),
            "details": Jsonb(json_safe(alarm.details)),
            "holder": holder,
            "own": OWN,
        }
        with self._database.transaction() as connection:
            connection.execute(_OPEN, values)
            row = connection.execute(_SEEN, values).fetchone()
            if row is None:
                raise FatalError("An alarm vanished while it was being opened.")
            connection.execute(_HOLD, (row[0], holder))
            return _find(connection, "id = %s", (row[0],))[0]

    def close(self, cause: str, note: str) -> bool:
        """Close the open alarm of a cause, whoever holds it.

        Args:
            cause: As it was opened.
            note: Why, in a sentence.

        Returns:
            Whether there was one.
        """
        return self._end(cause, note, "true", ())

    def release(self, cause: str, note: str, *, holder: str = OWN) -> bool:
        """Let go of the open alarm of a cause; it is closed when nobody else holds it.

        Args:
            cause: As it was opened.
            note: Why, in a sentence.
            holder: Who does not see it any more.

        Returns:
            Whether it was closed.
        """
        return self._end(cause, note, "holder = %s", (holder,))

    def expire(self, age: timedelta) -> list[str]:
        """Let go of the alarms of alerts that were not repeated: their end may have been lost.

        Args:
            age: Since when they were not.

        Returns:
            Causes of the alarms that were closed.
        """
        with self._database.transaction() as connection:
            found = connection.execute(_EXPIRED, (PROMETHEUS, age)).fetchall()
        note = "Alertmanager has not repeated the alert, nor said that it has passed."
        return [cause for cause, holder in found if self.release(cause, note, holder=holder)]

    def _end(self, cause: str, note: str, condition: str, values: tuple[str, ...]) -> bool:
        delete = f"DELETE FROM alarm_holders WHERE alarm_id = %s AND {condition}"  # noqa: S608 — constants
        with self._database.transaction() as connection:
            row = connection.execute(_LOCK, (storable(cause),)).fetchone()
            if row is None:
                return False
            connection.execute(delete, (row[0], *values))
            ended = connection.execute(_NOTE, {"id": row[0], "note": storable(note)}).fetchone()
            return bool(ended and ended[0])

    def get(self, alarm_id: int) -> Alarm | None:
        """The alarm of that id, if there is one."""
        with self._database.transaction() as connection:
            found = _find(connection, "id = %s", (alarm_id,))
        return found[0] if found else None

    def open_alarms(self) -> list[Alarm]:
        """Those that have not passed, oldest first."""
        with self._database.transaction() as connection:
            return _find(connection, "closed_at IS NULL")

    def to_tell(self, channel: str) -> list[Alarm]:
        """Those that a channel may have to hear of: all that are open, and told ones that have passed."""
        condition = (
            "closed_at IS NULL OR EXISTS (SELECT FROM alarm_deliveries d WHERE d.alarm_id = alarms.id"
            " AND d.channel = %s AND d.event <> 'closed')"
        )
        with self._database.transaction() as connection:
            return _find(connection, condition, (channel,))

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
    times = (row["opened_at"], row["last_seen"], row["closed_at"])
    return Alarm(row["id"], said, row["note"], *times, tuple(row["holders"]))
