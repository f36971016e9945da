"""Tells one channel what is due: each change once, however often a process dies on the way.

What is told is noted before and after. A process that dies in between leaves a note that says so, and the
next try asks the channel (a ticket is found by its label, a comment by its mark) before it tells it again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pipeline.delivery.channels import Channel, configured
from pipeline.delivery.model import Parcel, Sender
from pipeline.delivery.outbox import outbox
from pipeline.services import Services
from rubrica.errors import RubricaError, ServiceUnavailableError
from rubrica.log import get_logger

_UNKNOWN = timedelta(minutes=1)
"""Rest after a try whose end is not known: Jira finds a new ticket only after some seconds."""

_FIRST_REST = timedelta(minutes=1)
_LONGEST_REST = timedelta(hours=1)
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Report:
    """What came of it.

    Attributes:
        channel: The channel's name.
        sent: Ids of the alarms that it was told of.
        failed: Why the others could not be told, by alarm.
    """

    channel: str
    sent: tuple[int, ...]
    failed: dict[int, str]


def channels_to_tell(services: Services, *, by_hand: bool = False) -> list[str]:
    """Names of the channels that something is due for; in a dry run each is only logged.

    Args:
        services: Open services.
        by_hand: A person asks for it: channels that rest after an error are tried now.
    """
    settings = services.settings.notify
    services.catalog.alarms.expire(timedelta(hours=settings.alerts_expire_h))
    waiting = {one: list(outbox(services, one, by_hand=by_hand)) for one in configured(settings)}
    if settings.alarms_dry_run:
        for channel, parcels in waiting.items():
            _log_only(channel, parcels)
        return []
    return [channel.name.value for channel, parcels in waiting.items() if parcels]


def deliver(
    services: Services,
    channel: Channel,
    sender: Sender,
    *,
    by_hand: bool = False,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Report:
    """Tell a channel all that is due; one process at a time does.

    Args:
        services: Open services.
        channel: Who is told.
        sender: How.
        by_hand: A person asks for it: a channel that rests after an error is tried now.
        clock: Tells the time.
    """
    sent: list[int] = []
    failed: dict[int, str] = {}
    with services.catalog.exclusive(f"alarms:{channel.name}"):
        for parcel in list(outbox(services, channel, clock(), by_hand=by_hand)):
            number = parcel.facts.alarm_id
            try:
                _tell(services, channel, sender, parcel, clock())
            except RubricaError as error:
                failed[number] = _note_failure(services, channel, number, error, clock())
                if isinstance(error, ServiceUnavailableError):
                    break
            else:
                sent.append(number)
    return Report(channel.name.value, tuple(sent), failed)


def rest(tries: int) -> timedelta:
    """How long a channel rests after so many tries that failed."""
    return min(_FIRST_REST * (1 << min(tries - 1, 10)), _LONGEST_REST)


def _tell(services: Services, channel: Channel, sender: Sender, parcel: Parcel, now: datetime) -> None:
    said, notes = parcel.facts, services.catalog.deliveries
    notes.begin(said.alarm_id, channel.name, parcel.digest, now=now, next_try=now + _UNKNOWN)
    external = sender.send(parcel)
    notes.sent(said.alarm_id, channel.name, parcel.event, text=said.title, external_id=external)
    _log.info(
        "alarm told", id=said.alarm_id, channel=channel.name.value, what=parcel.event.value, as_=external
    )


def _note_failure(
    services: Services, channel: Channel, alarm_id: int, error: RubricaError, now: datetime
) -> str:
    notes, reason = services.catalog.deliveries, str(error)
    tries = notes.of_channel(channel.name, [alarm_id])[alarm_id].tries
    notes.failed(alarm_id, channel.name, reason, next_try=now + rest(tries))
    _log.warning("alarm not told", id=alarm_id, channel=channel.name.value, tries=tries, reason=reason)
    return reason


def _log_only(channel: Channel, parcels: list[Parcel]) -> None:
    for parcel in parcels:
        _log.info(
            "would tell",
            channel=channel.name.value,
            target=channel.target,
            id=parcel.facts.alarm_id,
            what=parcel.event.value,
            why=parcel.why,
            title=parcel.facts.title,
        )
