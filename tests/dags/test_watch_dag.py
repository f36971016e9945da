"""What starts runs by itself: the watched asset, the timetables and the deadline."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dags.conftest import RunPython

_PROBE = """
import json, sys
sys.path[:0] = ["dags", "plugins"]
from airflow.dag_processing.dagbag import DagBag
from airflow.serialization.serialized_objects import DagSerialization
bag = DagBag("dags")
def facts(dag):
    deadlines = dag.deadline or []
    stored = DagSerialization.from_dict(DagSerialization.to_dict(dag))
    return {
        "timetable": type(stored.timetable).__name__,
        "summary": stored.timetable.summary,
        "deadlines": [[one.interval.total_seconds(), one.callback.path] for one in deadlines],
    }
from rubrica_airflow.assets import COMMITS
[watcher] = COMMITS.watchers
path, arguments = watcher.trigger.serialize()
from airflow.sdk._shared.module_loading import import_string
print(json.dumps({
    "errors": {str(path): text for path, text in bag.import_errors.items()},
    "dags": {name: facts(dag) for name, dag in bag.dags.items()},
    "trigger": [path, arguments, import_string(path) is type(watcher.trigger)],
}))
"""


def _probe(run_python: RunPython, **environment: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run_python(_PROBE, **environment).splitlines()[-1])
    assert answer["errors"] == {}
    return answer


@pytest.fixture(scope="module")
def probe(run_python: RunPython) -> dict[str, Any]:
    return _probe(run_python)


def test_the_trigger_can_be_made_anew_where_it_runs(probe: dict[str, Any]) -> None:
    assert probe["trigger"] == ["rubrica_airflow.triggers.commits.CommitsTrigger", {}, True]


def test_what_starts_each_dag(probe: dict[str, Any]) -> None:
    dags = probe["dags"]
    assert "Asset" in dags["watch"]["timetable"]
    assert dags["ingest"]["summary"] == "None"
    assert dags["reindex"]["summary"] == "0 3 * * 0"
    assert "0 0 * * *" in dags["recall_check"]["summary"]
    assert dags["reconcile"]["summary"] == "0 0 * * *"


def test_an_ingestion_has_a_deadline(probe: dict[str, Any]) -> None:
    assert probe["dags"]["ingest"]["deadlines"] == [[7200.0, "rubrica_airflow.deadlines.tell_of_late_run"]]


def test_settings_change_timetables_and_deadline(run_python: RunPython) -> None:
    dags = _probe(
        run_python,
        RUBRICA_REINDEX_SCHEDULE="30 4 * * 6",
        RUBRICA_RECALL_SCHEDULE="",
        RUBRICA_RECONCILE_SCHEDULE="@hourly",
        RUBRICA_INGEST_DEADLINE_S="0",
    )["dags"]
    assert dags["reindex"]["summary"] == "30 4 * * 6"
    assert "Asset" in dags["recall_check"]["timetable"]
    assert "Asset" in dags["watch"]["timetable"]
    assert dags["reconcile"]["summary"] == "0 * * * *"
    assert dags["ingest"]["deadlines"] == []
