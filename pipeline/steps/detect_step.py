"""Detect: what changed in a source since the catalog saw it last."""

from __future__ import annotations

import time
from dataclasses import asdict

from pipeline.artefacts import RunFolder
from pipeline.services import Services
from pipeline.steps.batches import holding
from pipeline.steps.request import HERE, IngestRequest
from rubrica.errors import LockHeldError, RemovalGuardError, SourceError
from rubrica.log import get_logger
from rubrica.metrics import Counter
from rubrica.model import Delta, SourceSpec, Stage
from sources.delta import compare
from sources.factory import open_source

_POLL_S = 2.0
_log = get_logger(__name__)


def detect(services: Services, run_id: str, request: IngestRequest) -> str:
    """Compare a source with the catalog.

    Returns:
        Workspace key of the delta.

    Raises:
        SourceError: No source has that name, or it cannot be read.
        RemovalGuardError: Too much would be removed; nothing has been changed yet.
        LockHeldError: Another run works on the source; a run that has its steps in one process waits before.
        LockLostError: Another run took the source over while it was listed.
    """
    folder = RunFolder(services.workspace, run_id)
    folder.delete()  # a run that is cleared and started again must not go by its first plan, whatever follows
    spec = _find(services, request.source)
    _ = services.writer  # what cannot be written to fails here, before anything is done
    _take_lock(services, spec, run_id, patience_s=_patience_s(services, request))
    services = services.unbound.live  # while it waited, another index may have gone live
    _start(services, run_id, request)
    with holding(services, spec.name, run_id) as lease:
        delta = _compare(services, spec, request)
        lease.renew()
    _report(services, run_id, delta)
    return folder.write("delta.json", asdict(delta))


def _find(services: Services, source: str) -> SourceSpec:
    spec = services.catalog.sources.get(source)
    if spec is None:
        raise SourceError(
            f"There is no source named {source!r}.", hint="`rubrica sources` lists those that are."
        )
    return spec


def _start(services: Services, run_id: str, request: IngestRequest) -> None:
    catalog = services.catalog
    catalog.runs.start(
        run_id,
        request.source,
        trigger=request.trigger,
        dag_run_id="" if request.trigger == HERE else run_id,
        from_revision=catalog.sources.last_revision(services.generation.id, request.source),
    )


def _compare(services: Services, spec: SourceSpec, request: IngestRequest) -> Delta:
    snapshot = open_source(spec, services.settings).snapshot()
    known = services.catalog.indexed.known_marks(services.generation.id, spec.name, services.config_sig)
    delta = compare(spec.name, known, snapshot)
    _guard_removals(services, delta, len(known), allowed=request.allow_removals)
    return delta


def _patience_s(services: Services, request: IngestRequest) -> int:
    """How long to wait here; Airflow looks again later, and lends the worker to others meanwhile."""
    return services.settings.ingest.lock_timeout_s if request.trigger == HERE else 0


def _take_lock(services: Services, spec: SourceSpec, run_id: str, *, patience_s: int) -> None:
    deadline = time.monotonic() + patience_s
    told = ""
    while not services.catalog.locks.acquire(spec.name, run_id, ttl_s=services.lock_ttl_s):
        owner = services.catalog.locks.owner(spec.name)
        if time.monotonic() >= deadline:
            raise LockHeldError(
                f"Run {owner!r} is still working on the source {spec.name!r}.",
                hint="Wait for it, or raise RUBRICA_LOCK_TIMEOUT_S.",
            )
        if owner and owner != told:
            _log.warning("waiting for another run of the source", source=spec.name, owner=owner)
            told = owner
        time.sleep(_POLL_S)


def _guard_removals(services: Services, delta: Delta, known: int, *, allowed: bool) -> None:
    limit = services.settings.ingest.removal_guard
    if allowed or len(delta.removed) <= limit * known:
        return
    raise RemovalGuardError(
        f"The run would remove {len(delta.removed)} of {known} documents of {delta.source!r},"
        f" more than RUBRICA_REMOVAL_GUARD allows ({limit:.0%}); nothing was removed.",
        hint="If that is meant, run `rubrica ingest` again with --allow-removals.",
    )


def _report(services: Services, run_id: str, delta: Delta) -> None:
    counters = {
        Counter.ADDED: len(delta.added),
        Counter.CHANGED: len(delta.changed),
        Counter.MOVED: len(delta.moved),
        Counter.REMOVED: len(delta.removed),
        Counter.SKIPPED: len(delta.skipped),
    }
    services.catalog.runs.add_counters(run_id, Stage.DETECT, "", counters)
    for skipped in delta.skipped:
        _log.info("skipped", path=skipped.path, reason=skipped.reason)
    _log.info("detected", revision=delta.revision, unchanged=delta.unchanged, **counters)
