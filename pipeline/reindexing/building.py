"""Build, catch up, judge: until the new index holds what the live one holds, and is as good."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from indexing.catalog.generations import Generation, GenerationState
from pipeline.converging import Converged, converge, failures_of
from pipeline.reindexing.locking import check_lock, keep_lock
from pipeline.reindexing.request import read_decision, target_of, write_failures
from pipeline.services import Services
from rubrica.errors import RunFailedError
from rubrica.log import get_logger
from rubrica.protocols import Progress

_log = get_logger(__name__)


class Judgement(Protocol):
    """What the recall gate says of a candidate."""

    @property
    def passed(self) -> bool:
        """Whether readers may move to it."""
        ...

    @property
    def reason(self) -> str:
        """Why, in a sentence."""
        ...


Gate = Callable[[Services, Generation, Generation], Judgement]
"""Judges a candidate against the live generation."""


def build(services: Services, run_id: str, batch_key: str, progress: Progress | None = None) -> None:
    """Write one batch of documents to the new index."""
    with keep_lock(services, run_id):
        ids = services.workspace.read_json(batch_key)
        converge(services, target_of(services, run_id), ids=ids, progress=progress)


def catch_up(services: Services, run_id: str) -> None:
    """Bring what changed while the new index was built, and count what it cannot take.

    Raises:
        RunFailedError: It cannot take too many documents; it is refused.
        LockLostError: Another rebuild goes on with it.
    """
    with keep_lock(services, run_id):
        target = target_of(services, run_id)
        converge(services, target)
        write_failures(services, run_id, failures_of(services, target))
        reason = too_many_failed(services, target)
        if reason:
            check_lock(services, run_id)
            refuse(services, target, reason)


def judge(services: Services, run_id: str, gate: Gate | None = None) -> None:
    """Ask the recall gate whether readers may move.

    Args:
        services: Open services.
        run_id: The run.
        gate: Another gate than ``pipeline.gate``.

    Raises:
        RunFailedError: They may not; the generation is refused, and the live one stays.
        LockLostError: They may not, and another rebuild goes on with the generation.
    """
    decision, target = read_decision(services, run_id), target_of(services, run_id)
    if target.state == GenerationState.LIVE or (decision and not decision.gate):
        return
    with keep_lock(services, run_id):
        reason = objection(services, target, gate)
        if reason:
            check_lock(services, run_id)
            refuse(services, target, reason)


def objection(services: Services, target: Generation, gate: Gate | None = None) -> str:
    """Why the recall gate does not let a generation become live; empty when it does."""
    live = services.catalog.generations.live(target.alias)
    if live is None:
        return ""
    verdict = (gate or _default_gate())(services, target, live)
    _log.info("gate", collection=target.collection, passed=verdict.passed, reason=verdict.reason)
    return "" if verdict.passed else (verdict.reason or "The recall gate refused it.")


def refuse(services: Services, target: Generation, reason: str) -> None:
    """Give a generation up; it stays, so that it can be looked at, or go live by force.

    Raises:
        RunFailedError: Always.
    """
    services.catalog.generations.end(target.id, GenerationState.REFUSED, note=reason)
    raise RunFailedError(
        f"Generation {target.number} is refused, the live index stays: {reason}",
        hint=f"`rubrica switch {target.number} --force` would take it all the same.",
    )


def too_many_failed(services: Services, target: Generation, done: Converged | None = None) -> str:
    """Why a generation lacks too many documents to go live; empty when it does not.

    Args:
        services: Open services.
        target: The generation.
        done: What the last catching up came to; its missing documents count too.
    """
    failures = list(failures_of(services, target).values())
    lacking = len(failures) + (done.missing if done else 0)
    indexed = services.catalog.generations.sizes(target.alias)
    live = services.catalog.generations.live(target.alias)
    total = indexed.get(live.id, (0, 0))[0] if live else 0
    limit = services.settings.reindex.reindex_max_failed
    if lacking <= limit * total:
        return ""
    first = f" The first: {failures[0].path!r}: {failures[0].reason}" if failures else ""
    return (
        f"It cannot take {lacking} of {total} documents, more than RUBRICA_REINDEX_MAX_FAILED allows"
        f" ({limit:.0%}).{first}"
    )


def _default_gate() -> Gate:
    from pipeline.gate import judge as judge_recall

    return judge_recall
