"""``rubrica reconcile`` over all generations: the guard, the locks, and what it prints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from indexing import reconcile as reconciling
from indexing.store.rows import scalar_row
from pipeline.ingestion import new_run_id, run_here
from pipeline.reconciling import ReconcileRequest, check_busy, reconcile, run
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.errors import ConfigurationError, LockLostError, RemovalGuardError, TransientError
from rubrica.settings import Settings
from tests.integration.pipeline.conftest import Ingest, take_over
from tests.support.command_line import CommandLine
from tests.support.git_repository import Repository

pytestmark = pytest.mark.integration

NAMES = ("а", "б", "в")


@pytest.fixture
def ingested(services: Services, repository: Repository, ingest: Ingest) -> Services:
    """Three documents, indexed."""
    for name in NAMES:
        repository.write(f"{name}.md", f"# Раздел {name}\n\nЛодку {name} красят весной.\n")
    repository.commit()
    ingest()
    return services


def ids(services: Services) -> list[str]:
    return sorted(services.store.chunk_ids(services.live.generation.collection))


def forget_in_catalog(services: Services, *names: str) -> None:
    """PostgreSQL loses documents that Milvus still has, as an old backup would."""
    for name in names:
        [document] = services.catalog.erasure.find(f"{name}.md")
        services.catalog.erasure.delete(document, services.catalog.erasure.traces(document))


def test_what_was_lost_is_found_again_by_a_search(ingested: Services) -> None:
    before = ids(ingested)
    ingested.store.delete(ingested.live.generation.collection, before)
    assert ingested.live.searcher.search("лодка", 5) == []
    done = reconcile(ingested, ReconcileRequest())
    assert done.as_dict() | {"seconds": 0} == {
        "missing": 3,
        "different": 0,
        "orphan": 0,
        "without_path": 0,
        "chunk_count": 0,
        "alias": 0,
        "collection": 0,
        "clean": False,
        "generations": (1,),
        "chunks": 3,
        "rows": 0,
        "guarded": (),
        "busy": (),
        "dry_run": False,
        "seconds": 0,
    }
    assert ids(ingested) == before
    assert len(ingested.live.searcher.search("лодка", 5)) == 3
    assert reconcile(ingested, ReconcileRequest()).clean


def test_the_guard_stops_before_anything_is_changed(ingested: Services) -> None:
    before = ids(ingested)
    forget_in_catalog(ingested, "а", "б")
    [kept] = ingested.catalog.chunks.ids(ingested.live.generation.id)
    row = ingested.store.fetch(ingested.live.generation.collection, [kept])[kept]
    ingested.store.update(ingested.live.generation.collection, [row | {"ordinal": 7}])
    with pytest.raises(RemovalGuardError, match=r"2 of 3 rows of the source 'norms'.*--allow-removals"):
        reconcile(ingested, ReconcileRequest())
    assert ids(ingested) == before
    assert ingested.store.fetch(ingested.live.generation.collection, [kept])[kept]["ordinal"] == 7

    looked = reconcile(ingested, ReconcileRequest(dry_run=True))
    assert (looked.guarded, dict(looked.found)) == (("norms",), {"orphan": 2, "different": 1})
    assert ids(ingested) == before
    reconcile(ingested, ReconcileRequest(allow_removals=True))
    assert ids(ingested) == [kept]


def test_a_source_under_work_is_left_alone_and_named(
    make_settings: Callable[..., Settings], ingested: Services
) -> None:
    ingested.store.delete(ingested.live.generation.collection, ids(ingested)[:1])
    with Services(make_settings(lock_timeout_s=0)) as services:
        services.catalog.locks.acquire("norms", "somebody", ttl_s=60)
        done = reconcile(services, ReconcileRequest())
        assert done.busy == ("norms",)
        with pytest.raises(TransientError, match="norms"):
            check_busy(done)
        assert len(ids(services)) == 2
        services.catalog.locks.release("norms", "somebody")
        assert not reconcile(services, ReconcileRequest()).busy
        assert len(ids(services)) == 3
        assert services.catalog.locks.owner("norms") is None


def test_an_ingestion_waits_until_a_source_is_mended(
    make_settings: Callable[..., Settings], ingested: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a row is written again, the source is locked against an ingestion that does not want to wait."""
    ingested.store.delete(ingested.live.generation.collection, ids(ingested)[:1])
    owners: list[str | None] = []
    update = ingested.store.update

    def watched(collection: str, rows: list[dict[str, object]]) -> None:
        owners.append(ingested.catalog.locks.owner("norms"))
        update(collection, rows)

    monkeypatch.setattr(ingested.store, "update", watched)
    reconcile(ingested, ReconcileRequest())
    assert owners
    assert all(owner and "reconcile__" in owner for owner in owners)
    ended = run_here(ingested, IngestRequest("norms"), new_run_id("norms"), lambda *_: None)
    assert ended["state"] == "success"


def _lose(services: Services) -> None:
    services.store.delete(services.live.generation.collection, ids(services))


def _change(services: Services) -> None:
    collection = services.live.generation.collection
    rows = services.store.fetch(collection, ids(services)).values()
    services.store.update(collection, [row | {"ordinal": 7} for row in rows])


def _orphan(services: Services) -> None:
    forget_in_catalog(services, *NAMES)


def _rows(services: Services) -> dict[str, Any]:
    return services.store.fetch(services.live.generation.collection, ids(services))


