from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexing.catalog import Catalog, Generation
from indexing.generations import ensure_live
from indexing.search import Searcher
from indexing.store.rows import scalar_row
from indexing.store.store import VectorStore
from indexing.writer import IndexWriter
from rubrica.errors import IndexVerificationError, LimitExceededError
from rubrica.model import Chunk, Document, Failure, Hit, Move, SourceFile, Stage, WriteStats
from tests.support.indexing import DigestEmbedder, make_chunks, make_document

pytestmark = pytest.mark.integration

OLD = ["Первый абзац", "Второй «абзац»", "Третий\\абзац", "Первый абзац", "Последний"]
NEW = ["Новое начало", 'Второй "абзац"', "Третий\\абзац", "Первый абзац", "Вставка", "Последний"]


@dataclass
class Index:
    """A writer with all that stands around it."""

    catalog: Catalog
    store: VectorStore
    embedder: DigestEmbedder
    live: Generation

    def writer(self, embed_batch: int = 32, **parts: Any) -> IndexWriter:
        used: dict[str, Any] = {"catalog": self.catalog, "store": self.store, "embedder": self.embedder}
        return IndexWriter(**used | parts, generation=self.live, embed_batch=embed_batch)

    def born(self, path: str) -> str:
        return self.catalog.documents.register("norms", [path])[path]

    def write(self, document: Document, writer: IndexWriter | None = None) -> WriteStats:
        used = writer or self.writer()
        return used.write_document(document, make_chunks(document), mark="m", config_sig="sig")

    def search(self, query: str, k: int = 5) -> list[Hit]:
        return Searcher(self.catalog, self.store, self.embedder, self.live.alias).search(query, k)

    def assert_holds_exactly(self, document: Document, chunks: Sequence[Chunk]) -> None:
        """PostgreSQL, Milvus and a clean build agree."""
        assert self.catalog.chunks.of_document(self.live.id, document.id) == list(chunks)
        found = sorted(self.store.chunk_ids(self.live.collection, document.id))
        assert found == sorted(chunk.id for chunk in chunks)
        expected = {chunk.id: scalar_row(document, chunk) for chunk in chunks}
        assert self.store.fetch(self.live.collection, list(expected)) == expected


@pytest.fixture(scope="module")
def store(either_store: VectorStore) -> VectorStore:
    return either_store


@pytest.fixture(scope="module")
def alias() -> str:
    return f"w_{uuid.uuid4().hex}"


@pytest.fixture
def index(catalog: Catalog, store: VectorStore, alias: str) -> Iterator[Index]:
    """An empty index; its collection is shared by all tests in turn, as making one takes a second."""
    embedder = DigestEmbedder()
    live = ensure_live(alias, catalog, store, embedder)
    yield Index(catalog, store, embedder, live)
    store.delete(live.collection, list(store.chunk_ids(live.collection)))


# --- One document -------------------------------------------------------------------------------


def test_second_write_changes_nothing(index: Index) -> None:
    document = make_document(index.born("a.md"), [f"Абзац {i}" for i in range(250)])
    assert index.write(document, index.writer(100)) == WriteStats(written=250, embedded=250)
    assert index.write(document, index.writer(100)) == WriteStats(kept=250)
    assert len(index.embedder.embedded) == 250
    index.assert_holds_exactly(document, make_chunks(document))


def test_edit_embeds_only_what_changed_and_corrects_offsets(index: Index) -> None:
    id_ = index.born("a.md")
    index.write(make_document(id_, OLD))
    index.embedder.embedded.clear()
    document = make_document(id_, NEW, title="Другой заголовок", attributes={"year": 2026})
    assert index.write(document) == WriteStats(written=3, kept=3, removed=2, embedded=3)
    assert sorted(index.embedder.embedded) == sorted(["Новое начало", 'Второй "абзац"', "Вставка"])
    index.assert_holds_exactly(document, make_chunks(document))
    assert index.catalog.indexed.known_marks(index.live.id, "norms", "sig") == {"a.md": "m"}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(versions=st.lists(st.lists(st.sampled_from("абвг"), max_size=6), min_size=2, max_size=4))
def test_every_version_equals_a_clean_build_and_embeds_only_new_text(
    index: Index, versions: list[list[str]]
) -> None:
    path = f"{uuid.uuid4().hex}.md"
    id_ = index.born(path)
    before: set[str] = set()
    for paragraphs in versions:
        document = make_document(id_, paragraphs, path=path)
        chunks = make_chunks(document)
        stats = index.write(document)
        now = {chunk.id for chunk in chunks}
        assert stats == WriteStats(len(now - before), len(now & before), len(before - now), len(now - before))
        index.assert_holds_exactly(document, chunks)
        before = now


