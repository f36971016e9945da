"""One rebuild, switch or rollback at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pipeline.locking import Lease, here_owner, keep_alive, release_dead_process
from pipeline.services import PROCESS_TTL_S, Services
from rubrica.errors import FatalError, LockLostError


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


@contextmanager
def keep_lock(services: Services, run_id: str) -> Iterator[None]:
    """Keep the lock while a task runs; one that is run again after its rebuild ended takes it for itself.

    Raises:
        LockLostError: Somebody else has it.
    """
    locks, alias = services.catalog.reindex_locks, services.settings.indexing.alias
    kept = locks.refresh(alias, run_id, ttl_s=services.lock_ttl_s)
    if not kept and not locks.acquire(alias, run_id, ttl_s=services.lock_ttl_s):
        raise LockLostError(
            f"The run {run_id!r} lost the lock of the index {alias!r} to the run {locks.owner(alias)!r}.",
            hint="`rubrica reindex` goes on from here when that one has ended.",
        )
    try:
        with keep_alive(locks, [alias], run_id, ttl_s=services.lock_ttl_s):
            yield
    finally:
        if not kept:
            release_lock(services, run_id)


def check_lock(services: Services, owner: str) -> None:
    """Make sure, before something is decided for good, that nobody else took the lock meanwhile.

    Raises:
        LockLostError: Somebody has, or had.
    """
    locks, alias = services.catalog.reindex_locks, services.settings.indexing.alias
    Lease(locks, [alias], owner, ttl_s=services.lock_ttl_s).renew()


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
