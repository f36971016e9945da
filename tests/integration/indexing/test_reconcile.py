"""Reconcile: whatever is planted in Milvus or lost from it, both sides agree afterwards."""

from __future__ import annotations

import threading
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexing.catalog import Catalog, Generation
from indexing.catalog.generations import GenerationState
from indexing.generations import Blueprint, begin, ensure_live, generation_config
from indexing.reconcile import Reconciler, Repair, Trouble
from indexing.store.rows import full_row, scalar_row
from indexing.store.store import MAX_HITS, VectorStore
from indexing.writer import IndexWriter
from rubrica.errors import GenerationMismatchError
from rubrica.model import Chunk, Document, SourceSpec
from tests.support.indexing import DigestEmbedder, make_chunks, make_document

pytestmark = pytest.mark.integration


@dataclass
class Index:
    """An index whose two sides a test can take apart."""

    catalog: Catalog
    store: VectorStore
    generation: Generation
    embedder: DigestEmbedder = field(default_factory=DigestEmbedder)
    repairs: list[Repair] = field(default_factory=list)

    @property
    def collection(self) -> str:
        return self.generation.collection

    def add(self, path: str, paragraphs: Sequence[str], source: str = "norms", **parts: Any) -> Document:
        id_ = self.catalog.documents.register(source, [path])[path]
        document = make_document(id_, paragraphs, path=path, source=source, **parts)
        writer = IndexWriter(self.catalog, self.store, self.embedder, self.generation)
        writer.write_document(document, make_chunks(document), mark="m", config_sig="sig")
        self.embedder.embedded.clear()
        return document

    def reconciler(self, hold: Any = lambda _: nullcontext(True), **options: Any) -> Reconciler:
        return Reconciler(
            self.catalog,
            self.store,
            lambda: self.embedder,
            self.generation,
            hold,
            report=self.repairs.append,
            **options,
        )

    def reconcile(self, **options: Any) -> dict[Trouble, int]:
        """Mend all; returns how many rows were wrong, by kind."""
        self.repairs.clear()
        reconciler = self.reconciler(**options)
        reconciler.mend(reconciler.survey())
        counts: Counter[Trouble] = Counter()
        for repair in self.repairs:
            counts[repair.kind] += repair.count
        return dict(counts)

    def stray(self, document: Document, chunk: Chunk) -> None:
        """Write a row that the catalog does not know."""
        row = full_row(document, chunk, self.embedder.embed_query(chunk.text))
        self.store.upsert(self.collection, [row])

    def assert_agrees(self, *documents: Document) -> None:
        """Milvus holds exactly the rows of these documents, field by field."""
        expected = {
            chunk.id: scalar_row(document, chunk) for document in documents for chunk in make_chunks(document)
        }
        assert set(self.store.chunk_ids(self.collection)) == set(expected)
        assert self.store.fetch(self.collection, list(expected)) == expected


@pytest.fixture(scope="module")
def alias() -> str:
    return f"rec_{uuid.uuid4().hex}"


@pytest.fixture
def index(catalog: Catalog, store: VectorStore, alias: str) -> Iterator[Index]:
    live = ensure_live(alias, catalog, store, DigestEmbedder())
    yield Index(catalog, store, live)
    store.create(live.collection, live.dimension)
    store.delete(live.collection, list(store.chunk_ids(live.collection)))


def paragraphs(count: int, name: str = "") -> list[str]:
    return [f"Абзац «{name}» \\ {number}" for number in range(count)]


# --- Each kind of trouble -------------------------------------------------------------------------


def test_what_agrees_is_left_alone(index: Index) -> None:
    document = index.add("a.md", paragraphs(5), attributes={"year": 2026, "знак": 'кавычки "', "x": 0.5})
    assert index.reconcile() == {}
    assert index.embedder.embedded == []
    index.assert_agrees(document)


def test_lost_chunks_are_embedded_again_from_the_catalog(index: Index) -> None:
    document, other = index.add("a.md", paragraphs(7)), index.add("b.md", paragraphs(3))
    lost = make_chunks(document)[2:5]
    index.store.delete(index.collection, [chunk.id for chunk in lost])

    assert index.reconcile() == {Trouble.MISSING: 3}
    assert index.repairs == [Repair(Trouble.MISSING, 3, "norms", "a.md", document.id)]
    assert sorted(index.embedder.embedded) == sorted(chunk.text for chunk in lost)
    index.assert_agrees(document, other)
    assert index.reconcile() == {}


