"""What Airflow calls when a run has ended."""

from __future__ import annotations

from typing import Any, TypedDict

from airflow.sdk import Context
from airflow.sdk.definitions.dag import DagStateChangeCallback

from rubrica.errors import RubricaError


class Watched(TypedDict):
    """Callbacks of the task that gives a run's verdict."""

    on_failure_callback: DagStateChangeCallback
    on_success_callback: DagStateChangeCallback


def run_failed(context: Context) -> None:
    """Open an alarm: this task or this run ended red."""
    from pipeline import run_watching

    run_watching.run_failed(*_run(context), reason=_reason(context), source=_source(context))


def run_passed(context: Context) -> None:
    """Close the alarm of earlier runs."""
    from pipeline import run_watching

    run_watching.run_passed(*_run(context), source=_source(context))


WATCHED = Watched(on_failure_callback=run_failed, on_success_callback=run_passed)
"""For the last task of a DAG, which judges the run: ``@task(**WATCHED)``."""


def _run(context: Context) -> tuple[str, str]:
    run = context["dag_run"]
    return run.dag_id, run.run_id


def _source(context: Context) -> str:
    params: Any = context.get("params") or {}
    return str(params.get("source") or "")


def _reason(context: Context) -> str:
    error: Any = context.get("exception")
    if isinstance(error, RubricaError):
        return error.reason
    return str(error or context.get("reason") or "See its log in Airflow.")
