"""``rubrica alarms``: who is told, what they would be told, and what keeps them from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from indexing.catalog.deliveries import Event
from pipeline.airflow_client import DagRun
from pipeline.alarms import note_deadline, note_run_failed, note_run_passed
from pipeline.run_watching import run_failed
from pipeline.services import Services
from pipeline.steps.runner import noting
from rubrica.errors import RemovalGuardError
from rubrica.settings import Settings
from tests.support.alarm_making import details, new_alarm
from tests.support.command_line import CommandLine
from tests.support.recall_corpus import questions

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


def test_a_dry_run_shows_every_word_as_it_would_be_sent(
    services: Services, commands: Callable[..., CommandLine]
) -> None:
    """The output is piped, so its width is 80 columns."""
    text = "Борта [bold]красят[/] :smile: суриком " * 20
    services.catalog.alarms.open(new_alarm(text, details=details(text)))
    rubrica = commands(jira_project="NORM", mail_to="anna@here.test", slack_connection="alarms")
    shown = rubrica("alarms", "send", "--dry-run").out
    rows = rubrica("alarms", "send", "--dry-run", "--json").objects
    assert len(rows) == 3
    for row in rows:
        assert max(map(len, row["text"].splitlines())) > 200
        assert f"\n{row['text']}\n" in shown


def test_a_channel_that_rests_is_tried_by_hand_or_named(
    services: Services, commands: Callable[..., CommandLine]
) -> None:
    services.catalog.alarms.open(new_alarm())
    notes, now = services.catalog.deliveries, datetime.now(UTC)
    later = now + timedelta(minutes=30)
    for name in ("jira", "mail"):
        notes.begin(1, name, "d", now=now, next_try=later)
        notes.failed(1, name, "It answers 503.", next_try=later)
    rubrica = commands(jira_project="NORM", mail_to="anna@here.test")
    # Jira has to rest a minute, for a ticket that was made to be found; a mail server has not.
    shown = rubrica("alarms", "send", "--dry-run").out
    assert "mail (anna@here.test): alarm 1 opened." in shown
    until = services.catalog.deliveries.of_alarm(1)[0].next_try
    assert until is not None
    waits = f"jira waits until {until:%Y-%m-%d %H:%M} with alarm 1 after an error: It answers 503."
    assert waits in shown
    assert "Nothing is due" not in shown
    found = rubrica("alarms", "send", "--dry-run", "--json").objects
    assert [(row["type"], row["channel"]) for row in found] == [("delivery", "mail"), ("waiting", "jira")]


def test_a_run_that_told_all_but_who_rests_says_so_and_ends_with_1(
    services: Services, commands: Callable[..., CommandLine], monkeypatch: pytest.MonkeyPatch
) -> None:
    services.catalog.alarms.open(new_alarm())
    notes, now = services.catalog.deliveries, datetime.now(UTC)
    notes.begin(1, "jira", "d", now=now, next_try=now + timedelta(minutes=1))
    ended = DagRun("alarms", "run-1", "success")
    monkeypatch.setattr("pipeline.delivery.starting.send_now", lambda *_: ended)
    rubrica = commands(jira_project="NORM")
    done = rubrica("alarms", "send")
    assert done.code == 1
    assert "jira waits until" in done.out
    assert "as the end of a try is not known" in done.out
    assert "all that was due" not in done.out
    notes.sent(1, "jira", Event.OPENED, text="", external_id="NORM-1")
    done = rubrica("alarms", "send")
    assert (done.code, done.out) == (0, "The run run-1 of the DAG alarms has told all that was due.\n")


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


def test_a_run_that_the_removal_guard_stopped_is_not_merely_tried_again(
    services: Services, commands: Callable[..., CommandLine]
) -> None:
    rubrica = commands()

    def fail() -> None:
        with noting(services, "detect", "run-1"):
            raise RemovalGuardError("It would remove 2 of 2 documents.")

    with pytest.raises(RemovalGuardError):
        fail()
    run_failed("ingest", "run-1", "It would remove 2 of 2 documents.", "norms")
    run_failed("ingest", "run-2", "The source cannot be read.", "acts")
    stopped, away = (
        rubrica("alarms", "show", str(alarm.id)).out for alarm in services.catalog.alarms.open_alarms()
    )
    assert "rubrica ingest norms --allow-removals: removes them, if they are meant to go" in stopped
    assert "tries again" not in stopped
    assert "rubrica ingest acts: tries again" in away


def test_an_alarm_that_is_shown_does_not_lead_to_itself(
    services: Services, commands: Callable[..., CommandLine]
) -> None:
    services.catalog.alarms.open(new_alarm())
    shown = commands()("alarms", "show", "1").out
    assert "rubrica tune --set harbour" in shown
    assert "rubrica alarms show" not in shown


@pytest.mark.parametrize(("recall", "left"), [(0.562, True), (0.95, False)])
def test_whoever_accepts_is_told_that_the_floor_stays(
    services: Services, commands: Callable[..., CommandLine], recall: float, left: bool
) -> None:
    services.catalog.golden.save(replace(questions(), source=None))
    services.catalog.alarms.open(new_alarm(details=details() | {"now": {"recall@5": recall}}))
    done = commands()("alarms", "accept", "1")
    assert done.code == 0
    wanted = (
        f"recall@5 is {recall:.3f}, still under RUBRICA_RECALL_FLOOR (0.90): the next check opens the alarm"
    )
    assert (wanted in done.out) == left
