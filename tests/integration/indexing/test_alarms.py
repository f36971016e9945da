from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from indexing.catalog import Catalog, Generation
from indexing.catalog.alarms import AlarmKind, NewAlarm
from indexing.catalog.deliveries import DeliveryState, Event
from indexing.recall.model import GoldenQuestion, GoldenSet, GoldenSpan

pytestmark = pytest.mark.integration


def _alarm(summary: str = "recall@5 is 0.5", cause: str = "recall/docs/norms") -> NewAlarm:
    return NewAlarm(cause, AlarmKind.RECALL, summary, {"broken": ["q1"]})


def test_an_alarm_is_opened_once_and_kept_up_to_date(catalog: Catalog, generation: Generation) -> None:
    first = catalog.alarms.open(_alarm())
    again = catalog.alarms.open(
        NewAlarm(
            "recall/docs/norms",
            AlarmKind.RECALL,
            "recall@5 is 0.4",
            {"broken": ["q1", "q2"]},
            generation_id=generation.id,
        )
    )
    assert (again.id, again.opened_at) == (first.id, first.opened_at)
    assert again.last_seen > first.last_seen
    assert again.said.summary == "recall@5 is 0.4"
    assert again.said.details == {"broken": ["q1", "q2"]}
    assert again.said.generation_id == generation.id
    assert catalog.alarms.open_alarms() == [again]


def test_what_has_passed_is_closed_and_may_come_again(catalog: Catalog) -> None:
    first = catalog.alarms.open(_alarm())
    assert catalog.alarms.close(first.said.cause, "recall@5 is 0.95 again.")
    assert not catalog.alarms.close(first.said.cause, "A second time.")
    closed = catalog.alarms.get(first.id)
    assert closed is not None
    assert not closed.is_open
    assert closed.note == "recall@5 is 0.95 again."
    assert catalog.alarms.open_alarms() == []

    second = catalog.alarms.open(_alarm())
    assert second.id != first.id
    assert [alarm.id for alarm in catalog.alarms.all()] == [first.id, second.id]
    assert catalog.alarms.open_alarms() == [second]


def test_causes_do_not_touch_each_other(catalog: Catalog) -> None:
    one = catalog.alarms.open(_alarm())
    other = catalog.alarms.open(_alarm(cause="recall/docs/acts"))
    catalog.alarms.close(one.said.cause, "Passed.")
    assert [alarm.id for alarm in catalog.alarms.open_alarms()] == [other.id]
    assert catalog.alarms.get(other.id + 1) is None


def test_text_that_postgresql_refuses_is_stored_all_the_same(catalog: Catalog) -> None:
    stored = catalog.alarms.open(NewAlarm("c\0", AlarmKind.LABELS, "a\0b", {"text": "x\0\ud800"}))
    assert stored.said.summary == "a\N{REPLACEMENT CHARACTER}b"
    assert catalog.alarms.close("c\0", "")


# --- Who holds an alarm ------------------------------------------------------------------------------


ALERT = "prometheus/0a1b"
OTHER = "prometheus/2c3d"


def test_an_alarm_ends_with_its_last_holder_and_keeps_the_checks_own_words(catalog: Catalog) -> None:
    own = catalog.alarms.open(_alarm(summary="our words"))
    both = catalog.alarms.open(_alarm(summary="an alert's words"), holder=ALERT)
    assert both.id == own.id
    assert both.said.summary == "our words"
    assert both.holders == (ALERT, "rubrica")

    cause = own.said.cause
    assert not catalog.alarms.release(cause, "The alert has passed.", holder=ALERT)
    held = catalog.alarms.get(own.id)
    assert held is not None
    assert (held.is_open, held.note, held.holders) == (True, "The alert has passed.", ("rubrica",))
    assert catalog.alarms.release(cause, "The check passed.")
    closed = catalog.alarms.get(own.id)
    assert closed is not None
    assert (closed.is_open, closed.note) == (False, "The check passed.")


