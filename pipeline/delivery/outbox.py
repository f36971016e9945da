"""What a channel has still to be told: the alarms as they are, against what it was told last."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from indexing.catalog.alarms import Alarm
from indexing.catalog.deliveries import Delivery, DeliveryState, Event
from pipeline.delivery.channels import Channel, ChannelName
from pipeline.delivery.facts import facts, said_digest
from pipeline.delivery.model import Parcel
from pipeline.services import Services

_WHY = {
    Event.OPENED: "It was not told yet.",
    Event.CHANGED: "Its figures have changed since it was told.",
    Event.CLOSED: "It has passed.",
}

_LEAST_REST = {ChannelName.JIRA.value: timedelta(minutes=1)}
"""Rest after a try that no person cuts short: Jira finds a ticket that was made only after some seconds."""


def outbox(
    services: Services, channel: Channel, now: datetime | None = None, *, by_hand: bool = False
) -> Iterator[Parcel]:
    """What is due, oldest alarm first.

    One that has passed before the channel was told of it is not told any more.

    Args:
        services: Open services.
        channel: Who is told.
        now: The time.
        by_hand: A person asks for it: a channel that rests after an error is tried now.
    """
    for alarm, delivery, event in _due_of(services, channel, now or datetime.now(UTC), by_hand=by_hand):
        yield _parcel(services, alarm, delivery, event)


def resting(services: Services, channel: Channel, now: datetime | None = None) -> list[Delivery]:
    """What a person who asks for all has still to wait for, because the channel rests after an error."""
    now = now or datetime.now(UTC)
    at_once = {alarm.id for alarm, _, _ in _due_of(services, channel, now, by_hand=True)}
    some_day = _due_of(services, channel, datetime.max.replace(tzinfo=UTC), by_hand=True)
    waiting = [delivery for alarm, delivery, _ in some_day if delivery and alarm.id not in at_once]
    return [delivery for delivery in waiting if delivery.next_try and now < delivery.next_try]


def _due_of(
    services: Services, channel: Channel, now: datetime, *, by_hand: bool
) -> Iterator[tuple[Alarm, Delivery | None, Event]]:
    alarms = services.catalog.alarms.to_tell(channel.name)
    known = services.catalog.deliveries.of_channel(channel.name, [alarm.id for alarm in alarms])
    repeat = timedelta(hours=services.settings.notify.alarms_repeat_h)
    for alarm in alarms:
        delivery = known.get(alarm.id)
        event = due(alarm, delivery, now, repeat, by_hand=by_hand)
        if event is not None:
            yield alarm, delivery, event


def due(
    alarm: Alarm, delivery: Delivery | None, now: datetime, repeat: timedelta, *, by_hand: bool = False
) -> Event | None:
    """What a channel is to be told of an alarm now.

    Args:
        alarm: The alarm.
        delivery: What the channel was told of it.
        now: The time.
        repeat: Time between two messages about changes, at least.
        by_hand: A person asks for it, so a channel that rests after an error is tried.
    """
    if delivery is None:
        return Event.OPENED if alarm.is_open else None
    if delivery.next_try and now < _next_try(delivery, delivery.next_try, by_hand=by_hand):
        return None
    if not alarm.is_open:
        return None if delivery.event is Event.CLOSED else Event.CLOSED
    if delivery.event is None or delivery.said_at is None:
        return Event.OPENED
    # A repeat that was begun is ended, however often the figures change meanwhile.
    waited = delivery.state is not DeliveryState.SENT or now - delivery.said_at >= repeat
    return Event.CHANGED if waited and delivery.said != said_digest(alarm) else None


def _next_try(delivery: Delivery, planned: datetime, *, by_hand: bool) -> datetime:
    rest = _LEAST_REST.get(delivery.channel, timedelta())
    return min(planned, delivery.tried_at + rest) if by_hand else planned


def _parcel(services: Services, alarm: Alarm, delivery: Delivery | None, event: Event) -> Parcel:
    why, unsure = _WHY[event], False
    if delivery is not None and delivery.state is not DeliveryState.SENT:
        why = f"{why} Try {delivery.tries + 1}; the last one ended with: {delivery.error or 'nothing known'}"
        unsure = True
    external = delivery.external_id if delivery else ""
    said = facts(services.settings, alarm, event, delivery)
    return Parcel(said, said_digest(alarm), why, external, unsure)
