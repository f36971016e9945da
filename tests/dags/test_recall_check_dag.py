"""The DAG ``recall_check``: when it runs, and a run of it in one process on real services."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexing.recall.model import GoldenQuestion, GoldenSet, GoldenSpan
from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.settings import Settings
from tests.dags.conftest import RunPython

_PROBE = """
import json, os, sys
sys.path[:0] = ["dags", "plugins"]
from airflow.dag_processing.dagbag import DagBag

def when(cron):
    os.environ["RUBRICA_RECALL_SCHEDULE"] = cron
    timetable = DagBag("dags/recall_check.py").dags["recall_check"].timetable
    assets = [asset.name for asset in timetable.asset_condition.objects]
    return assets, getattr(getattr(timetable, "timetable", None), "expression", "")

bag = DagBag("dags/recall_check.py")
found = bag.dags["recall_check"]
print(json.dumps({
    "errors": {str(path): text for path, text in bag.import_errors.items()},
    "max_active_runs": found.max_active_runs,
    "tasks": {
        task.task_id: {"upstream": sorted(task.upstream_task_ids), "rule": task.trigger_rule.value}
        for task in found.tasks
    },
    "when": {cron: when(cron) for cron in ("@daily", "30 4 * * 1", "")},
}))
"""

_MIGRATE = "from airflow.utils.db import initdb; initdb()"

_RUN = """
import json
from airflow.dag_processing.dagbag import DagBag
run = DagBag("dags/recall_check.py").dags["recall_check"].test()
states = {}
for task in run.get_task_instances():
    states.setdefault(task.task_id, []).append(str(task.state))
print(json.dumps({"state": str(run.state), "tasks": states}))
"""


def _answer(run_python: RunPython, script: str, **environment: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run_python(script, **environment).splitlines()[-1])
    return answer


def test_it_runs_after_each_change_and_when_a_setting_says(run_python: RunPython) -> None:
    found = _answer(run_python, _PROBE)
    assert found["errors"] == {}
    assert found["max_active_runs"] == 1
    assert found["when"] == {
        "@daily": [["rubrica-index"], "0 0 * * *"],
        "30 4 * * 1": [["rubrica-index"], "30 4 * * 1"],
        "": [["rubrica-index"], ""],
    }
    assert found["tasks"] == {
        "sets": {"upstream": [], "rule": "all_success"},
        "check": {"upstream": ["sets"], "rule": "all_success"},
        "summary": {"upstream": ["check", "sets"], "rule": "all_done"},
    }


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
    }


@pytest.fixture
def services(environment: dict[str, str]) -> Iterator[Services]:
    overrides = {name.removeprefix("RUBRICA_").lower(): value for name, value in environment.items()}
    with Services(Settings(**overrides)) as services:
        yield services


@pytest.mark.integration
def test_a_run_asks_and_judges(
    run_python: RunPython, environment: dict[str, str], services: Services, tmp_path: Path
) -> None:
    # Before anything is indexed there is no set to map over, and the run is green.
    run = _answer(run_python, _RUN, **environment)
    assert (run["state"], run["tasks"]["summary"]) == ("success", ["success"])

    answer = "Борта красят суриком в два слоя перед спуском на воду."
    folder = tmp_path / "нормы"
    folder.mkdir()
    (folder / "лодки.md").write_text(f"# Лодки\n\n{answer}\n", encoding="utf-8")
    spec = declare_source(services, str(folder), SourceOptions(name="norms"))
    run_here(services, IngestRequest(spec.name), new_run_id(spec.name), lambda *_: None)
    asked = GoldenQuestion("paint", "Чем красят борта лодки?", "лодки.md", (GoldenSpan(answer),))
    services.catalog.golden.save(GoldenSet("boats", (asked,), "norms"))

    run = _answer(run_python, _RUN, **environment)
    assert run["state"] == "success"
    assert run["tasks"] == {"sets": ["success"], "check": ["success"], "summary": ["success"]}
    [record] = services.catalog.evaluations.history("boats")
    assert (record.metrics["recall@5"], record.accepted, record.trigger) == (1.0, True, "schedule")
    assert services.catalog.alarms.open_alarms() == []
