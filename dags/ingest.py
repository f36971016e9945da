"""The DAG ``ingest``: brings the index up to date with one source.

    detect → plan → [extract → chunk → index] for each batch
        → retire → mirror to each other index → verdict

Only ids and workspace keys travel between the tasks. The steps themselves are in ``pipeline.steps``;
they import what is heavy, so this file parses in milliseconds.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import Param, dag, get_current_context, task, task_group
from rubrica_airflow.alerts.callbacks import WATCHED
from rubrica_airflow.assets import ALARMS, INDEX
from rubrica_airflow.deadlines import ingest_deadline
from rubrica_airflow.retry import RETRIES, RETRY_DELAY, TAXONOMY_POLICY
from rubrica_airflow.waiting import giving_way

# Each step is idempotent, so a task that dies half way is simply run again.
DEFAULTS = {
    "retries": RETRIES,
    "retry_delay": RETRY_DELAY,
    "retry_policy": TAXONOMY_POLICY,
    "execution_timeout": timedelta(hours=6),
}


def _run_id() -> str:
    run_id: str = get_current_context()["run_id"]
    return run_id


@task
def detect() -> str:
    """Compare the source with what the catalog knows; returns the key of the delta."""
    from pipeline import steps

    context = get_current_context()
    request = steps.IngestRequest.from_params(context["params"])
    with giving_way(context["dag_run"].start_date):
        return steps.run(steps.detect, _run_id(), request)


@task
def plan(delta: str) -> list[str]:
    """Spread the delta's documents over batches; returns their keys."""
    from pipeline import steps

    return steps.run(steps.plan, _run_id(), delta)


@task
def extract(batch: str) -> str:
    """Read a batch's files; returns the key of the batch of documents."""
    from pipeline import steps

    return steps.run(steps.extract, _run_id(), batch)


@task(pool="gpu", queue="gpu")
def chunk(batch: str) -> str:
    """Cut a batch's documents, scoring pairs across documents; returns the key of their chunks."""
    from pipeline import steps

    return steps.run(steps.chunk, _run_id(), batch)


@task
def index(batch: str) -> None:
    """Write a batch's chunks to Milvus and PostgreSQL."""
    from pipeline import steps

    steps.run(steps.index, _run_id(), batch)


@task_group
def batch(key: str) -> None:
    """One batch from file to index; batches do not wait for each other."""
    index(chunk(extract(key)))  # type: ignore[arg-type]  # a task hands its XCom on


@task(trigger_rule="all_done")
def retire() -> list[int]:
    """Remove what is gone from the source, whatever became of the batches; returns who must follow."""
    from pipeline import steps

    return steps.run(steps.retire, _run_id())


@task(pool="gpu", queue="gpu")
def mirror(generation: int) -> None:
    """Bring what was written to an index that is being built, or that soaks."""
    from pipeline import steps

    steps.run(steps.mirror, _run_id(), generation)


@task(trigger_rule="all_done", retries=0, outlets=[INDEX, ALARMS], **WATCHED)
def verdict() -> dict[str, Any]:
    """Judge the run; only here does the source's last commit move."""
    from pipeline import steps

    return steps.run(steps.verdict, _run_id())


@dag(
    schedule=None,
    catchup=False,
    deadline=ingest_deadline(),
    default_args=DEFAULTS,
    max_active_tasks=16,
    tags=["rubrica"],
    params={
        "source": Param("", type="string", description="Name of the source, as `rubrica sources` shows it."),
        "allow_removals": Param(
            default=False, type="boolean", description="Go on where the removal guard would stop."
        ),
    },
    doc_md=__doc__,
)
def ingest() -> None:
    """Bring the index up to date with one source."""
    batches = batch.expand(key=plan(detect()))  # type: ignore[arg-type]
    followers = retire()
    batches >> followers
    mirror.expand(generation=followers) >> verdict()


ingest()
