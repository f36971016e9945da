"""Drop: take away generations that nobody will go back to."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from indexing.catalog.generations import Generation, GenerationState
from pipeline.converging import forget_failures
from pipeline.reindexing.locking import check_lock, keep_lock
from pipeline.services import Services
from rubrica.errors import ConfigurationError, FatalError
from rubrica.log import get_logger
from rubrica.settings import ReindexSettings

_log = get_logger(__name__)


def drop(services: Services, run_id: str) -> list[int]:
    """Drop what has soaked, or was refused long enough ago, oldest first.

    Also what an earlier, killed call left of a dropped generation.

    Returns:
        Numbers of the generations that were dropped.

    Raises:
        LockLostError: Another rebuild or switch began meanwhile.
    """
    with keep_lock(services, run_id):
        return _drop(services, run_id)


def _drop(services: Services, run_id: str) -> list[int]:
    known = services.catalog.generations.all(services.settings.indexing.alias)
    live = next((generation for generation in known if generation.state == GenerationState.LIVE), None)
    if live is not None:
        services.store.point_alias(live.alias, live.collection)
    for generation in known:
        if generation.state == GenerationState.DROPPED and services.store.has(generation.collection):
            _clean_up(services, generation)
    due = expired(known, services.settings.reindex, now=datetime.now(UTC))
    for generation in due:
        check_lock(services, run_id)
        discard(services, generation, note=generation.note or "It has soaked.")
    return [generation.number for generation in due]


def expired(known: Sequence[Generation], limits: ReindexSettings, *, now: datetime) -> list[Generation]:
    """Generations whose time is over, oldest first.

    Args:
        known: All generations of an alias.
        limits: How long they soak, and how many stay after that.
        now: The time.
    """
    soak = timedelta(days=limits.soak_days)
    soaking = sorted((item for item in known if item.state == GenerationState.SOAKING), key=_ended)
    kept = soaking[max(0, len(soaking) - limits.keep_generations) :]
    ended = [
        item
        for item in known
        if item.state in {GenerationState.SOAKING, GenerationState.REFUSED} and item not in kept
    ]
    return [item for item in sorted(ended, key=_ended) if _ended(item) + soak <= now]


def _ended(generation: Generation) -> datetime:
    return generation.ended_at or generation.created_at


def cancel(services: Services) -> Generation:
    """Drop the generation that is being built; a rebuild that goes on stops at its next document.

    Raises:
        ConfigurationError: Nothing is being built.
    """
    begun = services.catalog.generations.building(services.settings.indexing.alias)
    if begun is None:
        raise ConfigurationError("No index is being built.", hint="See `rubrica generations`.")
    discard(services, begun, note="It was cancelled.")
    return begun


def discard(services: Services, generation: Generation, *, note: str) -> None:
    """Drop a generation: first in PostgreSQL, so that nobody goes back to it, then what it holds.

    Raises:
        FatalError: It is live.
    """
    with services.catalog.exclusive(f"generations:{generation.alias}"):
        if not services.catalog.generations.end(generation.id, GenerationState.DROPPED, note=note):
            raise FatalError(f"Generation {generation.number} is live; it stays.")
    _clean_up(services, generation)


def _clean_up(services: Services, generation: Generation) -> None:
    services.catalog.generations.forget(generation.id)
    forget_failures(services, generation)
    services.store.drop(generation.collection)
    _log.info("generation dropped", collection=generation.collection)