def test_a_check_that_passes_does_not_close_what_an_alert_still_holds(catalog: Catalog) -> None:
    first = catalog.alarms.open(_alarm(summary="an alert's words"), holder=ALERT)
    richer = catalog.alarms.open(_alarm(summary="our words"))
    assert (richer.id, richer.said.summary) == (first.id, "our words")
    cause = first.said.cause
    assert not catalog.alarms.release(cause, "The check passed.")
    # Whoever never held it lets nothing go.
    assert not catalog.alarms.release(cause, "Another alert has passed.", holder=OTHER)
    assert catalog.alarms.release(cause, "The alert has passed.", holder=ALERT)


def test_of_several_alerts_the_first_ones_words_stay(catalog: Catalog) -> None:
    catalog.alarms.open(_alarm(summary="first"), holder=ALERT)
    assert catalog.alarms.open(_alarm(summary="second"), holder=OTHER).said.summary == "first"
    assert catalog.alarms.close(_alarm().cause, "By hand.")
    assert catalog.alarms.open(_alarm(summary="second"), holder=OTHER).holders == (OTHER,)


def test_an_alert_that_is_not_repeated_has_passed_at_last(catalog: Catalog) -> None:
    known = catalog.alarms.open(_alarm(), holder=ALERT)
    catalog.alarms.open(_alarm(cause="recall/docs/acts"))
    assert catalog.alarms.expire(timedelta(hours=1)) == []
    assert catalog.alarms.expire(timedelta(0)) == [known.said.cause]
    # What the checks hold does not age.
    assert [alarm.said.cause for alarm in catalog.alarms.open_alarms()] == ["recall/docs/acts"]


# --- Whom it was told --------------------------------------------------------------------------------

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)


def test_a_delivery_is_noted_before_and_after(catalog: Catalog) -> None:
    known = catalog.alarms.open(_alarm())
    notes = catalog.deliveries
    assert notes.of_channel("jira", [known.id]) == {}
    notes.begin(known.id, "jira", "d1", now=NOW, next_try=NOW + timedelta(minutes=1))
    begun = notes.of_channel("jira", [known.id])[known.id]
    assert (begun.state, begun.event, begun.tries) == (DeliveryState.SENDING, None, 1)
    notes.failed(known.id, "jira", "Connection refused\0", next_try=NOW + timedelta(minutes=2))
    notes.begin(known.id, "jira", "d1", now=NOW, next_try=NOW)
    notes.sent(known.id, "jira", Event.OPENED, text="x", external_id="NORM-1")
    (told,) = notes.of_alarm(known.id)
    assert (told.state, told.event, told.said, told.external_id) == (
        DeliveryState.SENT,
        Event.OPENED,
        "d1",
        "NORM-1",
    )
    assert (told.tries, told.error, told.next_try, told.said_at) == (0, "", None, NOW)


def test_a_channel_hears_of_what_is_open_and_of_what_it_was_told(catalog: Catalog) -> None:
    told = catalog.alarms.open(_alarm())
    catalog.deliveries.begin(told.id, "jira", "d1", now=NOW, next_try=NOW)
    catalog.deliveries.sent(told.id, "jira", Event.OPENED, text="", external_id="")
    catalog.alarms.close(told.said.cause, "Passed.")
    again = catalog.alarms.open(_alarm())
    assert [alarm.id for alarm in catalog.alarms.to_tell("jira")] == [told.id, again.id]
    assert [alarm.id for alarm in catalog.alarms.to_tell("slack")] == [again.id]
    catalog.deliveries.begin(told.id, "jira", "d2", now=NOW, next_try=NOW)
    catalog.deliveries.sent(told.id, "jira", Event.CLOSED, text="", external_id="")
    assert [alarm.id for alarm in catalog.alarms.to_tell("jira")] == [again.id]


def test_an_alarm_outlives_its_golden_set_and_is_closed(catalog: Catalog) -> None:
    question = GoldenQuestion("q", "Что?", "a.md", (GoldenSpan("так"),))
    catalog.golden.save(GoldenSet("norms", (question,)))
    known = catalog.alarms.open(NewAlarm("recall/docs/norms", AlarmKind.RECALL, "x", set_name="norms"))
    catalog.golden.delete("norms")
    left = catalog.alarms.get(known.id)
    assert left is not None
    assert (left.is_open, left.note, left.said.set_name) == (False, "Its golden set was removed.", None)
