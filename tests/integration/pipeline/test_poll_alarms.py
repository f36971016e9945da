"""A source that cannot be polled for long opens an alarm, which the next look that works closes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from indexing.catalog.alarms import Alarm
from pipeline.alarms import note_run_failed
from pipeline.commits import watcher as module
from pipeline.commits.poll_alarms import PollAlarms
from pipeline.commits.turns import Look
from pipeline.commits.watcher import Watcher
from pipeline.services import Services
from rubrica.errors import ServiceUnavailableError, SourceError
from rubrica.settings import Settings
from sources.declared import DeclaredSource

pytestmark = pytest.mark.integration

GONE = SourceError("The folder http://me:word@host does not exist.", hint="Check the path.")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def alarms(clock: Clock) -> PollAlarms:
    return PollAlarms(clock)


def open_polls(services: Services) -> list[Alarm]:
    return [item for item in services.catalog.alarms.open_alarms() if item.said.kind.value == "poll"]


def fail_for_long(alarms: PollAlarms, clock: Clock, services: Services, *names: str) -> None:
    for _ in range(3):
        for name in names:
            alarms.failed(services.settings, name, GONE)
        clock.now += 450


def test_an_alarm_needs_three_looks_and_fifteen_minutes(
    services: Services, alarms: PollAlarms, clock: Clock
) -> None:
    for step in (1, 1, 1, 896):
        assert open_polls(services) == []
        alarms.failed(services.settings, "letters", GONE)
        clock.now += step
    assert open_polls(services) == []
    clock.now += 1
    alarms.failed(services.settings, "letters", GONE)
    [alarm] = open_polls(services)
    alias = services.settings.indexing.alias
    assert alarm.said.cause == f"poll/{alias}/letters"
    assert alarm.said.summary.startswith("The source 'letters' cannot be polled: The folder")
    assert alarm.said.summary.endswith("does not exist. Check the path.")
    assert alarm.said.details["hint"] == "Check the path."
    assert "word" not in str(alarm.said)

    alarms.failed(services.settings, "letters", ValueError("a fault of ours"))
    [again] = open_polls(services)
    assert again.id == alarm.id
    assert "ValueError: a fault of ours" in again.said.summary

    alarms.worked(services.settings, "letters")
    assert open_polls(services) == []
    known = services.catalog.alarms.get(alarm.id)
    assert known is not None
    assert known.note == "The source can be polled again."


def test_few_looks_over_a_long_time_are_no_alarm_and_a_good_one_begins_anew(
    services: Services, alarms: PollAlarms, clock: Clock
) -> None:
    for _ in range(2):
        alarms.failed(services.settings, "letters", GONE)
        clock.now += 3600
    alarms.worked(services.settings, "letters")
    alarms.failed(services.settings, "letters", GONE)
    clock.now += 3600
    alarms.failed(services.settings, "letters", GONE)
    assert open_polls(services) == []


def test_a_look_that_works_closes_what_an_earlier_process_opened(
    services: Services, alarms: PollAlarms, clock: Clock
) -> None:
    fail_for_long(alarms, clock, services, "letters")
    assert len(open_polls(services)) == 1
    PollAlarms(clock).worked(services.settings, "letters")
    assert open_polls(services) == []


def test_sources_that_are_not_polled_any_more_leave_no_alarm(
    services: Services, alarms: PollAlarms, clock: Clock
) -> None:
    note_run_failed(services, "ingest", "run", "of another kind", source="letters")
    fail_for_long(alarms, clock, services, "letters", "norms")
    assert len(open_polls(services)) == 2
    alarms.keep(services.settings, ["norms"])
    assert [item.said.details["source"] for item in open_polls(services)] == ["norms"]
    alarms.keep(services.settings, [])
    assert [item.said.kind.value for item in services.catalog.alarms.open_alarms()] == ["run"]


def test_postgresql_that_is_down_is_no_fault_of_a_source_and_ends_nothing(
    services: Services, make_settings: Callable[..., Settings], alarms: PollAlarms, clock: Clock
) -> None:
    down = make_settings(postgres_url="postgresql://nobody@127.0.0.1:1/none")
    for _ in range(5):
        alarms.failed(services.settings, "letters", ServiceUnavailableError("PostgreSQL does not answer."))
        clock.now += 3600
    assert open_polls(services) == []
    alarms.keep(down, [])
    alarms.worked(down, "letters")
    for _ in range(3):
        alarms.failed(down, "letters", GONE)
        clock.now += 450
    alarms.failed(services.settings, "letters", GONE)  # it is back: what is still true is said
    assert len(open_polls(services)) == 1


def test_the_watcher_tells_of_failing_looks_and_goes_on(
    services: Services, clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in (
        ("HOME", tmp_path),
        ("POSTGRES_URL", services.settings.services.postgres_url.get_secret_value()),
        ("ALIAS", services.settings.indexing.alias),
    ):
        monkeypatch.setenv(f"RUBRICA_{name}", str(value))
    (tmp_path / "sources.yaml").write_text("sources: {letters: {folder: /srv/letters, poll: 1s}}")
    monkeypatch.setattr(module, "_REREAD_S", 0.0)
    looks: list[int] = []

    def look(settings: Settings, source: DeclaredSource) -> Look:
        del settings, source
        clock.now += 450
        looks.append(len(open_polls(services)))
        if len(looks) <= 3:
            raise GONE
        return Look("1", reached=False)

    async def watch() -> None:
        watcher = Watcher(look, alarms=PollAlarms(clock), tick_s=0.02)
        async with asyncio.timeout(120), aclosing(watcher.changes()) as batches:
            async for _ in batches:
                break

    asyncio.run(watch())
    assert looks == [0, 0, 0, 1]
    assert open_polls(services) == []
