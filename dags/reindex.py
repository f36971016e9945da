"""The DAG ``reindex``: builds the index anew where it is not the one that the settings ask for.

    begin → plan → build each batch → catch_up → judge → switch → drop → close

It runs when ``RUBRICA_REINDEX_SCHEDULE`` says (weekly by default) or on demand; a run that finds the index
up to date ends at once. Readers move when the new index holds the same documents and answers the golden
questions as well. A red run says why; the live index stays, and the next run goes on from there.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pendulum
from airflow.sdk import Param, dag, get_current_context, task
from rubrica_airflow.alerts.callbacks import WATCHED
from rubrica_airflow.assets import ALARMS, INDEX
from rubrica_airflow.retry import RETRIES, RETRY_DELAY, TAXONOMY_POLICY

from rubrica.settings import Settings

DEFAULTS = {
    "retries": RETRIES,
    "retry_delay": RETRY_DELAY,
    "retry_policy": TAXONOMY_POLICY,
    "execution_timeout": timedelta(hours=12),
}


def _run_id() -> str:
    run_id: str = get_current_context()["run_id"]
    return run_id


@task.short_circuit(ignore_downstream_trigger_rules=False)
def begin() -> bool:
    """Whether anything is to be built; what follows is skipped otherwise."""
    from pipeline import reindexing

    request = reindexing.ReindexRequest.from_params(get_current_context()["params"])
    return reindexing.run(reindexing.begin, _run_id(), request)


@task
def plan() -> list[str]:
    """Spread the documents over batches; returns their keys."""
    from pipeline import reindexing

    return reindexing.run(reindexing.plan, _run_id())


@task(pool="gpu", queue="gpu")
def build(batch: str) -> None:
    """Write a batch of documents to the new index."""
    from pipeline import reindexing

    reindexing.run(reindexing.build, _run_id(), batch)


@task(pool="gpu", queue="gpu")
def catch_up() -> None:
    """Bring what changed meanwhile, and refuse an index that lacks too much."""
    from pipeline import reindexing

    reindexing.run(reindexing.catch_up, _run_id())


@task
def judge() -> None:
    """Ask the golden questions; refuses an index that answers worse."""
    from pipeline import reindexing

    reindexing.run(reindexing.judge, _run_id())


@task(pool="gpu", queue="gpu", outlets=[INDEX])
def switch() -> None:
    """Let readers move, while no ingestion works."""
    from pipeline import reindexing

    reindexing.run(reindexing.switch, _run_id())


@task(trigger_rule="none_failed")
def drop() -> list[int]:
    """Delete what has soaked; returns the numbers."""
    from pipeline import reindexing

    return reindexing.run(reindexing.drop, _run_id())


@task(trigger_rule="all_done", retries=0, outlets=[ALARMS], **WATCHED)
def close() -> dict[str, Any]:
    """Say how it ended, and let the next rebuild begin."""
    from pipeline import reindexing

    return reindexing.run(reindexing.close, _run_id())


@dag(
    schedule=Settings().reindex.reindex_schedule or None,
    start_date=pendulum.datetime(2025, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    default_args=DEFAULTS,
    tags=["rubrica"],
    params={
        "force": Param(default=False, type="boolean", description="Build although no setting changed."),
        "gate": Param(
            default=True, type="boolean", description="Ask the golden questions before the switch."
        ),
    },
    doc_md=__doc__,
)
def reindex() -> None:
    """Build the index anew beside the live one."""
    batches = plan()
    built = build.expand(batch=batches)
    begin() >> batches
    built >> catch_up() >> judge() >> switch() >> drop() >> close()


reindex()
