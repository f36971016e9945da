"""What is due, and when: each change once, repeats seldom, failures more and more seldom."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from indexing.catalog.deliveries import Delivery, DeliveryState, Event
from pipeline.delivery.delivering import rest
from pipeline.delivery.facts import said_digest
from pipeline.delivery.outbox import due
from tests.support.alarm_making import alarm, new_alarm

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
REPEAT = timedelta(hours=6)
OPEN = alarm()
WORSE = alarm(new_alarm("recall@5 is 0.4."))
CLOSED = alarm(closed_at=NOW)
TOLD = Delivery(
    7, "jira", DeliveryState.SENT, Event.OPENED, said_digest(OPEN), "", "", "N-1", 0, "", NOW, NOW, None
)
FAILED = replace(TOLD, state=DeliveryState.FAILED, event=None, said="", said_at=None, next_try=NOW)
LATER = NOW + timedelta(hours=7)


def test_an_open_alarm_is_told_once() -> None:
    assert due(OPEN, None, NOW, REPEAT) is Event.OPENED
    assert due(OPEN, TOLD, LATER, REPEAT) is None


def test_one_that_passed_before_anybody_was_told_is_not_told() -> None:
    assert due(CLOSED, None, NOW, REPEAT) is None
    # It may have been: the last try's end is not known.
    assert due(CLOSED, FAILED, NOW, REPEAT) is Event.CLOSED


def test_changes_are_told_at_intervals_and_the_end_at_once() -> None:
    assert due(WORSE, TOLD, NOW + timedelta(hours=5), REPEAT) is None
    assert due(WORSE, TOLD, LATER, REPEAT) is Event.CHANGED
    assert due(CLOSED, TOLD, NOW, REPEAT) is Event.CLOSED
    assert due(CLOSED, replace(TOLD, event=Event.CLOSED), LATER, REPEAT) is None


def test_a_channel_that_failed_rests() -> None:
    resting = replace(FAILED, next_try=NOW + timedelta(minutes=5))
    assert due(OPEN, resting, NOW, REPEAT) is None
    assert due(CLOSED, resting, NOW, REPEAT) is None
    assert due(OPEN, resting, NOW + timedelta(minutes=5), REPEAT) is Event.OPENED


def test_a_repeat_that_was_begun_is_ended_without_another_wait() -> None:
    begun = replace(TOLD, state=DeliveryState.SENDING, next_try=NOW)
    assert due(WORSE, begun, NOW, REPEAT) is Event.CHANGED


@pytest.mark.parametrize(("tries", "minutes"), [(1, 1), (2, 2), (4, 8), (7, 60), (5000, 60)])
def test_rests_double_up_to_an_hour(tries: int, minutes: int) -> None:
    assert rest(tries) == timedelta(minutes=minutes)


@pytest.mark.parametrize(("name", "seconds"), [("slack", 0), ("mail", 0), ("jira", 60)])
def test_a_person_need_not_wait_but_for_jira_to_find_a_ticket(name: str, seconds: int) -> None:
    resting = replace(FAILED, channel=name, next_try=NOW + timedelta(minutes=30))
    earliest = NOW + timedelta(seconds=seconds)
    assert due(OPEN, resting, earliest, REPEAT) is None
    assert due(OPEN, resting, earliest, REPEAT, by_hand=True) is Event.OPENED
    if seconds:
        assert due(OPEN, resting, earliest - timedelta(seconds=1), REPEAT, by_hand=True) is None
    # What is planned sooner is not put off.
    sooner = replace(resting, next_try=NOW + timedelta(seconds=20))
    assert due(OPEN, sooner, NOW + timedelta(seconds=20), REPEAT, by_hand=True) is Event.OPENED


def test_a_person_who_asks_hears_no_change_sooner() -> None:
    assert due(WORSE, TOLD, NOW, REPEAT, by_hand=True) is None