def test_emptied_document_loses_its_chunks(index: Index) -> None:
    id_ = index.born("a.md")
    index.write(make_document(id_, OLD))
    empty = make_document(id_, [])
    assert index.write(empty) == WriteStats(removed=5)
    index.assert_holds_exactly(empty, [])
    assert index.catalog.indexed.counts(index.live.id) == {("norms", "indexed"): 1}


def test_cleared_document_stays_known(index: Index) -> None:
    id_ = index.born("a.md")
    index.write(make_document(id_, OLD))
    index.catalog.indexed.mark_failed(index.live.id, id_, mark="now empty", config_sig="sig")
    assert index.writer().clear_document(id_) == WriteStats(removed=5)
    index.assert_holds_exactly(make_document(id_, []), [])
    assert index.catalog.indexed.known_marks(index.live.id, "norms", "sig") == {"a.md": "now empty"}


def test_removed_document_leaves_nothing(index: Index) -> None:
    gone, stays = (make_document(index.born(path), OLD, path=path) for path in ("a.md", "b.md"))
    index.write(gone)
    index.write(stays)
    assert index.writer().remove_document(gone.id) == WriteStats(removed=5)
    assert index.writer().remove_document(gone.id) == WriteStats()
    index.assert_holds_exactly(gone, [])
    index.assert_holds_exactly(stays, make_chunks(stays))
    assert index.catalog.documents.ids_by_path("norms") == {"b.md": stays.id}


def test_success_resolves_failures(index: Index) -> None:
    id_ = index.born("a.md")
    index.catalog.failures.record(Failure("norms", "a.md", Stage.EXTRACT, "E", "bad"), document_id=id_)
    index.write(make_document(id_, OLD))
    assert index.catalog.failures.find() == []


def test_awkward_text_is_indexed_and_found(index: Index) -> None:
    path = 'имя "файла".md'
    paragraphs = ["Кавычка \" и ' и \\", "Перенос\nи\tтабуляция", "🏗 стройка", "—", "ы" * 40_000]
    document = make_document(index.born(path), paragraphs, path=path)
    index.write(document)
    index.assert_holds_exactly(document, make_chunks(document))
    hits = index.search("стройки")
    assert (path, "🏗 стройка") in {(hit.path, hit.text) for hit in hits}


def test_rename_touches_no_row_of_milvus(index: Index) -> None:
    document = make_document(index.born("старое имя.md"), OLD, path="старое имя.md", title="старое имя.md")
    index.write(document)
    ids = [chunk.id for chunk in make_chunks(document)]
    before = index.store.fetch(index.live.collection, ids)
    index.embedder.embedded.clear()
    move = Move("старое имя.md", SourceFile("папка/новое имя.md", "m", 1))
    index.catalog.documents.move(index.live.id, "norms", [move])
    assert index.store.fetch(index.live.collection, ids) == before
    assert index.embedder.embedded == []
    hits = index.search("последний абзац")
    assert {(hit.path, hit.title) for hit in hits} == {("папка/новое имя.md", "новое имя.md")}
    assert len(hits) == 5


def test_settled_index_holds_the_same(index: Index) -> None:
    document = make_document(index.born("a.md"), [f"Абзац {i}" for i in range(1_010)])
    writer = index.writer()
    index.write(document, writer)
    writer.settle()
    writer.settle()
    index.assert_holds_exactly(document, make_chunks(document))
    assert index.search("Абзац 1009", 1)[0].text == "Абзац 1009"
    edited = make_document(document.id, OLD)
    index.write(edited)
    index.assert_holds_exactly(edited, make_chunks(edited))


# --- When something goes wrong ------------------------------------------------------------------


class BrokenEmbedder(DigestEmbedder):
    """Works for some batches, then its service is gone."""

    def __init__(self, batches: int) -> None:
        super().__init__()
        self.left = batches

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.left -= 1
        if self.left < 0:
            raise ConnectionError("no embedder")
        return super().embed_passages(texts)


def test_old_version_stays_when_embedding_fails(index: Index) -> None:
    id_ = index.born("a.md")
    old = make_document(id_, OLD)
    index.write(old)
    with pytest.raises(ConnectionError):
        index.write(make_document(id_, NEW), index.writer(embedder=BrokenEmbedder(0)))
    index.assert_holds_exactly(old, make_chunks(old))
    assert {hit.text for hit in index.search("последний")} == set(OLD)


def test_what_was_embedded_before_a_failure_is_not_embedded_again(index: Index) -> None:
    document = make_document(index.born("a.md"), [f"Абзац {i}" for i in range(30)])
    with pytest.raises(ConnectionError):
        index.write(document, index.writer(1, embedder=BrokenEmbedder(20)))
    assert index.search("абзац") == []
    assert index.write(document) == WriteStats(written=14, kept=16, embedded=14)
    index.assert_holds_exactly(document, make_chunks(document))


