"""How long a run holds the lock of its source, and how a dead run loses it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from indexing.catalog import Catalog
from indexing.catalog.runs import RunState
from pipeline.airflow_client import AirflowClient
from pipeline.services import PROCESS_TTL_S
from rubrica.errors import FatalError, TransientError
from rubrica.log import get_logger

_BEAT_S = 15.0
_log = get_logger(__name__)


@contextmanager
def keep_alive(catalog: Catalog, source: str, owner: str) -> Iterator[None]:
    """Renew a lock from a thread while the block runs; it ends soon after a killed process."""
    done = threading.Event()

    def beat() -> None:
        while not done.wait(_BEAT_S):
            try:
                catalog.locks.refresh(source, owner, ttl_s=PROCESS_TTL_S)
            except TransientError as error:
                _log.warning("the lock could not be renewed", source=source, reason=error.reason)

    thread = threading.Thread(target=beat, name="rubrica-lock", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def release_dead_owner(catalog: Catalog, client: AirflowClient, source: str) -> None:
    """Take the lock from a run that Airflow ended without its verdict: stopped by hand, or killed."""
    owner = catalog.locks.owner(source)
    run = catalog.runs.get(owner) if owner else None
    if run is None or not run.dag_run_id or _goes_on(client, run.dag_run_id):
        return
    _log.warning("run ended without its verdict", run=run.id, source=source)
    catalog.runs.finish(run.id, RunState.FAILED, error="Airflow ended the run before its verdict.")
    catalog.locks.release(source, run.id)


def _goes_on(client: AirflowClient, dag_run_id: str) -> bool:
    try:
        return not client.run("ingest", dag_run_id).finished
    except FatalError:  # Airflow does not know the run: its database is a new one
        return False