@pytest.mark.parametrize("damage", [_lose, _change, _orphan])
@pytest.mark.parametrize("write", [False, True])
def test_who_loses_a_source_stops_before_the_next_row_and_can_go_on(
    ingested: Services, monkeypatch: pytest.MonkeyPatch, damage: Callable[[Services], None], *, write: bool
) -> None:
    """The lock runs out while rows are looked at again, or after some of them were mended."""
    damage(ingested)
    before, mending = _rows(ingested), ReconcileRequest(allow_removals=True)
    monkeypatch.setattr(reconciling, "_MENDED", 1)
    steps = ("upsert", "update", "delete") if write else ("fetch",)
    with monkeypatch.context() as patch:
        for step in steps:
            patch.setattr(ingested.store, step, _losing(ingested, getattr(ingested.store, step)))
        with pytest.raises(LockLostError, match="lost the lock of 'norms'") as lost:
            reconcile(ingested, mending)
    assert "`rubrica reconcile` goes on" in lost.value.hint
    assert ingested.catalog.locks.owner("norms") == "another"
    changed = {id_ for id_ in before.keys() | _rows(ingested) if before.get(id_) != _rows(ingested).get(id_)}
    assert len(changed) == int(write)
    ingested.catalog.locks.release("norms", "another")
    done = reconcile(ingested, mending)
    assert sum(done.found.values()) == 3 - len(changed)
    assert reconcile(ingested, ReconcileRequest()).clean


def _losing(services: Services, act: Callable[..., Any]) -> Callable[..., Any]:
    """The same, after which the lock that a reconciliation held is another's."""

    def lose(collection: str, rows: Any) -> Any:
        done = act(collection, rows)
        if "reconcile__" in (services.catalog.locks.owner("norms") or ""):
            take_over(services, "norms", "reconcile")
        return done

    return lose


def test_every_generation_in_use_is_compared(ingested: Services) -> None:
    from indexing.generations import begin

    alias = ingested.settings.indexing.alias
    blueprint = ingested.live.blueprint
    building = begin(alias, ingested.catalog, ingested.store, ingested.live.embedder, blueprint)
    live = ingested.live.generation
    [document] = ingested.catalog.erasure.find("а.md")
    held = next(page for page in ingested.catalog.audit.pages(live.id))[0]
    ingested.catalog.indexed.save(building.id, held.document, [held.chunk], mark="m", config_sig="s")
    ingested.store.update(live.collection, [scalar_row(held.document, held.chunk) | {"language": "en"}])

    done = reconcile(ingested, ReconcileRequest(generation=building.number))
    assert (done.generations, dict(done.found)) == ((2,), {"missing": 1})
    done = reconcile(ingested, ReconcileRequest())
    assert (done.generations, dict(done.found)) == ((1, 2), {"different": 1})
    with pytest.raises(ConfigurationError, match="no generation 7"):
        reconcile(ingested, ReconcileRequest(generation=7))
    with pytest.raises(ConfigurationError, match="чужой"):
        reconcile(ingested, ReconcileRequest(source="чужой"))
    assert document.source == "norms"


def test_an_empty_index_agrees(services: Services) -> None:
    done = reconcile(services, ReconcileRequest())
    assert (done.generations, done.clean) == ((), True)


def test_the_commands(
    ingested: Services,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    services = ingested.settings.services
    for name, value in (
        ("HOME", str(tmp_path / "home")),
        ("POSTGRES_URL", services.postgres_url.get_secret_value()),
        ("REDIS_URL", services.redis_url.get_secret_value()),
        ("MILVUS_URI", services.milvus_uri),
        ("ALIAS", ingested.settings.indexing.alias),
    ):
        monkeypatch.setenv(f"RUBRICA_{name}", value)
    rubrica = CommandLine(monkeypatch, capsys)
    ingested.store.delete(ingested.live.generation.collection, ids(ingested)[:2])

    looked = rubrica("reconcile", "--dry-run", "--json")
    assert looked.code == 1
    *repairs, end = looked.objects
    assert {item["type"] for item in repairs} == {"repair"}
    assert {(item["kind"], item["count"], item["repaired"], item["generation"]) for item in repairs} == {
        ("missing", 1, False, 1)
    }
    assert {item["path"] for item in repairs} < {f"{name}.md" for name in NAMES}
    assert (end["type"], end["missing"], end["clean"]) == ("reconcile", 2, False)
    table = rubrica("reconcile")
    assert table.code == 0
    assert "2 rows were wrong" in table.out
    assert rubrica("reconcile", "--dry-run").out.startswith("PostgreSQL and Milvus agree on 3 chunks")
    assert rubrica("reconcile", "--generation", "9").code == 2

    refused = rubrica("forget", "а.md")
    assert (refused.code, refused.out) == (2, "")
    assert "--yes" in refused.err
    done = rubrica("forget", "а.md", "б.md", "--yes", "--exclude", "--json")
    assert done.code == 0
    *proofs, end = done.objects
    assert {item["path"] for item in proofs} == {"а.md", "б.md"}
    assert {item["after"] for item in proofs} == {0}
    assert (end["type"], end["proven"], end["left"]) == ("forget", True, 0)
    assert rubrica("forget", "а.md", "--yes").code == 2
    shown = rubrica("forget", "в.md", "--yes")
    assert shown.code == 0
    assert "Milvus, generation 1" in shown.out
    assert "brings it back" in shown.out
    assert run(ReconcileRequest())["clean"]
