"""Many sources in one event loop, some of them broken."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from pipeline.commits import watcher as module
from pipeline.commits.fanning import latest
from pipeline.commits.model import Change
from pipeline.commits.turns import Look
from pipeline.commits.watcher import Watcher
from rubrica.errors import SourceUnavailableError
from rubrica.settings import Settings
from sources.declared import DeclaredSource


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RUBRICA_HOME", str(tmp_path))
    monkeypatch.setattr(module, "_REREAD_S", 0.0)
    return tmp_path / "sources.yaml"


def _declare(file: Path, *names: str, poll: str = "1s") -> None:
    lines = [f"  {name}: {{folder: /srv/{name}, poll: {poll}}}" for name in names]
    file.write_text("\n".join(["sources:", *lines]) + "\n")


async def _collect(
    look: Callable[[Settings, DeclaredSource], Look], enough: Callable[[dict[str, str]], bool]
) -> dict[str, str]:
    """Watch until enough has been told."""
    told: dict[str, str] = {}
    async with asyncio.timeout(60), aclosing(Watcher(look, tick_s=0.02).changes()) as batches:
        async for batch in batches:
            told |= {change.source: change.revision for change in batch}
            if enough(told):
                break
    return told


def test_many_sources_are_watched_and_one_that_fails_or_hangs_holds_up_no_other(file: Path) -> None:
    names = [f"source-{number}" for number in range(30)]
    _declare(file, *names, "down", "broken", "slow")
    hanging = threading.Event()

    def look(settings: Settings, source: DeclaredSource) -> Look:
        name = source.spec.name
        if name == "down":
            raise SourceUnavailableError("It does not answer.")
        if name == "broken":
            raise ValueError("a fault of ours")
        if name == "slow":
            hanging.wait(60)
        return Look(f"of-{name}", reached=False)

    async def watch() -> dict[str, str]:
        try:
            return await _collect(look, lambda told: set(names) <= set(told))
        finally:
            hanging.set()

    with capture_logs() as lines:
        told = asyncio.run(watch())
    assert told == {name: f"of-{name}" for name in names}
    failing = [line for line in lines if line["log_level"] == "warning"]
    assert sorted((line["source"], line["error"]) for line in failing) == [
        ("broken", "ValueError"),
        ("down", "SourceUnavailableError"),
    ]


def test_the_file_is_read_again_and_a_broken_one_leaves_the_last(file: Path) -> None:
    _declare(file, "first")
    answers = {"first": "1", "second": "1"}

    def look(settings: Settings, source: DeclaredSource) -> Look:
        return Look(answers[source.spec.name], reached=False)

    def enough(told: dict[str, str]) -> bool:
        if told == {"first": "1"}:
            file.write_text("sources: [")
            answers["first"] = "2"
        elif told == {"first": "2"}:
            _declare(file, "first", "second")
        return "second" in told

    with capture_logs() as lines:
        told = asyncio.run(_collect(look, enough))
    assert told == {"first": "2", "second": "1"}
    assert sum("file of sources" in line["event"] for line in lines) == 1


def test_broken_settings_leave_those_from_before(file: Path) -> None:
    _declare(file, "first")
    settings_file = file.parent / "settings.env"
    looked = []

    def look(settings: Settings, source: DeclaredSource) -> Look:
        looked.append(settings)
        return Look(str(len(looked)), reached=False)

    def enough(told: dict[str, str]) -> bool:
        settings_file.write_text("RUBRICA_MAX_TOKENS=many\n")
        return len(looked) > 2

    with capture_logs() as lines:
        asyncio.run(_collect(look, enough))
    assert sum("settings are not valid" in line["event"] for line in lines) == 1


def test_of_several_changes_of_a_source_the_last_counts() -> None:
    payloads = [
        {"changes": [{"source": "a", "revision": "1"}, {"source": "b", "revision": "1"}]},
        {"changes": [{"source": "a", "revision": "2"}]},
        {},
    ]
    assert latest(payloads) == [Change("a", "2"), Change("b", "1")]
