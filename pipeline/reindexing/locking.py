"""One rebuild, switch or rollback at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pipeline.locking import here_owner, keep_alive, release_dead_process
from pipeline.services import PROCESS_TTL_S, Services
from rubrica.errors import FatalError


def take_lock(services: Services, owner: str) -> None:
    """Take the lock of the alias, or fail at once: a rebuild takes too long to wait for.

    Raises:
        FatalError: Somebody else has it.
    """
    locks, alias = services.catalog.reindex_locks, services.settings.indexing.alias
    release_dead_process(services.catalog, alias)
    if not locks.acquire(alias, owner, ttl_s=services.lock_ttl_s):
        raise FatalError(
            f"The run {locks.owner(alias)!r} is rebuilding or switching the index {alias!r}.",
            hint="Wait for its end, or stop it with `rubrica reindex --cancel`.",
        )


def refresh_lock(services: Services, owner: str) -> None:
    """Keep the lock while a task begins."""
    alias = services.settings.indexing.alias
    services.catalog.reindex_locks.refresh(alias, owner, ttl_s=services.lock_ttl_s)


def release_lock(services: Services, owner: str) -> None:
    """Give the lock back."""
    services.catalog.reindex_locks.release(services.settings.indexing.alias, owner)


@contextmanager
def held_here(services: Services, run_id: str) -> Iterator[str]:
    """Hold the lock in this process while the block runs; gives the owner's id.

    Raises:
        FatalError: Somebody else has it.
    """
    services.lock_ttl_s = PROCESS_TTL_S
    owner = here_owner(run_id)
    take_lock(services, owner)
    try:
        with keep_alive(services.catalog.reindex_locks, [services.settings.indexing.alias], owner):
            yield owner
    finally:
        release_lock(services, owner)
