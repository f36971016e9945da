"""The DAG ``watch``: starts a run of ``ingest`` for each polled source that has changed.

The triggerer polls the sources that are declared with an interval; what it finds is an event of the asset
``rubrica-commits``, which starts this DAG. A commit that a webhook told of too has one run all the same.
"""

from __future__ import annotations

from datetime import timedelta

from airflow.sdk import dag, get_current_context, task
from rubrica_airflow.assets import COMMITS
from rubrica_airflow.retry import RETRIES, RETRY_DELAY, TAXONOMY_POLICY


@task
def start() -> list[dict[str, str]]:
    """Start the runs; returns what became of each commit."""
    from pipeline import commits

    events = get_current_context()["triggering_asset_events"][COMMITS]
    return commits.start_all(event.extra["payload"] for event in events)


@dag(
    schedule=[COMMITS],
    catchup=False,
    max_active_runs=1,
    default_args={
        "retries": RETRIES,
        "retry_delay": RETRY_DELAY,
        "retry_policy": TAXONOMY_POLICY,
        "execution_timeout": timedelta(minutes=10),
    },
    tags=["rubrica"],
    doc_md=__doc__,
)
def watch() -> None:
    """Start the runs of what has changed."""
    start()


watch()
