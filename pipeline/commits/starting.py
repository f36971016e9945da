"""Starts the run of a commit, once, whoever tells of it and however often."""

from __future__ import annotations

import re

from pipeline.airflow_client import AirflowClient
from pipeline.commits.model import Answer, Change, Outcome
from pipeline.ingestion import DAG_ID
from pipeline.locking import release_dead_owner
from pipeline.services import Services
from pipeline.steps.request import IngestRequest
from rubrica.errors import SourceError
from rubrica.identity import digest
from rubrica.log import get_logger

_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_log = get_logger(__name__)


def run_id_of(change: Change) -> str:
    """Id of the run of a commit, ``git__<source>__<commit>``; ``poll__…`` where a revision is no commit."""
    if _OBJECT_ID.fullmatch(change.revision):
        return f"git__{change.source}__{change.revision}"
    return f"poll__{change.source}__{digest(change.revision)[:40]}"


def start_commit(
    services: Services, client: AirflowClient, change: Change, *, trigger: str, dag_wait_s: float = 60.0
) -> Answer:
    """Bring the index to a commit, unless it is there or on its way.

    A run reads what the source holds when it works, not the commit that it is named after. So a run that
    waits is as good as one of its own, and a message about an old commit does no harm.

    Args:
        services: Open services.
        client: Airflow.
        change: The source and its commit.
        trigger: Who tells of it: ``webhook`` or ``poll``.
        dag_wait_s: How long to wait for Airflow to find the DAG, in seconds.

    Raises:
        SourceError: The catalog knows no such source.
        FatalError: Airflow refuses the run, or does not know the DAG.
        ServiceUnavailableError: Airflow or PostgreSQL does not answer.
    """
    if services.catalog.sources.get(change.source) is None:
        raise SourceError(
            f"There is no source named {change.source!r}.", hint="`rubrica sources` lists them."
        )
    run_id = run_id_of(change)
    with services.catalog.exclusive(f"commit {run_id}"):
        release_dead_owner(services.catalog, client, change.source)
        outcome = _start(services, client, change, trigger, dag_wait_s)
    _log.info("commit", source=change.source, revision=change.revision, outcome=outcome.value, run=run_id)
    return Answer(change, outcome, run_id)


def _start(
    services: Services, client: AirflowClient, change: Change, trigger: str, dag_wait_s: float
) -> Outcome:
    catalog, run_id = services.catalog, run_id_of(change)
    # While another run works, what the index holds now says nothing about what it will hold then.
    idle = catalog.locks.owner(change.source) is None
    if idle and reached(services, change):
        return Outcome.INDEXED
    conf = IngestRequest(change.source, trigger=trigger).to_params() | {"revision": change.revision}
    known = client.trigger(DAG_ID, run_id, conf, dag_wait_s=dag_wait_s)
    if known.created:
        return Outcome.STARTED
    if not known.run.finished:
        return Outcome.RUNNING
    # A poll has just seen the branch there, whatever the run found.
    if known.run.state == "success" and idle and trigger != "poll" and _was_last(services, change):
        return Outcome.STALE
    # All of it: `retire` ends well even where `detect` failed, and would not follow.
    client.clear(DAG_ID, run_id, only_failed=False)
    return Outcome.RESTARTED


def reached(services: Services, change: Change) -> bool:
    """Whether the live index is at the commit."""
    generation = services.catalog.generations.live(services.settings.indexing.alias)
    if generation is None:
        return False
    return services.catalog.sources.last_revision(generation.id, change.source) == change.revision


def _was_last(services: Services, change: Change) -> bool:
    """Whether no other run of the source has ended since the commit's own."""
    last = services.catalog.runs.last(change.source, finished=True)
    return last is not None and last.id == run_id_of(change)
