"""What a channel has still to be told: the alarms as they are, against what it was told last."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from indexing.catalog.alarms import Alarm
from indexing.catalog.deliveries import Delivery, DeliveryState, Event
from pipeline.delivery.channels import Channel
from pipeline.delivery.facts import facts, said_digest
from pipeline.delivery.model import Parcel
from pipeline.services import Services

_WHY = {
    Event.OPENED: "It was not told yet.",
    Event.CHANGED: "Its figures have changed since it was told.",
    Event.CLOSED: "It has passed.",
}


def outbox(services: Services, channel: Channel, now: datetime | None = None) -> Iterator[Parcel]:
    """What is due, oldest alarm first.

    One that has passed before the channel was told of it is not told any more.
    """
    now = now or datetime.now(UTC)
    alarms = services.catalog.alarms.to_tell(channel.name)
    known = services.catalog.deliveries.of_channel(channel.name, [alarm.id for alarm in alarms])
    repeat = timedelta(hours=services.settings.notify.alarms_repeat_h)
    for alarm in alarms:
        delivery = known.get(alarm.id)
        event = due(alarm, delivery, now, repeat)
        if event is not None:
            yield _parcel(services, alarm, delivery, event)


def due(alarm: Alarm, delivery: Delivery | None, now: datetime, repeat: timedelta) -> Event | None:
    """What a channel is to be told of an alarm now.

    Args:
        alarm: The alarm.
        delivery: What the channel was told of it.
        now: The time.
        repeat: Time between two messages about changes, at least.
    """
    if delivery is None:
        return Event.OPENED if alarm.is_open else None
    if delivery.next_try and now < delivery.next_try:
        return None
    if not alarm.is_open:
        return None if delivery.event is Event.CLOSED else Event.CLOSED
    if delivery.event is None or delivery.said_at is None:
        return Event.OPENED
    # A repeat that was begun is ended, however often the figures change meanwhile.
    waited = delivery.state is not DeliveryState.SENT or now - delivery.said_at >= repeat
    return Event.CHANGED if waited and delivery.said != said_digest(alarm) else None


def _parcel(services: Services, alarm: Alarm, delivery: Delivery | None, event: Event) -> Parcel:
    why, unsure = _WHY[event], False
    if delivery is not None and delivery.state is not DeliveryState.SENT:
        why = f"{why} Try {delivery.tries + 1}; the last one ended with: {delivery.error or 'nothing known'}"
        unsure = True
    external = delivery.external_id if delivery else ""
    said = facts(services.settings, alarm, event, delivery)
    return Parcel(said, said_digest(alarm), why, external, unsure)
