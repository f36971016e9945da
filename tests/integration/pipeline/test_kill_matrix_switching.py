"""Killed anywhere between two generations: readers always have one, and the next try ends clean."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from indexing.catalog.generations import Generation, GenerationState
from pipeline.reindexing.starting import new_run_id
from pipeline.reindexing.switching import roll_back
from tests.support.kill_rig import (
    STAYING,
    WORDS,
    MakeRig,
    Rig,
    Row,
    assert_consistent,
    assert_found,
    contents,
    first_commit,
    rigs,
    second_commit,
)
from tests.support.killing import KillPoint, run_and_die

pytestmark = pytest.mark.integration

_STORE = "indexing.store.store:VectorStore"
_GENERATIONS = "indexing.catalog.generations:Generations"
_INDEXED = "indexing.catalog.indexed:IndexedDocuments"
_SWITCHING = "pipeline.reindexing.switching"
_SHORTER = {"RUBRICA_MAX_TOKENS": "16"}
_DROPPING = _SHORTER | {"RUBRICA_SOAK_DAYS": "0", "RUBRICA_KEEP_GENERATIONS": "0"}

BUILDING = [
    KillPoint(f"{_GENERATIONS}.begin", "after"),
    KillPoint(f"{_STORE}.create", "after"),
    KillPoint(f"{_INDEXED}.claim", "after"),
    KillPoint(f"{_STORE}.upsert", "after", nth=2),
    KillPoint(f"{_INDEXED}.save", "after", nth=2),
    KillPoint("pipeline.reindexing.building:write_failures", "before"),
]
SWITCHING = [
    KillPoint(f"{_SWITCHING}:list_failures", "before"),
    KillPoint(f"{_SWITCHING}:make_live", "before"),
    KillPoint(f"{_GENERATIONS}.make_live", "after"),
    KillPoint(f"{_SWITCHING}:point_alias", "before"),
    KillPoint(f"{_SWITCHING}:point_alias", "after"),
    KillPoint("pipeline.reindexing.closing:release_lock", "before"),
]
DROPPING = [
    KillPoint(f"{_GENERATIONS}.end", "after"),
    KillPoint(f"{_GENERATIONS}.forget", "after"),
    KillPoint(f"{_STORE}.drop", "before"),
    KillPoint(f"{_STORE}.drop", "after"),
]
ROLLING_BACK = [
    KillPoint(f"{_SWITCHING}:make_live", "before"),
    KillPoint(f"{_SWITCHING}:point_alias", "before"),
]


@pytest.fixture(scope="module")
def make_rig(
    postgres_url: str, redis_url: str, milvus_uri: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MakeRig]:
    with rigs(postgres_url, redis_url, milvus_uri, tmp_path_factory.mktemp("kill")) as make:
        yield make


@contextmanager
def _under(rig: Rig, environment: dict[str, str]) -> Iterator[Rig]:
    """The index under settings that changed."""
    changed = rig.changed(**environment)
    with changed.services:
        yield changed


def _filled(rig: Rig) -> Rig:
    first_commit(rig.repository)
    rig.ingest()
    return rig


@pytest.fixture(scope="module")
def clean(make_rig: MakeRig) -> list[Row]:
    """What one ingestion with the new settings gives."""
    with _under(make_rig("clean"), _SHORTER) as rig:
        _filled(rig)
        assert_consistent(rig.services)
        return contents(rig.services)


def _assert_clean(rig: Rig, clean: list[Row]) -> None:
    """The new generation is live, is what a clean build gives, and the alias names it."""
    live = rig.services.live.generation
    assert live.number == 2
    assert contents(rig.services) == clean
    assert_found(rig.services, STAYING)
    assert_consistent(rig.services)
    assert rig.services.store.alias_target(live.alias) == live.collection


@pytest.mark.parametrize("point", [*BUILDING, *SWITCHING], ids=str)
def test_killed_rebuild_converges(point: KillPoint, make_rig: MakeRig, clean: list[Row]) -> None:
    old = _filled(make_rig())
    before = contents(old.services)
    with _under(old, _SHORTER) as rig:
        run_and_die(point, {"do": "reindex"}, rig.environment)
        assert_found(rig.services, STAYING)
        assert_consistent(rig.services)
        rig.reindex()
        _assert_clean(rig, clean)
        [soaking] = _in_state(rig, GenerationState.SOAKING)
        assert contents(rig.services, soaking) == before
        assert_consistent(rig.services, soaking)


@pytest.mark.parametrize("point", DROPPING, ids=str)
def test_killed_drop_is_finished(point: KillPoint, make_rig: MakeRig, clean: list[Row]) -> None:
    old = _filled(make_rig())
    collection = old.services.live.generation.collection
    with _under(old, _DROPPING) as rig:
        run_and_die(point, {"do": "reindex"}, rig.environment)
        _assert_clean(rig, clean)
        rig.reindex()
        _assert_clean(rig, clean)
        assert not rig.services.store.has(collection)
        assert [item.number for item in _in_state(rig, GenerationState.DROPPED)] == [1]


@pytest.mark.parametrize("point", ROLLING_BACK, ids=str)
def test_killed_rollback_is_finished(point: KillPoint, make_rig: MakeRig) -> None:
    old = _filled(make_rig())
    with _under(old, _SHORTER) as rig:
        rig.reindex()
        second_commit(rig.repository)
        rig.ingest()
        run_and_die(point, {"do": "rollback"}, rig.environment)
        assert_found(rig.services, WORDS)
        if rig.services.live.generation.number == 2:
            _roll_back(rig)
        rig.ingest()  # the next write puts the alias right
        live = rig.services.live.generation
        assert live.number == 1
        assert_found(rig.services, WORDS)
        assert_consistent(rig.services)
        assert {path for path, *_ in contents(rig.services)} == set(WORDS)


def _roll_back(rig: Rig) -> None:
    roll_back(rig.services, new_run_id())


def _in_state(rig: Rig, state: GenerationState) -> list[Generation]:
    known = rig.services.catalog.generations.all(rig.services.settings.indexing.alias)
    return [item for item in known if item.state == state]
