from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from airflow.sdk.exceptions import AirflowRescheduleException
from rubrica_airflow.waiting import giving_way, next_look

from rubrica.errors import LockHeldError, TransientError

_NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(("waited_s", "pause_s"), [(0, 15), (60, 15), (200, 50), (1000, 120), (9000, 120)])
def test_the_longer_it_has_waited_the_longer_it_waits(waited_s: int, pause_s: int) -> None:
    assert next_look(_NOW - timedelta(seconds=waited_s), _NOW) == _NOW + timedelta(seconds=pause_s)


def test_only_what_another_run_holds_is_waited_for() -> None:
    with pytest.raises(AirflowRescheduleException), giving_way(None):
        raise LockHeldError("held")
    with pytest.raises(TransientError, match="down"), giving_way(None):
        raise TransientError("down")
