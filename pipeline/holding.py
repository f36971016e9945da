"""Holds the lock of one source while something other than an ingestion changes what is stored of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from pipeline.locking import keep_alive
from pipeline.services import PROCESS_TTL_S, Services
from rubrica.log import get_logger

_POLL_S = 1.0
_log = get_logger(__name__)


@contextmanager
def hold_source(services: Services, source: str, owner: str, *, timeout_s: float) -> Iterator[bool]:
    """Hold a source's lock while the block runs, so that no ingestion works on it meanwhile.

    Args:
        services: Open services.
        source: Name of the source; one that is not known needs no lock, for nobody ingests it.
        owner: Who holds it.
        timeout_s: Longest wait for a run that goes on, in seconds.

    Returns:
        A context that gives whether the lock is held.
    """
    catalog = services.catalog
    if catalog.sources.get(source) is None:
        yield True
        return
    if not _acquired(services, source, owner, timeout_s):
        yield False
        return
    try:
        with keep_alive(catalog.locks, [source], owner):
            yield True
    finally:
        catalog.locks.release(source, owner)


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
