"""An index on real services that a test kills writers of, and what must hold of it at any moment."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from indexing.catalog import Generation
from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.reindexing import ReindexRequest, starting
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.settings import Settings
from tests.fixtures.databases import fresh_database
from tests.support.git_repository import Repository
from tests.support.killing import use_quick_parts

WORDS = {"edited.md": "якорь", "kept.md": "настил", "renamed.md": "лебёдка", "newer.md": "причал"}
"""A word that only this document has, whatever its version."""
STAYING = {path: word for path, word in WORDS.items() if path != "newer.md"}
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


def contents(services: Services, generation: Generation | None = None) -> list[Row]:
    """What a generation (the live one) holds: path, ordinal, start, end and text of every chunk."""
    generation, catalog = generation or services.live.generation, services.catalog
    rows = []
    for id_, path in sorted(catalog.documents.paths("norms").items(), key=lambda item: item[1]):
        chunks = catalog.chunks.of_document(generation.id, id_)
        rows += [(path, chunk.ordinal, chunk.start, chunk.end, chunk.text) for chunk in chunks]
    return rows


def assert_consistent(services: Services, generation: Generation | None = None) -> None:
    """Milvus holds exactly the chunks that PostgreSQL knows, each at the offsets that it knows."""
    generation = generation or services.live.generation
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

    def changed(self, **environment: str) -> Rig:
        """The same index under other settings, in services of their own, which the test closes."""
        merged = self.environment | environment
        return replace(self, services=Services(_settings(merged)), environment=merged)

    def reindex(self) -> dict[str, Any]:
        """Build a generation with the settings as they are, and let it go live without a gate."""
        return starting.run_here(
            self.services, ReindexRequest(gate=False), starting.new_run_id(), lambda *_: None
        )

    def ingest(self, run_id: str = "") -> dict[str, Any]:
        spec = declare_source(self.services, str(self.repository.path), SourceOptions(name="norms"))
        request = IngestRequest(spec.name, allow_removals=True)
        return run_here(self.services, request, run_id or new_run_id(spec.name), lambda *_: None)


MakeRig = Callable[..., Rig]


@contextmanager
def rigs(postgres_url: str, redis_url: str, milvus_uri: str, folder: Path) -> Iterator[MakeRig]:
    """What makes rigs, each with a database and an alias of its own; all embed by digests."""
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        use_quick_parts(patch.setattr)
        config = folder / "gitconfig"
        config.write_text("[user]\nname = Анна\nemail = anna@example.org\n")
        patch.setenv("GIT_CONFIG_GLOBAL", str(config))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")

        def make(name: str = "") -> Rig:
            name = name or uuid.uuid4().hex
            environment = {
                "RUBRICA_HOME": str(folder / name / "home"),
                "RUBRICA_POSTGRES_URL": stack.enter_context(fresh_database(postgres_url)),
                "RUBRICA_REDIS_URL": redis_url,
                "RUBRICA_MILVUS_URI": milvus_uri,
                "RUBRICA_ALIAS": f"k_{uuid.uuid4().hex}",
                "RUBRICA_STRATEGY": "recursive",
                "RUBRICA_MAX_TOKENS": "20",
                "RUBRICA_MIN_TOKENS": "4",
            }
            services = stack.enter_context(Services(_settings(environment)))
            return Rig(services, Repository(folder / name / "norms"), environment)

        yield make


def _settings(environment: Mapping[str, str]) -> Settings:
    values: dict[str, Any] = {
        name.removeprefix("RUBRICA_").lower(): value for name, value in environment.items()
    }
    return Settings(**values | {"home": Path(environment["RUBRICA_HOME"])})
