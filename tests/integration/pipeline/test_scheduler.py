"""The whole of it: the local stack, the command, Airflow's scheduler."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.airflow_client import AirflowClient
from pipeline.services import Services
from pipeline.stack import LocalStack
from pipeline.steps.request import HERE
from tests.support.command_line import CommandLine
from tests.support.git_repository import Repository
from tests.support.prometheus import eventually

pytestmark = [pytest.mark.integration, pytest.mark.slow]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    home = tmp_path / "дом"
    monkeypatch.setenv("RUBRICA_HOME", str(home))
    yield home
    LocalStack(home).purge()


def test_a_repository_is_followed_through_the_scheduler(
    home: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rubrica = CommandLine(monkeypatch, capsys)
    assert rubrica("up", "--json").objects[-1]["state"] == "running"

    repository.write("круги.md", "# Круги\n\n3.2 Спасательный круг весит не менее 2,5 кг.\n")
    repository.write("лодки.md", "# Лодки\n\n4.1 Лодку красят каждую весну.\n")
    repository.write("пусто.md", "")
    head = repository.commit()
    place = str(repository.path)
    first = rubrica("ingest", place, "--json")
    assert first.code == 1, first.err
    assert [item["path"] for item in first.objects if item["type"] == "failure"] == ["пусто.md"]
    run = first.objects[-1]
    assert (run["state"], run["added"], run["to_revision"]) == ("warning", 3, head)
    assert run["chunks_embedded"] == 2
    [hit] = rubrica("search", "Сколько весит круг?", "-k", "1", "--json").objects
    assert (hit["path"], hit["clauses"]) == ("круги.md", ["3.2"])

    again = rubrica("ingest", place, "--json")
    assert again.code == 0
    assert [again.objects[-1][name] for name in ("added", "pairs_scored", "chunks_embedded")] == [0, 0, 0]

    # A run that Airflow does not know any more cannot hold the source for ever.
    source = run["source"]
    with Services() as services:
        services.catalog.runs.start("gone", source, trigger="airflow", dag_run_id="gone")
        assert services.catalog.locks.acquire(source, "gone", ttl_s=3600)
        assert rubrica("ingest", place, "--json").code == 0
        gone = services.catalog.runs.get("gone")
        assert gone is not None
        assert gone.state == "failed"

    # One that waits for another lends its worker to others, and uses up no try.
    with Services() as services:
        locks = services.catalog.locks
        services.catalog.runs.start("busy", source, trigger=HERE)
        assert locks.acquire(source, "busy", ttl_s=3600)
        waiting = rubrica("ingest", place, "--no-wait", "--json").objects[0]["run_id"]
        eventually(lambda: _detect(services, waiting) == ("up_for_reschedule", 1), timeout_s=120)
        locks.release(source, "busy")
        eventually(lambda: _detect(services, waiting) == ("success", 1), timeout_s=120)

    started = rubrica("ingest", place, "--no-wait", "--json")
    assert (started.code, started.objects[0]["state"]) == (0, "queued")

    assert rubrica("status").code == 0
    assert rubrica("down").code == 0
    assert rubrica("search", "круг").code == 3


def _detect(services: Services, run_id: str) -> tuple[str, int]:
    with AirflowClient.from_settings(services.settings.services) as client:
        [task] = [task for task in client.tasks("ingest", run_id) if task.task_id == "detect"]
    return task.state, task.try_number
