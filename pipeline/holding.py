"""Holds the lock of one source while something other than an ingestion changes what is stored of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from pipeline.locking import Lease, keep_alive
from pipeline.services import PROCESS_TTL_S, Services
from rubrica.log import get_logger

if TYPE_CHECKING:
    from indexing.store.store import VectorStore

_POLL_S = 1.0
_ROW_WRITES = frozenset({"upsert", "update", "delete"})
_log = get_logger(__name__)


@contextmanager
def hold_source(
    services: Services, source: str, owner: str, *, timeout_s: float, hint: str
) -> Iterator[Lease | None]:
    """Hold a source's lock while the block runs, so that no ingestion works on it meanwhile.

    The lock can be lost all the same: the machine sleeps, or PostgreSQL is away for too long. So the block
    renews the lease before whatever it writes.

    Args:
        services: Open services.
        source: Name of the source; one that is not known needs no lock, for nobody ingests it.
        owner: Who holds it.
        timeout_s: Longest wait for a run that goes on, in seconds.
        hint: What to do once the lock is lost.

    Returns:
        A context that gives the lease, or ``None`` where the lock could not be had.
    """
    catalog = services.catalog
    if catalog.sources.get(source) is None:
        yield Lease(catalog.locks, [], owner, ttl_s=PROCESS_TTL_S)
        return
    if not _acquired(services, source, owner, timeout_s):
        yield None
        return
    try:
        with keep_alive(catalog.locks, [source], owner, hint=hint) as lease:
            yield lease
    finally:
        catalog.locks.release(source, owner)


class CheckedStore:
    """Milvus, where rows are written only while the lock of their source is held.

    Whoever writes may have waited long since it took the lock: for another writer, or for an embedder.
    """

    def __init__(self, store: VectorStore, lease: Lease | None = None) -> None:
        """Prepare.

        Args:
            store: Milvus.
            lease: The lock; it may be given later, before the first write.
        """
        self._store = store
        self.lease = lease
        """What every write renews; where that is lost, it fails and nothing is written."""

    def __getattr__(self, name: str) -> Any:
        if name in _ROW_WRITES and self.lease is not None:
            self.lease.renew()
        return getattr(self._store, name)

    def as_store(self) -> VectorStore:
        """The same, for whoever takes a store."""
        return cast("VectorStore", self)


def _acquired(services: Services, source: str, owner: str, timeout_s: float) -> bool:
    locks = services.catalog.locks
    deadline = time.monotonic() + timeout_s
    told = ""
    while not locks.acquire(source, owner, ttl_s=PROCESS_TTL_S):
        other = locks.owner(source)
        if time.monotonic() >= deadline:
            return False
        if other and other != told:
            _log.warning("waiting for a run of the source", source=source, owner=other)
            told = other
        time.sleep(_POLL_S)
    return True
