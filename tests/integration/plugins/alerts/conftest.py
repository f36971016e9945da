"""A catalog of the test's own, and everybody who may be told; Airflow's hooks run in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tests.support.airflow_home  # noqa: F401
from pipeline.services import Services
from rubrica.settings import Settings
from tests.fixtures.databases import free_port
from tests.support.jira_server import JiraServer, jira_server
from tests.support.notified import MailServer, SlackWebhook, mail_server, slack_webhook

SettingsFactory = Callable[..., Settings]


@pytest.fixture
def make_settings(tmp_path: Path, database_url: str) -> SettingsFactory:
    def make(**overrides: Any) -> Settings:
        addresses = {"home": tmp_path / "home", "postgres_url": database_url, "alias": "docs"}
        return Settings(**addresses | overrides)

    return make


@pytest.fixture
def jira(monkeypatch: pytest.MonkeyPatch) -> Iterator[JiraServer]:
    with jira_server() as server:
        monkeypatch.setenv("AIRFLOW_CONN_JIRA_DEFAULT", server.connection())
        yield server


@pytest.fixture
def slack(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlackWebhook]:
    with slack_webhook() as server:
        monkeypatch.setenv("AIRFLOW_CONN_SLACK_ALARMS", server.connection())
        yield server


@pytest.fixture
def mail(monkeypatch: pytest.MonkeyPatch) -> Iterator[MailServer]:
    with mail_server(free_port()) as server:
        monkeypatch.setenv("AIRFLOW_CONN_SMTP_DEFAULT", server.connection())
        yield server


@pytest.fixture
def services(make_settings: SettingsFactory) -> Iterator[Services]:
    """Services that tell everybody."""
    everybody = {
        "jira_project": "NORM",
        "jira_done_transition": "Done",
        "slack_connection": "slack_alarms",
        "mail_to": "anna@here.test, boris@here.test",
        "alarms_repeat_h": 0,
    }
    with Services(make_settings(**everybody)) as services:
        yield services