def test_fields_are_corrected_in_place(index: Index) -> None:
    document = index.add("a.md", paragraphs(4), attributes={"year": 2026})
    wrong = [
        scalar_row(document, replace(make_chunks(document)[1], start=9_000, end=9_100, page_from=None)),
        scalar_row(replace(document, language="en", attributes={}), make_chunks(document)[3]),
    ]
    index.store.update(index.collection, wrong)

    assert index.reconcile() == {Trouble.DIFFERENT: 2}
    assert index.embedder.embedded == []
    index.assert_agrees(document)


def test_orphans_go_and_are_named(index: Index) -> None:
    document = index.add("a.md", paragraphs(6))
    stranger = make_document("f" * 32, paragraphs(2, "чужой"), source="nobody")
    for chunk in make_chunks(stranger):
        index.stray(stranger, chunk)
    old = make_document(document.id, ["Абзац прежней версии"])
    index.stray(old, make_chunks(old)[0])

    assert index.reconcile() == {Trouble.ORPHAN: 3}
    assert set(index.repairs) == {
        Repair(Trouble.ORPHAN, 1, "norms", "a.md", document.id),
        Repair(Trouble.ORPHAN, 2, "nobody", "", stranger.id),
    }
    index.assert_agrees(document)


def test_a_document_that_is_gone_leaves_both_sides(index: Index) -> None:
    gone, stays = index.add("a.md", paragraphs(5)), index.add("b.md", paragraphs(2))
    # Another generation was live when it was removed.
    index.catalog.indexed.remove(index.generation.id + 1000, [gone.id])
    assert index.catalog.indexed.orphans(index.generation.id, "norms") == [gone.id]

    assert index.reconcile() == {Trouble.WITHOUT_PATH: 5}
    assert index.repairs == [Repair(Trouble.WITHOUT_PATH, 5, "norms", "a.md", gone.id)]
    assert index.catalog.indexed.orphans(index.generation.id, "norms") == []
    assert index.catalog.chunks.ids(index.generation.id, gone.id) == set()
    index.assert_agrees(stays)


def test_a_wrong_number_of_chunks_lets_the_document_be_read_again(index: Index, database_url: str) -> None:
    document = index.add("a.md", paragraphs(4))
    index.add("b.md", paragraphs(2))
    with psycopg.connect(database_url) as connection:
        connection.execute("DELETE FROM chunks WHERE document_id = %s AND ordinal = 3", (document.id,))

    # What PostgreSQL has lost is an orphan in Milvus, and cannot be told from one.
    assert index.reconcile() == {Trouble.CHUNK_COUNT: 1, Trouble.ORPHAN: 1}
    marks = index.catalog.indexed.known_marks(index.generation.id, "norms", "sig")
    assert marks == {"a.md": "", "b.md": "m"}
    assert index.reconcile() == {}


def test_an_alias_that_points_elsewhere_is_led_back(index: Index) -> None:
    document = index.add("a.md", paragraphs(2))
    other = f"x_{uuid.uuid4().hex}"
    index.store.create(other, index.generation.dimension)
    index.store.point_alias(index.generation.alias, other)

    assert index.reconcile(dry_run=True) == {Trouble.ALIAS: 1}
    assert index.store.alias_target(index.generation.alias) == other
    assert index.reconcile() == {Trouble.ALIAS: 1}
    assert index.store.alias_target(index.generation.alias) == index.collection
    index.store.drop(other)
    index.assert_agrees(document)


def test_a_lost_collection_is_filled_from_the_catalog(index: Index) -> None:
    document, other = index.add("a.md", paragraphs(3)), index.add("b.md", paragraphs(4))
    aside = f"x_{uuid.uuid4().hex}"
    index.store.create(aside, index.generation.dimension)
    index.store.point_alias(index.generation.alias, aside)
    index.store.drop(index.collection)

    assert index.reconcile(dry_run=True) == {Trouble.COLLECTION: 7, Trouble.ALIAS: 1}
    assert not index.store.has(index.collection)
    assert index.reconcile() == {Trouble.COLLECTION: 7, Trouble.MISSING: 7, Trouble.ALIAS: 1}
    index.store.drop(aside)
    index.assert_agrees(document, other)


def test_vectors_of_another_model_are_not_mixed_in(index: Index) -> None:
    document = index.add("a.md", paragraphs(3))
    index.store.delete(index.collection, [make_chunks(document)[0].id])
    index.embedder.revision = "2"
    with pytest.raises(GenerationMismatchError, match="RUBRICA_EMBEDDER_REVISION"):
        index.reconcile()
    assert index.embedder.embedded == []


# --- What is asked for ----------------------------------------------------------------------------


