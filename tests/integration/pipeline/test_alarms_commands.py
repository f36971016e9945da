"""``rubrica alarms``: who is told, what they would be told, and what keeps them from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from indexing.catalog.deliveries import Event
from pipeline.alarms import note_deadline, note_run_failed, note_run_passed
from pipeline.services import Services
from rubrica.settings import Settings
from tests.support.alarm_making import new_alarm
from tests.support.command_line import CommandLine

pytestmark = pytest.mark.integration

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def services(tmp_path_factory: pytest.TempPathFactory, database_url: str) -> Iterator[Services]:
    """Alarms need PostgreSQL only."""
    home = tmp_path_factory.mktemp("home")
    with Services(Settings(home=home, postgres_url=database_url, alias="docs")) as services:
        yield services


@pytest.fixture
def commands(
    services: Services, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., CommandLine]:
    monkeypatch.setenv("RUBRICA_HOME", str(services.settings.home))
    monkeypatch.setenv("RUBRICA_POSTGRES_URL", services.settings.services.postgres_url.get_secret_value())
    monkeypatch.setenv("RUBRICA_ALIAS", "docs")

    def with_settings(**settings: str) -> CommandLine:
        for name, value in settings.items():
            monkeypatch.setenv(f"RUBRICA_{name.upper()}", value)
        return CommandLine(monkeypatch, capsys)

    return with_settings


def test_without_a_channel_nothing_fails_and_it_is_said(
    services: Services, commands: Callable[..., CommandLine]
) -> None:
    services.catalog.alarms.open(new_alarm())
    rubrica = commands()
    for arguments in (("alarms",), ("alarms", "send"), ("alarms", "send", "--dry-run")):
        done = rubrica(*arguments)
        assert done.code == 0
        assert "Nobody is told of alarms: set RUBRICA_JIRA_PROJECT" in done.out
    assert rubrica("alarms", "send", "--json").out == ""


@pytest.mark.parametrize("how", ["option", "setting"])
def test_a_dry_run_shows_what_would_be_told_to_whom_and_why(
    services: Services, commands: Callable[..., CommandLine], how: str
) -> None:
    services.catalog.alarms.open(new_alarm())
    dry = {"alarms_dry_run": "1"} if how == "setting" else {}
    rubrica = commands(jira_project="NORM", mail_to="anna@here.test", slack_connection="alarms", **dry)
    arguments = ("alarms", "send") if dry else ("alarms", "send", "--dry-run")
    shown = rubrica(*arguments).out
    assert "jira (NORM): alarm 1 opened. It was not told yet." in shown
    assert "mail (anna@here.test): alarm 1 opened." in shown
    assert "h3. What to do" in shown
    rows = rubrica(*arguments, "--json").objects
    assert [(row["type"], row["channel"], row["event"]) for row in rows] == [
        ("delivery", "jira", "opened"),
        ("delivery", "slack", "opened"),
        ("delivery", "mail", "opened"),
    ]
    assert services.catalog.deliveries.of_alarm(1) == []
    assert ("RUBRICA_ALARMS_DRY_RUN is on" in rubrica("alarms").out) == bool(dry)


def test_what_keeps_a_channel_from_being_told_is_shown(
    services: Services, commands: Callable[..., CommandLine]
) -> None:
    services.catalog.alarms.open(new_alarm())
    notes = services.catalog.deliveries
    for name in ("jira", "slack"):
        notes.begin(1, name, "d", now=NOW, next_try=NOW)
    notes.sent(1, "jira", Event.OPENED, text="", external_id="NORM-12")
    notes.failed(1, "slack", "Slack does not answer.", next_try=NOW + timedelta(minutes=9))
    rubrica = commands(jira_project="NORM")
    listed = rubrica("alarms").out
    assert "jira: opened NORM-12, 2026-11-01 12:00" in listed
    assert "slack: not told; 1 tries, the next after 2026-11-01 12:09: Slack does not answer." in listed
    (row,) = rubrica("alarms", "--json").objects
    assert row["holders"] == ["rubrica"]
    assert [item["channel"] for item in row["deliveries"]] == ["jira", "slack"]


def test_sending_needs_airflow(services: Services, commands: Callable[..., CommandLine]) -> None:
    services.catalog.alarms.open(new_alarm())
    done = commands(jira_project="NORM")("alarms", "send")
    assert done.code == 3
    assert "rubrica up" in done.err


def test_runs_are_alarms_until_one_ends_well(
    services: Services, commands: Callable[..., CommandLine]
) -> None:
    note_run_failed(services, "ingest", "run-1", "The source cannot be read.", source="norms")
    note_deadline(services, "ingest", "run-2", "It has run for 3 h.", source="norms")
    note_run_failed(services, "reindex", "run-3", "Too many documents failed.")
    rubrica = commands()
    shown = rubrica("alarms", "show", "1").out
    assert "ingest of 'norms' failed: The source cannot be read." in shown
    assert "rubrica ingest norms: tries again" in shown
    note_run_passed(services, "ingest", "run-4", source="norms")
    assert [alarm.said.cause for alarm in services.catalog.alarms.open_alarms()] == ["run/reindex"]
    assert "The run run-4 ended well." in rubrica("alarms", "--all").out
