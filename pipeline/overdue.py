"""Runs of Airflow that take longer than they may."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline import alarms
from pipeline.services import Services
from rubrica.log import get_logger

_ENDED = frozenset({"success", "failed"})
_log = get_logger(__name__)


def note_late_run(dag_run: Mapping[str, Any]) -> bool:
    """Open an alarm for a run whose deadline has passed, unless it has ended meanwhile.

    Args:
        dag_run: As Airflow's REST API has it: ``dag_id``, ``dag_run_id``, ``state``, ``queued_at``, ``conf``.

    Returns:
        Whether an alarm was opened, or was open.

    Raises:
        ServiceUnavailableError: PostgreSQL does not answer.
    """
    if dag_run.get("state") in _ENDED:  # a run that failed has told so itself
        return False
    source = str((dag_run.get("conf") or {}).get("source") or "")
    dag_id, run_id = str(dag_run["dag_id"]), str(dag_run["dag_run_id"])
    with Services() as services:
        limit = services.settings.ingest.ingest_deadline_s
        reason = (
            f"the run {run_id} was queued at {dag_run.get('queued_at')}, is {dag_run.get('state')} and"
            f" should have ended within {limit} s (RUBRICA_INGEST_DEADLINE_S)."
        )
        alarms.note_deadline(services, dag_id, run_id, reason, source=source)
    return True
