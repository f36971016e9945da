"""Starts the DAG ``alarms``, and waits for its end."""

from __future__ import annotations

from pipeline.airflow_client import AirflowClient, DagRun
from pipeline.ingestion import OnProgress, new_run_id, watch
from pipeline.services import Services
from rubrica.errors import RunFailedError

DAG_ID = "alarms"


def send_now(services: Services, on_progress: OnProgress) -> DagRun:
    """Tell every channel what is due, through Airflow, which holds their connections.

    A channel that rests after an error is tried now.

    Args:
        services: Open services.
        on_progress: Hears how far the run has come.

    Raises:
        RunFailedError: A channel could not be told.
        StackDownError: Airflow does not run.
    """
    run_id = new_run_id(DAG_ID)
    with AirflowClient.from_settings(services.settings.services) as client:
        client.trigger(DAG_ID, run_id, {"by_hand": True})
        run = watch(client, DAG_ID, run_id, on_progress)
    if run.state != "success":
        raise RunFailedError(
            "Not every channel could be told.",
            hint="`rubrica alarms` says which, and why; it is tried again.",
        )
    return run
