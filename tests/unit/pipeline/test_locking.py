"""Locks that a run keeps while it works, and notices when it has lost."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import cast

import pytest

from indexing.catalog.locks import Locks
from pipeline import locking
from pipeline.locking import Lease, keep_alive
from rubrica.errors import LockLostError


class _Locks:
    """Notes each renewal; some names are lost."""

    def __init__(self, *lost: str) -> None:
        self.lost = set(lost)
        self.renewed: list[tuple[str, str, float]] = []

    def refresh(self, name: str, owner: str, *, ttl_s: float) -> bool:
        self.renewed.append((name, owner, ttl_s))
        return name not in self.lost


def _until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)


def test_locks_are_renewed_for_as_long_as_asked_while_the_block_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locking, "_BEAT_S", 0.01)
    locks = _Locks()
    with keep_alive(cast("Locks", locks), ["norms"], "run", ttl_s=3600):
        _until(lambda: len(locks.renewed) > 1)
    assert set(locks.renewed) == {("norms", "run", 3600)}
    known = len(locks.renewed)
    time.sleep(0.05)
    assert len(locks.renewed) == known, "it goes on after the block"


def test_a_lost_lock_does_not_end_the_beat_and_is_told_to_whom_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locking, "_BEAT_S", 0.01)
    locks = _Locks("a")
    with keep_alive(cast("Locks", locks), ["a", "b"], "run") as lease:
        _until(lambda: [name for name, *_ in locks.renewed].count("b") > 1)
        with pytest.raises(LockLostError, match="'run' lost the lock of 'a'") as caught:
            lease.renew()
    assert "Start it again" in caught.value.hint


def test_a_lease_that_is_held_can_be_renewed() -> None:
    locks = _Locks()
    Lease(cast("Locks", locks), ["a", "b"], "run", ttl_s=5).renew()
    assert locks.renewed == [("a", "run", 5), ("b", "run", 5)]
