"""A planted drop of recall, seen by the check and by real Prometheus and Alertmanager: one ticket in Jira."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
import uvicorn
from fastapi import FastAPI

import tests.support.airflow_home  # noqa: F401
from indexing.catalog.alarms import PROMETHEUS, Alarm, AlarmKind
from monitoring.exporter import Watched
from pipeline.delivery.channels import channel
from pipeline.delivery.delivering import Report, deliver
from pipeline.delivery.facts import cause_label
from pipeline.services import Services
from tests.fixtures.databases import free_port
from tests.support.jira_server import JiraServer, jira_server
from tests.support.prometheus import alertmanager, eventually, prometheus
from tests.support.watched_pipeline import SettingsFactory

pytestmark = [pytest.mark.integration, pytest.mark.slow]

TOKEN = "a-long-token"


@contextmanager
def _receiver() -> Iterator[str]:
    """Rubrica's receiver on a free port, as the webhooks' app mounts it."""
    from rubrica_airflow.alerts.router import router

    app, port = FastAPI(), free_port()
    app.include_router(router, prefix="/rubrica-hooks")
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning", ws="none"))
    thread = Thread(target=server.run)
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/rubrica-hooks/alertmanager"
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture
def services(
    watched: Watched, make_settings: SettingsFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Services]:
    settings = make_settings(jira_project="NORM", alarms_repeat_h=0)
    monkeypatch.setenv("RUBRICA_HOME", str(settings.home))
    monkeypatch.setenv("RUBRICA_POSTGRES_URL", watched.postgres_url)
    monkeypatch.setenv("RUBRICA_ALERTMANAGER_TOKEN", TOKEN)
    with Services(settings) as services:
        yield services


@pytest.fixture
def jira(monkeypatch: pytest.MonkeyPatch) -> Iterator[JiraServer]:
    with jira_server() as server:
        monkeypatch.setenv("AIRFLOW_CONN_JIRA_DEFAULT", server.connection())
        yield server


def _tell(services: Services) -> Report:
    from rubrica_airflow.alerts.senders import open_sender

    one, settings = channel(services.settings.notify, "jira"), services.settings.notify
    with open_sender(one, settings) as sender:
        return deliver(services, one, sender)


def _recall(services: Services) -> Alarm:
    (found,) = (one for one in services.catalog.alarms.open_alarms() if one.said.kind is AlarmKind.RECALL)
    return found


def test_a_drop_that_check_and_prometheus_see_is_one_ticket(
    services: Services, jira: JiraServer, exporter_url: str, tmp_path: Path
) -> None:
    own = _recall(services)
    assert _tell(services).failed == {}
    with (
        _receiver() as receiver_url,
        alertmanager(tmp_path / "alertmanager", receiver_url, TOKEN) as alertmanager_url,
        prometheus(
            tmp_path / "prometheus",
            {"rubrica": exporter_url.removeprefix("http://")},
            alertmanager_url=alertmanager_url,
        ),
    ):
        eventually(lambda: any(name.startswith(PROMETHEUS) for name in _recall(services).holders))
        # Another alert of the same pipeline: it is a cause of its own.
        eventually(lambda: len(services.catalog.alarms.open_alarms()) > 1)
        assert _tell(services).failed == {}
    met = _recall(services)
    assert (met.id, met.said) == (own.id, own.said)
    label = cause_label(services.settings, own.said.cause)
    tickets = [issue for issue in jira.issues.values() if label in issue.fields["labels"]]
    assert len(tickets) == 1
    assert tickets[0].comments == []
    assert len(jira.issues) == len(services.catalog.alarms.open_alarms())

    # The check passes while the alert still fires: the ticket stays open.
    assert not services.catalog.alarms.release(own.said.cause, "The check passed.")
    assert _recall(services).is_open