def test_overlong_chunk_is_refused_before_anything_is_written(index: Index) -> None:
    document = make_document(index.born("a.md"), OLD)
    chunks = [replace(chunk, tokens=600) for chunk in make_chunks(document)]
    with pytest.raises(LimitExceededError, match="512") as caught:
        index.writer().write_document(document, chunks, mark="m", config_sig="s")
    assert (caught.value.document, caught.value.limit) == ("a.md", "RUBRICA_MAX_TOKENS")
    assert list(index.store.chunk_ids(index.live.collection)) == []


class KilledError(Exception):
    """The process ended here."""


class Tripwire:
    """Kills the writer at its n-th call of a service, before or after the call took effect."""

    def __init__(self, step: int, *, after: bool) -> None:
        self.left = step
        self.after = after

    def around(self, index: Index) -> dict[str, Any]:
        parts = {"catalog": index.catalog, "store": index.store, "embedder": index.embedder}
        return {name: _Wired(part, self) for name, part in parts.items()}

    def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self.left -= 1
        if self.left == 0 and not self.after:
            raise KilledError
        result = function(*args, **kwargs)
        if self.left == 0:
            raise KilledError
        return result


class _Wired:
    def __init__(self, part: Any, wire: Tripwire) -> None:
        self._part = part
        self._wire = wire

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._part, name)
        if name == "indexed":
            return _Wired(value, self._wire)
        if name in ("exclusive", "counter") or not callable(value):
            return value
        return lambda *args, **kwargs: self._wire.call(value, *args, **kwargs)


@pytest.mark.parametrize("after", [False, True])
def test_writer_killed_anywhere_converges(index: Index, after: bool) -> None:
    for step in range(1, 40):
        path = f"{step}.md"
        id_ = index.born(path)
        index.write(make_document(id_, OLD, path=path))
        document = make_document(id_, NEW, path=path)
        wire = Tripwire(step, after=after)
        try:
            index.write(document, index.writer(1, **wire.around(index)))
        except KilledError:
            index.write(document)
        index.assert_holds_exactly(document, make_chunks(document))
        if wire.left > 0:
            break
    assert wire.left > 0
    assert step > 8


@pytest.mark.parametrize("after", [False, True])
def test_removal_killed_anywhere_converges(index: Index, after: bool) -> None:
    for step in range(1, 10):
        document = make_document(index.born(f"{step}.md"), OLD, path=f"{step}.md")
        index.write(document)
        wire = Tripwire(step, after=after)
        try:
            index.writer(**wire.around(index)).remove_document(document.id)
        except KilledError:
            index.writer().remove_document(document.id)
        index.assert_holds_exactly(document, [])
        assert index.catalog.documents.ids_by_path("norms") == {}
        if wire.left > 0:
            break
    assert wire.left > 0
    assert step > 3


class ForgetfulStore:
    """A server that confirms a write and does not keep it."""

    def __init__(self, store: VectorStore) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def upsert(self, collection: str, rows: list[Any]) -> None:
        self._store.upsert(collection, rows[:-1])


def test_lost_write_is_noticed_before_anything_is_deleted(index: Index) -> None:
    id_ = index.born("a.md")
    old = make_document(id_, OLD)
    index.write(old)
    with pytest.raises(IndexVerificationError, match="5 of 6") as caught:
        index.write(make_document(id_, NEW), index.writer(store=ForgetfulStore(index.store)))
    assert caught.value.document == "a.md"
    assert index.catalog.chunks.of_document(index.live.id, id_) == make_chunks(old)
    assert {chunk.id for chunk in make_chunks(old)} <= set(index.store.chunk_ids(index.live.collection, id_))


# --- Side by side -------------------------------------------------------------------------------


def test_parallel_writers_lose_nothing(index: Index, database_url: str) -> None:
    paths = [f"{i}.md" for i in range(12)]
    ids = index.catalog.documents.register("norms", paths)
    documents = [make_document(ids[path], [f"{path} {i}" for i in range(9)], path=path) for path in paths]

    def work(share: list[Document]) -> None:
        with Catalog(database_url) as catalog, VectorStore(index.store.uri) as store:
            writer = IndexWriter(catalog, store, DigestEmbedder(), index.live, embed_batch=1)
            for document in share:
                index.write(document, writer)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, (documents[i::4] for i in range(4))))
    for document in documents:
        index.assert_holds_exactly(document, make_chunks(document))
    assert index.store.count(index.live.collection) == 108
