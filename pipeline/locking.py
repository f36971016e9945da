"""How long a run holds the lock of its source, and how a dead run loses it."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from indexing.catalog import Catalog
from indexing.catalog.locks import Locks
from indexing.catalog.runs import RunState
from pipeline.airflow_client import AirflowClient
from pipeline.services import PROCESS_TTL_S
from rubrica.errors import FatalError, LockLostError, TransientError
from rubrica.log import get_logger

_BEAT_S = 15.0
_POLL_S = 1.0
_HERE = "here__"
_AGAIN = "Start it again from its beginning."
_log = get_logger(__name__)


class Lease:
    """Locks that an owner has taken."""

    def __init__(
        self, locks: Locks, names: Sequence[str], owner: str, *, ttl_s: float, hint: str = _AGAIN
    ) -> None:
        """Take note of them.

        Args:
            locks: The table that they are in.
            names: What is locked.
            owner: Who took them.
            ttl_s: Seconds until they end by themselves, unless they are renewed.
            hint: What to do once they are lost.
        """
        self._locks = locks
        self._names = names
        self._owner = owner
        self._ttl_s = ttl_s
        self._hint = hint

    def renew(self) -> None:
        """Keep the locks for as long again.

        Raises:
            LockLostError: The owner no longer has all of them.
        """
        kept = [(name, self._locks.refresh(name, self._owner, ttl_s=self._ttl_s)) for name in self._names]
        lost = next((name for name, held in kept if not held), None)
        if lost is not None:
            raise LockLostError(
                f"The run {self._owner!r} lost the lock of {lost!r}, where another may have worked since.",
                hint=self._hint,
            )


@contextmanager
def keep_alive(
    locks: Locks, names: Sequence[str], owner: str, *, ttl_s: float = PROCESS_TTL_S, hint: str = _AGAIN
) -> Iterator[Lease]:
    """Renew locks from a thread while the block runs; they end ``ttl_s`` seconds after a killed process."""
    done = threading.Event()
    lease = Lease(locks, names, owner, ttl_s=ttl_s, hint=hint)

    def beat() -> None:
        while not done.wait(_BEAT_S):
            try:
                with suppress(LockLostError):  # the block finds out where it renews them itself
                    lease.renew()
            except TransientError as error:
                _log.warning("a lock could not be renewed", owner=owner, reason=error.reason)

    thread = threading.Thread(target=beat, name="rubrica-lock", daemon=True)
    thread.start()
    try:
        yield lease
    finally:
        done.set()
        thread.join()


@contextmanager
def all_sources(catalog: Catalog, owner: str, *, timeout_s: float) -> Iterator[Lease]:
    """Hold the locks of all sources at once; while one is busy, none is held.

    Args:
        catalog: PostgreSQL.
        owner: Who holds them.
        timeout_s: Longest wait for runs that go on, in seconds.

    Raises:
        TransientError: A run did not end in time.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        names = [source.spec.name for source in catalog.sources.all()]
        try:
            busy = _acquire_all(catalog, names, owner)
            if busy is None:
                with keep_alive(catalog.locks, names, owner) as lease:
                    yield lease
                return
        finally:
            for name in names:
                catalog.locks.release(name, owner)
        if time.monotonic() > deadline:
            raise TransientError(
                f"Run {catalog.locks.owner(busy)!r} is still working on the source {busy!r}.",
                hint="Wait for it, or raise RUBRICA_LOCK_TIMEOUT_S.",
            )
        time.sleep(_POLL_S)


def _acquire_all(catalog: Catalog, names: Sequence[str], owner: str) -> str | None:
    """Take the locks until one is busy; returns that one."""
    for name in names:
        if not catalog.locks.acquire(name, owner, ttl_s=PROCESS_TTL_S):
            return name
    return None


def release_dead_owner(catalog: Catalog, client: AirflowClient, source: str) -> None:
    """Take the lock from a run that Airflow ended without its verdict: stopped by hand, or killed."""
    owner = catalog.locks.owner(source)
    run = catalog.runs.get(owner) if owner else None
    if run is None or not run.dag_run_id or _goes_on(client, "ingest", run.dag_run_id):
        return
    _log.warning("run ended without its verdict", run=run.id, source=source)
    catalog.runs.finish(run.id, RunState.FAILED, error="Airflow ended the run before its verdict.")
    catalog.locks.release(source, run.id)


def release_dead_rebuild(catalog: Catalog, client: AirflowClient, alias: str) -> None:
    """Take the lock of an alias from a run that Airflow ended before its last task."""
    owner = catalog.reindex_locks.owner(alias)
    if owner and not is_here(owner) and not _goes_on(client, "reindex", owner):
        _log.warning("rebuild ended without its last task", run=owner)
        catalog.reindex_locks.release(alias, owner)


def release_dead_process(catalog: Catalog, alias: str) -> None:
    """Take the lock of an alias from a process of this machine that was killed."""
    owner = catalog.reindex_locks.owner(alias) or ""
    host, _, pid = owner.rpartition("@")[2].rpartition(":")
    if is_here(owner) and host == socket.gethostname() and not _is_alive(int(pid)):
        _log.warning("rebuild was killed", run=owner)
        catalog.reindex_locks.release(alias, owner)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's process
        return True
    return True


def here_owner(run_id: str) -> str:
    """Id of a run whose steps all run in this process, so that others see where it is."""
    return f"{_HERE}{run_id}@{socket.gethostname()}:{os.getpid()}"


def is_here(owner: str) -> bool:
    """Whether a run is no run of Airflow's."""
    return owner.startswith(_HERE)


def _goes_on(client: AirflowClient, dag_id: str, dag_run_id: str) -> bool:
    try:
        return not client.run(dag_id, dag_run_id).finished
    except FatalError:  # Airflow does not know the run: its database is a new one
        return False