def test_a_dry_run_reports_the_same_and_changes_nothing(index: Index) -> None:
    document, gone = index.add("a.md", paragraphs(6)), index.add("b.md", paragraphs(2))
    index.store.delete(index.collection, [make_chunks(document)[0].id])
    index.store.update(
        index.collection, [scalar_row(replace(document, language="en"), make_chunks(document)[1])]
    )
    old = make_document(document.id, ["Прежнее"])
    index.stray(old, make_chunks(old)[0])
    index.catalog.indexed.remove(index.generation.id + 1000, [gone.id])
    before = index.store.fetch(index.collection, list(index.store.chunk_ids(index.collection)))

    wrong = {Trouble.MISSING: 1, Trouble.DIFFERENT: 1, Trouble.ORPHAN: 1, Trouble.WITHOUT_PATH: 2}
    assert index.reconcile(dry_run=True) == wrong
    assert index.store.fetch(index.collection, list(index.store.chunk_ids(index.collection))) == before
    assert index.reconcile() == wrong
    index.assert_agrees(document)


def test_only_one_source_is_mended(index: Index) -> None:
    index.catalog.sources.register(SourceSpec("manuals", "folder", "/srv/manuals"))
    mine, theirs = index.add("a.md", paragraphs(3)), index.add("a.md", paragraphs(3), source="manuals")
    for document in (mine, theirs):
        index.store.delete(index.collection, [make_chunks(document)[0].id])
        old = make_document(document.id, ["Прежнее"], source=document.source)
        index.stray(old, make_chunks(old)[0])

    assert index.reconcile(source="manuals") == {Trouble.MISSING: 1, Trouble.ORPHAN: 1}
    assert {repair.source for repair in index.repairs} == {"manuals"}
    assert index.reconcile() == {Trouble.MISSING: 1, Trouble.ORPHAN: 1}
    index.assert_agrees(mine, theirs)


def test_the_survey_counts_what_would_be_removed(index: Index) -> None:
    index.add("a.md", paragraphs(6))
    gone = index.add("b.md", paragraphs(2))
    index.catalog.indexed.remove(index.generation.id + 1000, [gone.id])
    stranger = make_document("e" * 32, paragraphs(3), source="nobody")
    for chunk in make_chunks(stranger):
        index.stray(stranger, chunk)
    found = index.reconciler().survey()
    assert (found.rows, found.strays) == (Counter(norms=8, nobody=3), Counter(norms=2, nobody=3))
    mine = index.reconciler(source="norms").survey()
    assert (mine.rows, mine.strays) == (Counter(norms=8), Counter(norms=2))
    assert set(mine.seen) == {"norms"}


# --- Beside other writers -------------------------------------------------------------------------


def test_a_source_that_is_busy_is_left_alone(index: Index) -> None:
    index.catalog.sources.register(SourceSpec("manuals", "folder", "/srv/manuals"))
    mine, theirs = index.add("a.md", paragraphs(3)), index.add("a.md", paragraphs(3), source="manuals")
    lost = [make_chunks(document)[0].id for document in (mine, theirs)]
    index.store.delete(index.collection, lost)
    reconciler = index.reconciler(lambda source: nullcontext(source != "manuals"))
    reconciler.mend(reconciler.survey())
    assert reconciler.busy == {"manuals"}
    assert index.store.existing(index.collection, lost) == {lost[0]}


def test_what_a_run_writes_meanwhile_is_no_orphan(index: Index) -> None:
    """The catalog learns of the rows between the first look and the second, which the lock protects."""
    kept = index.add("a.md", paragraphs(3))
    id_ = index.catalog.documents.register("norms", ["b.md"])["b.md"]
    arriving = make_document(id_, paragraphs(4, "новый"), path="b.md")
    for chunk in make_chunks(arriving):
        index.stray(arriving, chunk)

    @contextmanager
    def hold(source: str) -> Iterator[bool]:
        index.catalog.indexed.save(
            index.generation.id, arriving, make_chunks(arriving), mark="m", config_sig="sig"
        )
        yield True

    reconciler = index.reconciler(hold)
    survey = reconciler.survey()
    assert survey.strays == Counter(norms=4)
    reconciler.mend(survey)
    assert index.repairs == []
    index.assert_agrees(kept, arriving)


