"""Verdict: was every document indexed or reported? Only then has the source moved on."""

from __future__ import annotations

from typing import Any

from chunking.quality import figures
from indexing.catalog.runs import Run, RunState
from pipeline.alarms import note_run_passed
from pipeline.artefacts import Plan, RunFolder
from pipeline.drifting import settings_drift
from pipeline.locking import Lease
from pipeline.services import Services
from pipeline.steps.runner import has_failed, noted_errors
from rubrica.errors import LockLostError, RunFailedError
from rubrica.log import get_logger
from rubrica.metrics import Counter
from rubrica.model import Stage

_SHOWN = 3
_GREEN = frozenset({RunState.SUCCESS, RunState.WARNING})
_log = get_logger(__name__)


def verdict(services: Services, run_id: str) -> dict[str, Any]:
    """Judge a run, whatever became of its tasks.

    Only poisoned documents: green, with a warning, and the source's last revision moves on. A
    document that is neither indexed nor reported, or one that should be gone and is not, a plan that
    another run may have overtaken: red, and the revision stays, so the next run takes all of it again.

    Returns:
        The run's summary.

    Raises:
        RunFailedError: The run is red; the message says why.
    """
    folder = RunFolder(services.workspace, run_id)
    known = services.catalog.runs.get(run_id)
    if known is None:
        reasons = noted_errors(services, run_id) or ["The run failed before it began; see the task's log."]
        raise RunFailedError(" ".join(reasons))
    made = folder.read_plan() if folder.has("plan.json") else None
    if made is not None and known.state in _GREEN:
        # Broken off behind its verdict: the lock is given back, another run may have moved the revision on.
        return _close(services, known, folder)
    reason = _why_red(services, run_id, made)
    if made is None or reason:
        _finish_red(services, known, reason)
        raise RunFailedError(reason, hint=f"`rubrica ingest {known.source}` tries again." if made else "")
    services.workspace.write_json(skipped_key(made.source), folder.read("delta.json")["skipped"])
    _finish_green(services, known, made)
    return _close(services, known, folder)


def skipped_key(source: str) -> str:
    """Where the paths lie that the source's last good run skipped, with their reasons."""
    return f"skipped/{source}.json"


def _why_red(services: Services, run_id: str, made: Plan | None) -> str:
    """Why the run is red; empty when it is not."""
    errors = " ".join(noted_errors(services, run_id))
    if made is None:
        return errors or "The run made no plan; see the log of the tasks detect and plan."
    known = services.catalog.indexed.known_marks(services.generation.id, made.source, made.config_sig)
    missing = [document.path for document in made.documents if known.get(document.path) != document.mark]
    left = set(made.removed) & set(services.catalog.documents.paths(made.source))
    problems = _overtaken(services, run_id, made)
    if missing:
        problems.append(f"{len(missing)} documents were neither indexed nor reported: {_some(missing)}.")
    if left:
        problems.append(f"{len(left)} documents are gone from the source but still in the index.")
    return " ".join([*problems, errors]) if problems else ""


def _overtaken(services: Services, run_id: str, made: Plan) -> list[str]:
    """Why the plan may not be what the run should have done; empty when it is."""
    if has_failed(services, run_id, {Stage.DETECT, Stage.PLAN}):
        return ["The run did not come to a new plan."]
    try:
        Lease(services.catalog.locks, [made.source], run_id, ttl_s=services.lock_ttl_s).renew()
    except LockLostError as error:
        return [error.reason]
    return []


def _some(paths: list[str]) -> str:
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return ", ".join(repr(path) for path in paths[:_SHOWN]) + more


def _finish_red(services: Services, run: Run, reason: str) -> None:
    services.catalog.runs.finish(run.id, RunState.FAILED, error=reason)
    services.catalog.locks.release(run.source, run.id)


def _finish_green(services: Services, run: Run, made: Plan) -> None:
    catalog = services.catalog
    failed = catalog.failures.find(run.source, run_id=run.id)
    catalog.runs.add_counters(run.id, Stage.VERDICT, "", {Counter.FAILED: len(failed)})
    catalog.sources.set_last_revision(services.generation.id, run.source, made.revision)
    state = RunState.WARNING if failed else RunState.SUCCESS
    catalog.runs.finish(run.id, state, to_revision=made.revision)
    catalog.locks.release(run.source, run.id)
    _log.info("run ended", state=state.value, failed=len(failed))


def _close(services: Services, run: Run, folder: RunFolder) -> dict[str, Any]:
    note_run_passed(services, "ingest", run.id, source=run.source)
    folder.delete()
    return summary(services, run.id)


def summary(services: Services, run_id: str) -> dict[str, Any]:
    """A run as ``rubrica ingest`` reports it."""
    run = services.catalog.runs.get(run_id)
    if run is None:
        raise RunFailedError(f"The catalog does not know the run {run_id!r}.")
    seconds = (run.finished_at - run.started_at).total_seconds() if run.finished_at else None
    totals = {counter.value: count for counter, count in services.catalog.runs.totals(run_id).items()}
    return {
        "run_id": run.id,
        "source": run.source,
        "state": run.state.value,
        "from_revision": run.from_revision,
        "to_revision": run.to_revision,
        "error": run.error,
        **totals,
        "quality": _quality(services, run_id),
        "drift": settings_drift(services),
        "seconds": seconds,
    }


def _quality(services: Services, run_id: str) -> dict[str, int | float | None] | None:
    """How good the chunks are that the run made; ``None`` where it made none."""
    measured = services.catalog.quality.of_run(run_id)
    live = services.catalog.generations.live(services.settings.indexing.alias)
    if not measured.documents or live is None:
        return None
    repeated = services.catalog.quality.repeated(live.id, run_id=run_id)
    return figures(measured) | {"duplicates_elsewhere": repeated}
