"""The DAG ``reconcile``: compares PostgreSQL with Milvus, and mends Milvus where it differs.

It runs when ``RUBRICA_RECONCILE_SCHEDULE`` says (daily by default), or on demand. A red run says why: the
removal guard stopped, or an ingestion worked on a source all the time.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pendulum
from airflow.sdk import Param, dag, get_current_context, task
from rubrica_airflow.alerts.callbacks import WATCHED
from rubrica_airflow.assets import ALARMS
from rubrica_airflow.retry import RETRIES, RETRY_DELAY, TAXONOMY_POLICY

from rubrica.settings import Settings


@task(outlets=[ALARMS], **WATCHED)
def reconcile() -> dict[str, Any]:
    """Compare and mend; returns the report."""
    from pipeline import reconciling

    request = reconciling.ReconcileRequest.from_params(get_current_context()["params"])
    return reconciling.run(request)


@dag(
    dag_id="reconcile",
    schedule=Settings().ingest.reconcile_schedule or None,
    start_date=pendulum.datetime(2025, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    default_args={
        "retries": RETRIES,
        "retry_delay": RETRY_DELAY,
        "retry_policy": TAXONOMY_POLICY,
        "execution_timeout": timedelta(hours=12),
    },
    tags=["rubrica"],
    params={
        "source": Param("", type="string", description="Only rows of this source; all by default."),
        "generation": Param(0, type="integer", minimum=0, description="Only this generation; 0: all in use."),
        "dry_run": Param(default=False, type="boolean", description="Report only."),
        "allow_removals": Param(
            default=False, type="boolean", description="Go on where the removal guard would stop."
        ),
    },
    doc_md=__doc__,
)
def reconciliation() -> None:
    """Compare PostgreSQL with Milvus."""
    reconcile()


reconciliation()
