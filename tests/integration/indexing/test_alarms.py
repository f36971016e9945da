from __future__ import annotations

import pytest

from indexing.catalog import Catalog, Generation
from indexing.catalog.alarms import AlarmKind, NewAlarm

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
