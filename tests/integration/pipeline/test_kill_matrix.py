"""Killed anywhere, a retry ends where a clean build ends, and nothing that stays is ever lost.

Every test kills a process (−9) in the middle of a commit's ingestion, looks at what a reader finds then,
does the run again and compares Milvus and PostgreSQL with an index that was built from the head at once.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pipeline.ingestion import new_run_id
from tests.support.kill_rig import (
    STAYING,
    WORDS,
    MakeRig,
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
_INDEXED = "indexing.catalog.indexed:IndexedDocuments"
_DOCUMENTS = "indexing.catalog.documents:Documents"

INDEXING = [
    KillPoint("pipeline.steps.detect_step:compare", "after"),
    KillPoint(f"{_DOCUMENTS}.move", "before"),
    KillPoint(f"{_DOCUMENTS}.move", "after"),
    KillPoint(f"{_DOCUMENTS}.register", "after"),
    KillPoint("pipeline.artefacts:RunFolder.write_plan", "after"),
    KillPoint("pipeline.steps.extract_step:write_document", "after"),
    KillPoint("pipeline.steps.chunk_step:write_chunks", "after"),
    KillPoint(f"{_STORE}.upsert", "before"),
    KillPoint(f"{_STORE}.upsert", "after"),
    KillPoint(f"{_STORE}.upsert", "after", nth=2),
    KillPoint("indexing.writer:IndexWriter._verify", "after"),
    KillPoint(f"{_STORE}.update", "after"),
    KillPoint("indexing.writer:IndexWriter._delete", "before"),
    KillPoint(f"{_STORE}.delete", "after"),
    KillPoint(f"{_INDEXED}.save", "before"),
    KillPoint(f"{_INDEXED}.save", "after"),
    KillPoint(f"{_INDEXED}.save", "after", nth=2),
    KillPoint(f"{_INDEXED}.finish", "before"),
    KillPoint(f"{_INDEXED}.finish", "after"),
    KillPoint(f"{_INDEXED}.clear", "before"),
    KillPoint(f"{_INDEXED}.clear", "after"),
]
RETIRING = [
    KillPoint("indexing.writer:IndexWriter.remove_document", "before"),
    KillPoint(f"{_INDEXED}.remove", "before"),
    KillPoint(f"{_INDEXED}.remove", "after"),
    KillPoint("indexing.writer:IndexWriter.settle", "before"),
    KillPoint("pipeline.steps.verdict_step:_finish_green", "before"),
    KillPoint("indexing.catalog.sources:Sources.set_last_revision", "after"),
    KillPoint("indexing.catalog.runs:Runs.finish", "after"),
]


@pytest.fixture(scope="module")
def make_rig(
    postgres_url: str, redis_url: str, milvus_uri: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MakeRig]:
    with rigs(postgres_url, redis_url, milvus_uri, tmp_path_factory.mktemp("kill")) as make:
        yield make


@pytest.fixture(scope="module")
def clean(make_rig: MakeRig) -> list[Row]:
    """What one ingestion of the head gives."""
    rig = make_rig("clean")
    first_commit(rig.repository)
    second_commit(rig.repository)
    assert rig.ingest()["failed"] <= 1
    assert_consistent(rig.services)
    rows = contents(rig.services)
    assert len(rows) > len(WORDS)
    return rows


@pytest.mark.parametrize("point", [*INDEXING, *RETIRING], ids=str)
def test_killed_ingestion_converges(point: KillPoint, make_rig: MakeRig, clean: list[Row]) -> None:
    rig = make_rig()
    first_commit(rig.repository)
    rig.ingest()
    second_commit(rig.repository)
    run_id = new_run_id("norms")
    run_and_die(point, {"do": "ingest", "source": "norms", "run_id": run_id}, rig.environment)
    assert_found(rig.services, STAYING)
    rig.ingest(run_id)
    assert_found(rig.services, WORDS)
    assert_consistent(rig.services)
    assert contents(rig.services) == clean
