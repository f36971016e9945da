"""Runs of DAGs that end red are alarms until one ends green; Airflow's callbacks end here."""

from __future__ import annotations

from pipeline.alarms import note_run_failed, note_run_passed
from pipeline.services import Services
from pipeline.steps.runner import stopped_by
from rubrica.errors import RemovalGuardError


def run_failed(dag_id: str, run_id: str, reason: str, source: str = "") -> None:
    """Open the alarm of a run.

    Args:
        dag_id: The DAG.
        run_id: The run.
        reason: Why it is red.
        source: The source that it was started for; the catalog's word counts where it knows the run.
    """
    with Services() as services:
        source = _source(services, run_id, source)
        note_run_failed(services, dag_id, run_id, reason, source=source)
        # After the alarm is open: the workspace may be what failed.
        if stopped_by(services, run_id, RemovalGuardError):
            note_run_failed(services, dag_id, run_id, reason, source=source, guarded=True)


def run_passed(dag_id: str, run_id: str, source: str = "") -> None:
    """Close the alarms about earlier runs; see ``run_failed``."""
    with Services() as services:
        note_run_passed(services, dag_id, run_id, source=_source(services, run_id, source))


def _source(services: Services, run_id: str, given: str) -> str:
    known = services.catalog.runs.get(run_id)
    return known.source if known else given
