"""Killed anywhere, a retry ends where a clean build ends, and nothing that stays is ever lost.

Every test kills a process (−9) in the middle of a commit's ingestion, looks at what a reader finds then,
does the run again and compares Milvus and PostgreSQL with an index that was built from the head at once.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.settings import Settings
from tests.support.git_repository import Repository
from tests.support.killing import KillPoint, run_and_die, use_quick_embedder

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

_WORDS = {"edited.md": "якорь", "kept.md": "настил", "renamed.md": "лебёдка", "newer.md": "причал"}
"""A word that only this document has, whatever its version."""
_STAYING = {path: word for path, word in _WORDS.items() if path != "newer.md"}
"""The documents of the first commit that the second keeps."""


_FILLING = "Это правило действует на всех малых лодочных станциях."


def _text(word: str, *paragraphs: str) -> str:
    """A document whose paragraphs are each a chunk."""
    parts = [f"Здесь есть {word}. {paragraph} {_FILLING}" for paragraph in paragraphs]
    return "\n\n".join([f"# О чём: {word}", *parts]) + "\n"


def first_commit(repository: Repository) -> None:
    repository.write(
        "edited.md", _text("якорь", "Цепь проверяют весной.", "Груз весит 40 кг.", "Буй красный.")
    )
    repository.write("kept.md", _text("настил", "Зазор равен 8 мм.", "Доски из лиственницы."))
    repository.write("old name.md", _text("лебёдка", "Трос смазывают раз в три месяца."))
    repository.write("emptied.md", _text("катер", "Катер стоит у причала."))
    repository.write("removed.md", _text("фонарь", "Фонарь горит ночью."))
    repository.write("removed too.md", _text("спасжилет", "Жилеты висят на стене."))
    repository.commit("first")


def second_commit(repository: Repository) -> None:
    """An edit at the top, a rename, an emptied document, two removals and a new one."""
    repository.write(
        "edited.md", _text("якорь", "Новое в начале.", "Цепь проверяют весной.", "Груз весит 60 кг.")
    )
    repository.git("mv", "old name.md", "renamed.md")
    repository.write("emptied.md", "\n")
    repository.git("rm", "-q", "removed.md", "removed too.md")
    repository.write("newer.md", _text("причал", "Причал длиной 12 м."))
    repository.commit("second")


Row = tuple[str, int, int, int, str]


def contents(services: Services) -> list[Row]:
    """What PostgreSQL holds: path, ordinal, start, end and text of every chunk."""
    generation, catalog = services.live.generation, services.catalog
    rows = []
    for id_, path in sorted(catalog.documents.paths("norms").items(), key=lambda item: item[1]):
        chunks = catalog.chunks.of_document(generation.id, id_)
        rows += [(path, chunk.ordinal, chunk.start, chunk.end, chunk.text) for chunk in chunks]
    return rows


def assert_consistent(services: Services) -> None:
    """Milvus holds exactly the chunks that PostgreSQL knows, each at the offsets that it knows."""
    generation = services.live.generation
    known = services.catalog.chunks.ids(generation.id)
    held = list(services.store.chunk_ids(generation.collection))
    assert sorted(held) == sorted(known), "an orphan, a duplicate or a missing chunk"
    assert services.store.count(generation.collection) == len(known)
    rows = services.store.fetch(generation.collection, known)
    for id_ in services.catalog.documents.paths("norms"):
        for chunk in services.catalog.chunks.of_document(generation.id, id_):
            row = rows[chunk.id]
            assert (row["char_start"], row["char_end"]) == (chunk.start, chunk.end)


def assert_found(services: Services, words: dict[str, str]) -> None:
    """Each document is found by its word, in one version or the other."""
    for path, word in words.items():
        hits = services.live.searcher.search(word, k=50)
        assert any(word in hit.text for hit in hits), f"{path} is found in neither version"


@dataclass(frozen=True, slots=True)
class Rig:
    """A database, an alias and a repository of one test."""

    services: Services
    repository: Repository
    environment: dict[str, str]

    def ingest(self, run_id: str = "") -> dict[str, Any]:
        spec = declare_source(self.services, str(self.repository.path), SourceOptions(name="norms"))
        request = IngestRequest(spec.name, allow_removals=True)
        return run_here(self.services, request, run_id or new_run_id(spec.name), lambda *_: None)


MakeRig = Callable[[str], Rig]


@pytest.fixture(scope="module")
def make_rig(
    postgres_url: str, redis_url: str, milvus_uri: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MakeRig]:
    with pytest.MonkeyPatch.context() as patch, psycopg.connect(postgres_url, autocommit=True) as connection:
        use_quick_embedder(patch.setattr)
        folder = tmp_path_factory.mktemp("kill")
        config = folder / "gitconfig"
        config.write_text("[user]\nname = Анна\nemail = anna@example.org\n")
        patch.setenv("GIT_CONFIG_GLOBAL", str(config))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        made: list[tuple[Services, str]] = []

        def make(name: str) -> Rig:
            database = f"test_{uuid.uuid4().hex}"
            connection.execute(f"CREATE DATABASE {database}")
            environment = {
                "RUBRICA_HOME": str(folder / name / "home"),
                "RUBRICA_POSTGRES_URL": postgres_url.replace("/postgres?", f"/{database}?"),
                "RUBRICA_REDIS_URL": redis_url,
                "RUBRICA_MILVUS_URI": milvus_uri,
                "RUBRICA_ALIAS": f"k_{uuid.uuid4().hex}",
                "RUBRICA_STRATEGY": "recursive",
                "RUBRICA_MAX_TOKENS": "16",
                "RUBRICA_MIN_TOKENS": "4",
            }
            overrides = {key.removeprefix("RUBRICA_").lower(): value for key, value in environment.items()}
            services = Services(Settings(**overrides | {"home": Path(environment["RUBRICA_HOME"])}))
            made.append((services, database))
            return Rig(services, Repository(folder / name / "norms"), environment)

        yield make
        for services, database in made:
            with services:
                pass
            connection.execute(f"DROP DATABASE {database} WITH (FORCE)")


@pytest.fixture(scope="module")
def clean(make_rig: MakeRig) -> list[Row]:
    """What one ingestion of the head gives."""
    rig = make_rig("clean")
    first_commit(rig.repository)
    second_commit(rig.repository)
    assert rig.ingest()["failed"] <= 1
    assert_consistent(rig.services)
    rows = contents(rig.services)
    assert len(rows) > len(_WORDS)
    return rows


@pytest.mark.parametrize("point", [*INDEXING, *RETIRING], ids=str)
def test_killed_ingestion_converges(point: KillPoint, make_rig: MakeRig, clean: list[Row]) -> None:
    rig = make_rig(uuid.uuid4().hex)
    first_commit(rig.repository)
    rig.ingest()
    second_commit(rig.repository)
    run_id = new_run_id("norms")
    run_and_die(point, {"do": "ingest", "source": "norms", "run_id": run_id}, rig.environment)
    assert_found(rig.services, _STAYING)
    rig.ingest(run_id)
    assert_found(rig.services, _WORDS)
    assert_consistent(rig.services)
    assert contents(rig.services) == clean
