"""The DAG ``reindex``, run task by task in one process, on real services."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.ingestion import new_run_id, run_here
from pipeline.searching import find
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.settings import Settings
from sources.factory import spec_from_location
from tests.dags.conftest import RunPython
from tests.support.git_repository import Repository

pytestmark = pytest.mark.integration

_MIGRATE = "from airflow.utils.db import initdb; initdb()"

_RUN = """
import json
from airflow.dag_processing.dagbag import DagBag
bag = DagBag("dags")
run = bag.dags["reindex"].test(run_conf=json.loads('''{conf}'''))
states = {{}}
for task in run.get_task_instances():
    states.setdefault(task.task_id, []).append(str(task.state))
print(json.dumps({{"run_id": run.run_id, "state": str(run.state), "tasks": states}}))
"""


@pytest.fixture
def environment(tmp_path: Path, database_url: str, milvus_uri: str, run_python: RunPython) -> dict[str, str]:
    run_python(_MIGRATE)
    return {
        "RUBRICA_HOME": str(tmp_path / "home"),
        "RUBRICA_POSTGRES_URL": database_url,
        "RUBRICA_MILVUS_URI": milvus_uri,
        "RUBRICA_ALIAS": f"t_{uuid.uuid4().hex}",
        "RUBRICA_BATCH_PAIRS": "20",
        "RUBRICA_STRATEGY": "recursive",
    }


@pytest.fixture
def services(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with Services(Settings()) as services:
        yield services


def _run(run_python: RunPython, environment: dict[str, str], **conf: Any) -> dict[str, Any]:
    script = _RUN.format(conf=json.dumps(conf))
    result: dict[str, Any] = json.loads(run_python(script, **environment).splitlines()[-1])
    return result


def test_runs_of_the_dag(
    run_python: RunPython,
    environment: dict[str, str],
    services: Services,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = tmp_path / "gitconfig"
    config.write_text("[user]\nname = Анна\nemail = anna@example.org\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    repository = Repository(tmp_path / "нормы")
    for number in range(4):
        repository.write(f"раздел {number}.md", f"# Раздел {number}\n\n" + f"Лодку {number} красят. " * 12)
    repository.commit()
    services.catalog.sources.register(spec_from_location(str(repository.path), name="norms"))
    run_here(services, IngestRequest("norms"), new_run_id("norms"), lambda *_: None)

    # The index is what the settings ask for: the run ends at once, and is green.
    run = _run(run_python, environment)
    assert run["state"] == "success"
    assert run["tasks"]["plan"] == ["skipped"]
    assert run["tasks"]["close"] == run["tasks"]["drop"] == ["success"]

    run = _run(run_python, environment | {"RUBRICA_MAX_TOKENS": "40", "RUBRICA_MIN_TOKENS": "0"})
    assert run["state"] == "success", run
    assert len(run["tasks"]["build"]) > 1
    assert {state for states in run["tasks"].values() for state in states} == {"success"}
    known = services.catalog.generations.all(environment["RUBRICA_ALIAS"])
    assert [(item.number, item.state) for item in known] == [(1, "soaking"), (2, "live")]
    assert services.catalog.generations.sizes(environment["RUBRICA_ALIAS"])[known[1].id][0] == 4
    assert find(services, "Лодку 3 красят")
    assert services.catalog.reindex_locks.owner(environment["RUBRICA_ALIAS"]) is None

    # Beside another rebuild it is red at once.
    assert services.catalog.reindex_locks.acquire(environment["RUBRICA_ALIAS"], "another", ttl_s=600)
    run = _run(run_python, environment, force=True)
    assert (run["state"], run["tasks"]["begin"], run["tasks"]["close"]) == ("failed", ["failed"], ["failed"])
