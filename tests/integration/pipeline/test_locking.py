"""Locks: of one source, of all at once, and of the index."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from indexing.catalog import Catalog
from pipeline import locking
from pipeline.holding import hold_source
from pipeline.locking import all_sources, here_owner, release_dead_process
from pipeline.services import Services
from rubrica.errors import LockLostError, TransientError
from rubrica.model import SourceSpec

pytestmark = pytest.mark.integration


@pytest.fixture
def catalog(services: Services, tmp_path: Path) -> Catalog:
    for name in ("a", "b", "c"):
        services.catalog.sources.register(SourceSpec(name, "folder", str(tmp_path / name)))
    return services.catalog


def _owners(catalog: Catalog) -> list[str | None]:
    return [catalog.locks.owner(name) for name in ("a", "b", "c")]


def test_all_sources_are_held_together_and_given_back(catalog: Catalog) -> None:
    with all_sources(catalog, "switch", timeout_s=0):
        assert _owners(catalog) == ["switch"] * 3
        assert not catalog.locks.acquire("b", "a run", ttl_s=60)
    assert _owners(catalog) == [None] * 3
    with pytest.raises(ZeroDivisionError), all_sources(catalog, "switch", timeout_s=0):
        raise ZeroDivisionError
    assert _owners(catalog) == [None] * 3


def test_while_one_is_busy_none_is_held(catalog: Catalog) -> None:
    assert catalog.locks.acquire("b", "a run", ttl_s=60)
    with (
        pytest.raises(TransientError, match="'a run' is still working on the source 'b'"),
        all_sources(catalog, "switch", timeout_s=0),
    ):
        pytest.fail("it was not free")
    assert _owners(catalog) == [None, "a run", None]


def test_it_waits_for_a_run_that_ends(catalog: Catalog) -> None:
    assert catalog.locks.acquire("c", "a run", ttl_s=0.2)
    with all_sources(catalog, "switch", timeout_s=60):
        assert _owners(catalog) == ["switch"] * 3


def test_one_source_is_kept_as_long_as_the_work_on_it_takes(
    services: Services, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locking, "_BEAT_S", 0.05)
    with hold_source(services, "a", "forget", timeout_s=0, hint="Again.") as lease:
        assert lease is not None
        assert catalog.locks.refresh("a", "forget", ttl_s=0.5)
        time.sleep(1)
        assert not catalog.locks.acquire("a", "a run", ttl_s=60)
        with hold_source(services, "a", "reconcile", timeout_s=0, hint="") as other:
            assert other is None
    assert catalog.locks.owner("a") is None


def test_who_lost_a_source_hears_of_it_and_does_not_give_it_back(
    services: Services, catalog: Catalog
) -> None:
    with hold_source(services, "a", "forget", timeout_s=0, hint="Again.") as lease:
        assert lease is not None
        lease.renew()
        catalog.locks.refresh("a", "forget", ttl_s=-1)
        assert catalog.locks.acquire("a", "a run", ttl_s=60)
        with pytest.raises(LockLostError, match="'forget' lost the lock of 'a'") as lost:
            lease.renew()
    assert lost.value.hint == "Again."
    assert catalog.locks.owner("a") == "a run"


def test_a_source_that_nobody_knows_needs_no_lock(services: Services) -> None:
    with hold_source(services, "gone", "forget", timeout_s=0, hint="") as lease:
        assert lease is not None
        lease.renew()
        assert services.catalog.locks.owner("gone") is None


def test_only_a_dead_process_of_this_machine_loses_the_index(catalog: Catalog) -> None:
    alive, locks = here_owner("one"), catalog.reindex_locks
    dead = alive.rpartition(":")[0] + ":4194305"
    elsewhere = "here__one@another-machine:4194305"
    for owner, kept in ((alive, True), (elsewhere, True), ("scheduled__2026", True), (dead, False)):
        assert locks.acquire("docs", owner, ttl_s=60)
        release_dead_process(catalog, "docs")
        assert (locks.owner("docs") == owner) is kept
        locks.release("docs", owner)
