"""A step works only while its run holds the lock of the source."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import cast

import pytest

from pipeline import locking
from pipeline.services import Services
from pipeline.steps.batches import holding
from rubrica.errors import LockLostError


class _Locks:
    """Notes each renewal, and tells when there were some."""

    def __init__(self, *, held: bool = True) -> None:
        self.renewed: list[tuple[str, str, float]] = []
        self.several = threading.Event()
        self._held = held

    def refresh(self, name: str, owner: str, *, ttl_s: float) -> bool:
        self.renewed.append((name, owner, ttl_s))
        if len(self.renewed) > 3:
            self.several.set()
        return self._held


def _services(locks: _Locks) -> Services:
    return cast("Services", SimpleNamespace(catalog=SimpleNamespace(locks=locks), lock_ttl_s=3600.0))


def test_a_long_step_keeps_the_lock_for_as_long_as_one_that_waits_for_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(locking, "_BEAT_S", 0.01)
    locks = _Locks()
    with holding(_services(locks), "norms", "run"):
        assert locks.several.wait(30)
    assert set(locks.renewed) == {("norms", "run", 3600.0)}


def test_a_step_does_not_begin_without_the_lock() -> None:
    with (
        pytest.raises(LockLostError, match="'run' lost the lock of 'norms'"),
        holding(_services(_Locks(held=False)), "norms", "run"),
    ):
        pytest.fail("it has begun")
