"""A run whose deadline has passed opens one alarm."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from rubrica_airflow.deadlines import tell_of_late_run

from pipeline.alarms import note_run_passed
from pipeline.overdue import note_late_run
from pipeline.services import Services

pytestmark = pytest.mark.integration

_RUN = {
    "dag_id": "ingest",
    "dag_run_id": "git__norms__abc",
    "state": "running",
    "queued_at": "2026-01-01T00:00:00Z",
    "conf": {"source": "norms"},
}


@pytest.fixture
def _environment(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    url = services.settings.services.postgres_url.get_secret_value()
    monkeypatch.setenv("RUBRICA_POSTGRES_URL", url)
    monkeypatch.setenv("RUBRICA_HOME", str(services.settings.home))


@pytest.mark.usefixtures("_environment")
def test_a_late_run_opens_one_alarm_that_the_next_good_run_closes(services: Services) -> None:
    assert note_late_run(_RUN)
    asyncio.run(tell_of_late_run({"dag_run": _RUN, "deadline": {}}))
    [alarm] = services.catalog.alarms.open_alarms()
    assert (alarm.said.kind.value, alarm.said.cause) == ("deadline", "deadline/ingest/norms")
    assert "7200 s" in str(alarm.said.details)
    note_run_passed(services, "ingest", "git__norms__abc", source="norms")
    assert services.catalog.alarms.open_alarms() == []


@pytest.mark.usefixtures("_environment")
@pytest.mark.parametrize("state", ["success", "failed"])
def test_a_run_that_has_ended_is_not_late(services: Services, state: str) -> None:
    ended: dict[str, Any] = _RUN | {"state": state}
    assert not note_late_run(ended)
    assert services.catalog.alarms.open_alarms() == []
