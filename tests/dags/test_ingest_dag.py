"""The DAG ``ingest``, run task by task in one process, on real services."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexing.catalog import Catalog
from rubrica.metrics import Counter
from sources.factory import spec_from_location
from tests.dags.conftest import RunPython
from tests.support.git_repository import Repository

pytestmark = pytest.mark.integration

_MIGRATE = "from airflow.utils.db import initdb; initdb()"

_RUN = """
import json, sys
from airflow.dag_processing.dagbag import DagBag
bag = DagBag("dags")
run = bag.dags["ingest"].test(run_conf=json.loads('''{conf}'''))
states = {{}}
for task in run.get_task_instances():
    states.setdefault(task.task_id, []).append(str(task.state))
print(json.dumps({{"run_id": run.run_id, "state": str(run.state), "tasks": states}}))
"""


@pytest.fixture
def environment(
    tmp_path: Path, database_url: str, redis_url: str, milvus_uri: str, run_python: RunPython
) -> dict[str, str]:
    run_python(_MIGRATE)
    return {
        "RUBRICA_HOME": str(tmp_path / "home"),
        "RUBRICA_POSTGRES_URL": database_url,
        "RUBRICA_REDIS_URL": redis_url,
        "RUBRICA_MILVUS_URI": milvus_uri,
        "RUBRICA_ALIAS": f"t_{uuid.uuid4().hex}",
        "RUBRICA_BATCH_PAIRS": "4",
        # `dag.test` fails on the second run of a stored DAG that has a deadline.
        "RUBRICA_INGEST_DEADLINE_S": "0",
    }


@pytest.fixture
def catalog(environment: dict[str, str]) -> Iterator[Catalog]:
    with Catalog(environment["RUBRICA_POSTGRES_URL"]) as catalog:
        catalog.migrate()
        yield catalog


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, catalog: Catalog) -> Repository:
    config = tmp_path / "gitconfig"
    config.write_text("[user]\nname = Анна\nemail = anna@example.org\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    repository = Repository(tmp_path / "нормы")
    catalog.sources.register(spec_from_location(str(repository.path), name="norms"))
    return repository


def _run(run_python: RunPython, environment: dict[str, str], **conf: Any) -> dict[str, Any]:
    script = _RUN.format(conf=json.dumps({"source": "norms"} | conf))
    result: dict[str, Any] = json.loads(run_python(script, **environment).splitlines()[-1])
    return result


def test_runs_of_the_dag(
    run_python: RunPython, environment: dict[str, str], repository: Repository, catalog: Catalog
) -> None:
    for number in range(4):
        repository.write(f"раздел {number}.md", f"# Раздел {number}\n\nЛодку {number} красят весной.\n")
    repository.write("пусто.txt", "")
    first = repository.commit()

    run = _run(run_python, environment)
    assert run["state"] == "success"
    assert len(run["tasks"]["batch.index"]) > 1
    assert run["tasks"].pop("mirror") == ["skipped"], "there is no other index"
    assert {state for states in run["tasks"].values() for state in states} == {"success"}
    totals = catalog.runs.totals(run["run_id"])
    assert (totals[Counter.ADDED], totals[Counter.FAILED]) == (5, 1)
    generation = catalog.generations.live(environment["RUBRICA_ALIAS"])
    assert generation is not None
    assert catalog.sources.last_revision(generation.id, "norms") == first

    # Nothing changed: no batch, and still a green run that reports.
    run = _run(run_python, environment)
    assert run["state"] == "success"
    assert run["tasks"]["verdict"] == ["success"]
    totals = catalog.runs.totals(run["run_id"])
    assert not any(total for counter, total in totals.items() if counter != Counter.STAGE_SECONDS)

    # The guard stops before anything is removed, the run is red and the commit stays.
    repository.clear()
    last = repository.commit()
    run = _run(run_python, environment)
    assert (run["state"], run["tasks"]["detect"]) == ("failed", ["failed"])
    known = catalog.runs.get(run["run_id"])
    assert known is not None
    assert "--allow-removals" in known.error
    assert len(catalog.documents.paths("norms")) == 5
    assert catalog.sources.last_revision(generation.id, "norms") == first

    run = _run(run_python, environment, allow_removals=True)
    assert run["state"] == "success"
    assert catalog.documents.paths("norms") == {}
    assert catalog.sources.last_revision(generation.id, "norms") == last
