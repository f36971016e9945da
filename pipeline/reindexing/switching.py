"""Switch: let readers move to another generation.

PostgreSQL says which generation is live, in one transaction, and searches go to that generation's collection
by name. The alias in Milvus is for readers that do not ask PostgreSQL; it follows right after. Killed between
the two, such readers see the index from before, which is still written to, and the next write, or the next
call of this step, moves the alias.
"""

from __future__ import annotations

from indexing.catalog.generations import Generation, GenerationState
from pipeline.converging import Converged, converge, failures_of
from pipeline.locking import all_sources
from pipeline.reindexing.building import Gate, objection, too_many_failed
from pipeline.reindexing.locking import check_lock, held_here, keep_lock
from pipeline.reindexing.request import target_of
from pipeline.services import Services
from rubrica.errors import ConfigurationError, FatalError, RunFailedError
from rubrica.log import get_logger

_SWITCHABLE = {GenerationState.LIVE, GenerationState.SOAKING, GenerationState.REFUSED}
_log = get_logger(__name__)


def switch(services: Services, run_id: str) -> int:
    """Let the generation that a run built go live.

    Returns:
        Its number.

    Raises:
        TransientError: An ingestion does not end in time.
        FatalError: Too many documents changed in their source and can be had from nowhere.
    """
    with keep_lock(services, run_id):
        target = target_of(services, run_id)
        go_live(services, target, run_id)
    return target.number


def go_live(services: Services, target: Generation, owner: str) -> None:
    """Catch up while nobody else writes, then move the readers.

    Args:
        services: Open services.
        target: The generation; live already: only the alias is put right.
        owner: Holds the lock of the index, and those of all sources meanwhile.

    Raises:
        LockLostError: An ingestion took a source over, and may have written to the other index only; or
            another rebuild or switch took the index.
    """
    if target.state != GenerationState.LIVE:
        timeout_s = services.settings.ingest.lock_timeout_s
        with all_sources(services.catalog, owner, timeout_s=timeout_s) as lease:
            _check_complete(services, target, converge(services, target))
            lease.renew()
            list_failures(services, target)
            lease.renew()
            check_lock(services, owner)
            make_live(services, target)
    point_alias(services, target)
    _log.info("generation is live", alias=target.alias, collection=target.collection)


def list_failures(services: Services, target: Generation) -> None:
    """Bring the list of failures, which is about the live generation, to what it is about to be."""
    catalog = services.catalog
    for document_id, failure in failures_of(services, target).items():
        catalog.failures.record(failure, document_id=document_id)
    live = catalog.generations.live(target.alias)
    if live is not None:
        healed = catalog.differences.failed(target.id, live.id)
        catalog.failures.resolve([document.id for document in healed])


def make_live(services: Services, target: Generation) -> None:
    """Let PostgreSQL say that the generation is live."""
    with services.catalog.exclusive(f"generations:{target.alias}"):
        services.catalog.generations.make_live(target.id)


def point_alias(services: Services, target: Generation) -> None:
    """Let the alias in Milvus follow."""
    services.store.point_alias(target.alias, target.collection)


def _check_complete(services: Services, target: Generation, done: Converged) -> None:
    reason = too_many_failed(services, target, done) if done.missing else ""
    if reason:
        raise FatalError(
            f"Generation {target.number} is not complete, the live index stays. {reason}",
            hint="Their files changed since they were indexed: ingest their sources, then try again.",
        )


# --- By hand --------------------------------------------------------------------------------------


def switch_by_hand(
    services: Services, number: int, run_id: str, *, force: bool = False, gate: Gate | None = None
) -> Generation:
    """Let a generation that soaks, or that was refused, go live.

    Args:
        services: Open services.
        number: Its number.
        run_id: Id for the locks.
        force: Do not ask the recall gate, and take it although documents fail in it.
        gate: Another gate than ``pipeline.gate``.

    Raises:
        ConfigurationError: There is no such generation, or it cannot be switched to.
        RunFailedError: The gate refuses it.
    """
    with held_here(services, run_id) as owner:
        target = _find(services, number)
        if target.state != GenerationState.LIVE:
            converge(services, target)
            reason = "" if force else _why_not(services, target, gate)
            if reason:
                raise RunFailedError(
                    f"Generation {number} does not go live: {reason}", hint="--force does not ask the gate."
                )
        go_live(services, target, owner)
    return target


def roll_back(services: Services, run_id: str) -> Generation:
    """Let the generation that was live before go live again; the recall gate is not asked.

    Raises:
        ConfigurationError: No generation soaks.
    """
    with held_here(services, run_id) as owner:
        target = _newest_soaking(services)
        converge(services, target)
        go_live(services, target, owner)
    return target


def _why_not(services: Services, target: Generation, gate: Gate | None) -> str:
    return too_many_failed(services, target) or objection(services, target, gate)


def _find(services: Services, number: int) -> Generation:
    known = services.catalog.generations.all(services.settings.indexing.alias)
    found = next((generation for generation in known if generation.number == number), None)
    if found is None or found.state not in _SWITCHABLE:
        state = f"is {found.state}" if found else "does not exist"
        raise ConfigurationError(
            f"Generation {number} {state}.", hint="`rubrica generations` lists those that can be switched to."
        )
    return found


def _newest_soaking(services: Services) -> Generation:
    known = services.catalog.generations.all(services.settings.indexing.alias)
    soaking = [generation for generation in known if generation.state == GenerationState.SOAKING]
    if not soaking:
        raise ConfigurationError(
            "There is no index from before to go back to.", hint="See `rubrica generations`."
        )
    return max(soaking, key=lambda generation: (generation.ended_at or generation.created_at, generation.id))