def test_a_generation_that_is_not_live_waits_for_its_rebuild(
    catalog: Catalog, store: VectorStore, alias: str, index: Index
) -> None:
    embedder = DigestEmbedder()
    building = begin(alias, catalog, store, embedder, Blueprint({**generation_config(embedder), "new": True}))
    other = Index(catalog, store, building)
    document = other.add("a.md", paragraphs(3))
    store.delete(building.collection, [make_chunks(document)[0].id])
    mended = threading.Thread(target=other.reconcile)
    with catalog.exclusive(f"converge:{building.id}:{document.id}"):
        mended.start()
        mended.join(timeout=1.5)
        assert mended.is_alive()
        assert len(list(store.chunk_ids(building.collection))) == 2
    mended.join(timeout=30)
    other.assert_agrees(document)
    catalog.generations.end(building.id, GenerationState.DROPPED)
    store.drop(building.collection)
    # A generation that was dropped meanwhile is not made anew.
    other.reconcile()
    assert not store.has(building.collection)


def test_more_strays_than_are_remembered_go_too(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexing.reconcile._REMEMBERED", 5)
    monkeypatch.setattr("indexing.reconcile._BUFFERED", 3)
    monkeypatch.setattr("indexing.reconcile._PAGE_ROWS", 4)
    document = index.add("a.md", paragraphs(9))
    for number in range(4):
        stranger = make_document(f"{number:032}", paragraphs(4), source="norms")
        for chunk in make_chunks(stranger):
            index.stray(stranger, chunk)
    assert index.reconcile() == {Trouble.ORPHAN: 16}
    index.assert_agrees(document)


def test_orphans_of_many_documents_are_deleted_together(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    deleted: list[int] = []
    delete = VectorStore.delete

    def spy(store: VectorStore, collection: str, chunk_ids: Iterable[str]) -> int:
        deleted.append(delete(store, collection, chunk_ids))
        return deleted[-1]

    for number in range(5):
        stranger = make_document(f"{number:032}", paragraphs(2), source="norms")
        for chunk in make_chunks(stranger):
            index.stray(stranger, chunk)
    monkeypatch.setattr(VectorStore, "delete", spy)
    assert index.reconcile() == {Trouble.ORPHAN: 10}
    assert deleted == [10]
    assert {repair.count for repair in index.repairs} == {2}


# --- Any damage, and much of it -------------------------------------------------------------------


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lost=st.sets(st.integers(0, 11), max_size=6),
    moved=st.sets(st.integers(0, 11), max_size=6),
    strays=st.lists(st.sampled_from(['"', "\\", "я\n", "a b"]), unique=True, max_size=4),
)
def test_any_damage_is_mended_and_counted(
    index: Index, lost: set[int], moved: set[int], strays: list[str]
) -> None:
    documents = [index.add(f"{name}.md", paragraphs(6, name)) for name in "аб"]
    rows = [(document, chunk) for document in documents for chunk in make_chunks(document)]
    index.store.update(
        index.collection, [scalar_row(rows[i][0], replace(rows[i][1], ordinal=77)) for i in moved]
    )
    index.store.delete(index.collection, [rows[i][1].id for i in lost])
    for name in strays:
        stranger = make_document(name, [f"Чужое {name}"], source=name)
        index.stray(stranger, make_chunks(stranger)[0])

    found = index.reconcile()
    expected = {Trouble.MISSING: len(lost), Trouble.DIFFERENT: len(moved - lost), Trouble.ORPHAN: len(strays)}
    assert found == {kind: count for kind, count in expected.items() if count}
    index.assert_agrees(*documents)


def test_more_rows_than_milvus_answers_at_once(index: Index) -> None:
    """16,500 rows in Milvus: 500 the catalog has never heard of, and 600 it knows are not there."""
    documents = [_bulk(index, number, 200) for number in range(83)]
    rows = [(document, chunk) for document in documents for chunk in make_chunks(document)]
    kept, lost = rows[600:], {chunk.id for _, chunk in rows[:600]}
    strangers = [make_document(f"{number:032}", paragraphs(5), source="norms") for number in range(100)]
    orphans = [(document, chunk) for document in strangers for chunk in make_chunks(document)]
    vector = index.embedder.embed_query("текст")
    index.store.upsert(index.collection, (full_row(*pair, vector) for pair in [*kept, *orphans]))
    assert len(kept) + len(orphans) > MAX_HITS

    assert index.reconcile() == {Trouble.MISSING: 600, Trouble.ORPHAN: 500}
    assert len(index.embedder.embedded) == 600
    assert index.store.count(index.collection) == len(rows)
    assert index.store.existing(index.collection, list(lost)) == lost


def _bulk(index: Index, number: int, size: int) -> Document:
    """A document that only the catalog knows."""
    path = f"{number}.md"
    id_ = index.catalog.documents.register("norms", [path])[path]
    document = make_document(id_, paragraphs(size, path), path=path)
    index.catalog.indexed.save(
        index.generation.id, document, make_chunks(document), mark="m", config_sig="sig"
    )
    return document
