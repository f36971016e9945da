"""Starts a rebuild and follows it to its end."""

from __future__ import annotations

import secrets
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from pipeline import reindexing
from pipeline.airflow_client import AirflowClient
from pipeline.ingestion import OnProgress, watch
from pipeline.locking import release_dead_rebuild
from pipeline.reindexing.building import Gate
from pipeline.reindexing.closing import report
from pipeline.reindexing.locking import held_here
from pipeline.reindexing.request import ReindexRequest, read_decision
from pipeline.reindexing.runner import run_with
from pipeline.services import Services
from pipeline.steps.runner import noted_errors
from rubrica.errors import FatalError, RubricaError, RunFailedError

DAG_ID = "reindex"


def new_run_id() -> str:
    """Id of a run that a command starts; Airflow allows ``[A-Za-z0-9_.~:+-]``."""
    return f"rubrica__reindex__{datetime.now(UTC):%Y-%m-%dT%H-%M-%S}-{secrets.token_hex(2)}"


def start(client: AirflowClient, services: Services, request: ReindexRequest) -> str:
    """Start a run of the DAG; returns its id.

    Raises:
        FatalError: A rebuild is going on; the message names it.
    """
    alias = services.settings.indexing.alias
    release_dead_rebuild(services.catalog, client, alias)
    owner = services.catalog.reindex_locks.owner(alias)
    if owner:
        raise FatalError(
            f"The run {owner!r} is rebuilding or switching the index {alias!r}.",
            hint="Wait for its end, or stop it with `rubrica reindex --cancel`.",
        )
    run_id = new_run_id()
    client.trigger(DAG_ID, run_id, request.to_params())
    return run_id


def follow(client: AirflowClient, services: Services, run_id: str, on_progress: OnProgress) -> dict[str, Any]:
    """Wait for a run in Airflow.

    Returns:
        Its report.

    Raises:
        RunFailedError: No new index went live although one should have.
    """
    ended = watch(client, DAG_ID, run_id, on_progress)
    decision = read_decision(services, run_id)
    if ended.state == "success" and decision is not None:
        return report(services, run_id, decision)
    reasons = noted_errors(services, run_id) or ["Airflow ended the run before its last task."]
    raise RunFailedError(" ".join(reasons), hint=f"See the run {run_id} in Airflow's UI.")


def run_here(
    services: Services,
    request: ReindexRequest,
    run_id: str,
    on_progress: OnProgress,
    *,
    gate: Gate | None = None,
) -> dict[str, Any]:
    """Run all steps in this process, one after the other, without Airflow.

    Args:
        services: Open services.
        request: What to do.
        run_id: Id of the run.
        on_progress: Told how far the work has come.
        gate: Another gate than ``pipeline.gate``.

    Returns:
        The report.

    Raises:
        FatalError: Another rebuild is going on.
        RunFailedError: No new index went live although one should have.
    """
    with held_here(services, run_id) as owner:
        # A step that failed has noted why, and the last one judges by what is in the catalog.
        with suppress(RubricaError):
            _run_steps(services, request, owner, on_progress, gate)
        return run_with(services, reindexing.close, owner)


def _run_steps(
    services: Services, request: ReindexRequest, owner: str, on_progress: OnProgress, gate: Gate | None
) -> None:
    on_progress("begin", 0, 0)
    if run_with(services, reindexing.begin, owner, request):
        _build(services, owner, on_progress)
        for step in (reindexing.catch_up, reindexing.judge, reindexing.switch):
            on_progress(step.__name__, 0, 0)
            if step is reindexing.judge:
                run_with(services, reindexing.judge, owner, gate)
            else:
                run_with(services, step, owner)
    run_with(services, reindexing.drop, owner)


def _build(services: Services, owner: str, on_progress: OnProgress) -> None:
    batches = run_with(services, reindexing.plan, owner)
    total = sum(len(services.workspace.read_json(batch)) for batch in batches)
    counter = _Counter(on_progress, total)
    for batch in batches:
        run_with(services, reindexing.build, owner, batch, counter)


class _Counter:
    """Tells of documents as they are done."""

    def __init__(self, on_progress: OnProgress, total: int) -> None:
        self._on_progress = on_progress
        self._total = total
        self._done = 0

    def advance(self, amount: int = 1) -> None:
        """Report that ``amount`` more documents are done."""
        self._done += amount
        self._on_progress("build", self._done, self._total)
