"""Deliveries: which channel was told what about which alarm."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from psycopg.rows import dict_row

from indexing.catalog.database import Database
from indexing.values import storable

_COLUMNS = (
    "alarm_id, channel, state, event, said, text, trying, external_id, tries, error, tried_at, said_at,"
    " next_try"
)

_BEGIN = """
INSERT INTO alarm_deliveries (alarm_id, channel, state, trying, tries, tried_at, next_try)
VALUES (%(alarm)s, %(channel)s, 'sending', %(digest)s, 1, %(now)s, %(next_try)s)
ON CONFLICT (alarm_id, channel) DO UPDATE SET state = 'sending', trying = excluded.trying,
    tries = alarm_deliveries.tries + 1, tried_at = excluded.tried_at, next_try = excluded.next_try
"""

_SENT = """
UPDATE alarm_deliveries SET state = 'sent', event = %(event)s, said = trying, text = %(text)s,
    external_id = %(external)s, tries = 0, error = '', said_at = tried_at, next_try = NULL
WHERE alarm_id = %(alarm)s AND channel = %(channel)s
"""

_FAILED = """
UPDATE alarm_deliveries SET state = 'failed', error = %(error)s, next_try = %(next_try)s
WHERE alarm_id = %(alarm)s AND channel = %(channel)s
"""


class DeliveryState(StrEnum):
    """How the last try ended; ``SENDING``: it has not, or its process died."""

    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"


class Event(StrEnum):
    """What a channel is told of an alarm."""

    OPENED = "opened"
    CHANGED = "changed"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Delivery:
    """What one channel was told about one alarm.

    Attributes:
        alarm_id: The alarm.
        channel: Name of the channel.
        state: How the last try ended.
        event: What was told last for certain; ``None`` before anything was.
        said: Digest of that.
        text: That, in a line.
        trying: Digest of what the last try told.
        external_id: What the channel calls it: the key of a ticket.
        tries: Tries since something was told for certain.
        error: Why the last try failed.
        tried_at: When that was.
        said_at: When something was told last for certain.
        next_try: No try before.
    """

    alarm_id: int
    channel: str
    state: DeliveryState
    event: Event | None
    said: str
    text: str
    trying: str
    external_id: str
    tries: int
    error: str
    tried_at: datetime
    said_at: datetime | None
    next_try: datetime | None


class Deliveries:
    """The table of deliveries; a channel has one row for each alarm that it was told, or should be."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, alarm_id: int, channel: str, digest: str, *, now: datetime, next_try: datetime) -> None:
        """Note that something is about to be told, before it is.

        Args:
            alarm_id: The alarm.
            channel: Name of the channel.
            digest: Of what is told.
            now: When the try begins.
            next_try: When another may begin if this one's end is never noted.
        """
        values = {"alarm": alarm_id, "channel": channel, "digest": digest, "now": now, "next_try": next_try}
        self._execute(_BEGIN, values)

    def sent(self, alarm_id: int, channel: str, event: Event, *, text: str, external_id: str) -> None:
        """Note that what ``begin`` announced was told.

        Args:
            alarm_id: The alarm.
            channel: Name of the channel.
            event: What was told.
            text: The same, in a line.
            external_id: What the channel calls it.
        """
        values = {
            "alarm": alarm_id,
            "channel": channel,
            "event": event.value,
            "text": storable(text),
            "external": storable(external_id),
        }
        self._execute(_SENT, values)

    def failed(self, alarm_id: int, channel: str, error: str, *, next_try: datetime) -> None:
        """Note why it could not be told, and when it is tried again."""
        values = {"alarm": alarm_id, "channel": channel, "error": storable(error), "next_try": next_try}
        self._execute(_FAILED, values)

    def of_channel(self, channel: str, alarm_ids: Iterable[int]) -> dict[int, Delivery]:
        """What a channel was told of some alarms, by the alarm's id."""
        found = self._find("channel = %s AND alarm_id = ANY(%s)", (channel, list(alarm_ids)))
        return {delivery.alarm_id: delivery for delivery in found}

    def of_alarm(self, alarm_id: int) -> list[Delivery]:
        """What every channel was told of an alarm."""
        return self._find("alarm_id = %s", (alarm_id,))

    def _find(self, condition: str, values: tuple[Any, ...]) -> list[Delivery]:
        query = f"SELECT {_COLUMNS} FROM alarm_deliveries WHERE {condition} ORDER BY alarm_id, channel"  # noqa: S608
        with (
            self._database.transaction() as connection,
            connection.cursor(row_factory=dict_row) as cursor,
        ):
            return [_delivery(row) for row in cursor.execute(query, values).fetchall()]

    def _execute(self, query: str, values: dict[str, Any]) -> None:
        with self._database.transaction() as connection:
            connection.execute(query, values)


def _delivery(row: dict[str, Any]) -> Delivery:
    event = Event(row["event"]) if row["event"] else None
    return Delivery(**row | {"state": DeliveryState(row["state"]), "event": event})
