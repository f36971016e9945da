from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from indexing.catalog import Catalog
from indexing.catalog.generations import GenerationState
from indexing.generations import ensure_live, generation_config
from indexing.store.store import VectorStore
from indexing.writer import IndexWriter
from rubrica.errors import FatalError, GenerationMismatchError
from tests.support.indexing import DigestEmbedder, make_chunks, make_document

pytestmark = pytest.mark.integration


@pytest.fixture
def alias() -> str:
    return f"g_{uuid.uuid4().hex}"


class OtherRevision(DigestEmbedder):
    revision = "2"


class OtherModel(DigestEmbedder):
    name = "another"


def test_first_use_makes_collection_and_alias(catalog: Catalog, store: VectorStore, alias: str) -> None:
    live = ensure_live(alias, catalog, store, DigestEmbedder())
    assert (live.number, live.state, live.collection) == (1, "live", f"{alias}_g1")
    assert store.alias_target(alias) == live.collection
    assert ensure_live(alias, catalog, store, DigestEmbedder()) == live


def test_parallel_first_uses_agree(database_url: str, catalog: Catalog, milvus_uri: str, alias: str) -> None:
    def first(_: int) -> int:
        with Catalog(database_url) as own, VectorStore(milvus_uri) as store:
            return ensure_live(alias, own, store, DigestEmbedder()).id

    with ThreadPoolExecutor(3) as pool:
        assert len(set(pool.map(first, range(3)))) == 1
    assert len(catalog.generations.all(alias)) == 1


def test_killed_first_build_is_finished_by_the_next(catalog: Catalog, store: VectorStore, alias: str) -> None:
    embedder = DigestEmbedder()
    config = generation_config(embedder)
    begun = catalog.generations.begin(alias, config, embedder=embedder.name, dimension=embedder.dimension)
    store.create(begun.collection, embedder.dimension)
    assert ensure_live(alias, catalog, store, embedder).id == begun.id
    assert [generation.state for generation in catalog.generations.all(alias)] == ["live"]


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (OtherModel(), "RUBRICA_EMBEDDER was 'digest' and is 'another'"),
        (OtherRevision(), "was '1' and is '2'"),
    ],
)
def test_changed_embedder_is_refused_and_says_what_to_do(
    catalog: Catalog, store: VectorStore, alias: str, other: DigestEmbedder, named: str
) -> None:
    ensure_live(alias, catalog, store, DigestEmbedder())
    with pytest.raises(GenerationMismatchError, match=named) as caught:
        ensure_live(alias, catalog, store, other)
    assert "rubrica reindex" in caught.value.hint
    assert store.alias_target(alias) == f"{alias}_g1"


def test_other_alias_indexes_everything_anew_and_the_first_stays(
    catalog: Catalog, store: VectorStore, alias: str
) -> None:
    first = ensure_live(alias, catalog, store, DigestEmbedder())
    [id_] = catalog.documents.register("norms", ["a.md"]).values()
    document = make_document(id_, ["один", "два"])
    writer = IndexWriter(catalog, store, DigestEmbedder(), first)
    writer.write_document(document, make_chunks(document), mark="m", config_sig="s")
    catalog.sources.set_last_revision(first.id, "norms", "r1")

    embedder = OtherModel()
    second = ensure_live(f"{alias}_2", catalog, store, embedder)
    assert catalog.indexed.known_marks(second.id, "norms", "s") == {"a.md": ""}
    assert catalog.sources.last_revision(second.id, "norms") == ""
    IndexWriter(catalog, store, embedder, second).write_document(
        document, make_chunks(document), mark="m", config_sig="s"
    )
    assert len(embedder.embedded) == 2
    for generation in (first, second):
        assert catalog.indexed.known_marks(generation.id, "norms", "s") == {"a.md": "m"}
        assert store.count(generation.collection) == 2


def test_removal_reaches_the_other_index_on_its_next_run(
    catalog: Catalog, store: VectorStore, alias: str
) -> None:
    [id_] = catalog.documents.register("norms", ["a.md"]).values()
    document = make_document(id_, ["один"])
    writers = []
    for name in (alias, f"{alias}_2"):
        live = ensure_live(name, catalog, store, DigestEmbedder())
        writers.append((live, IndexWriter(catalog, store, DigestEmbedder(), live)))
        writers[-1][1].write_document(document, make_chunks(document), mark="m", config_sig="s")
    (first, first_writer), (second, second_writer) = writers
    first_writer.remove_document(id_)
    assert catalog.indexed.orphans(first.id, "norms") == []
    assert catalog.indexed.orphans(second.id, "norms") == [id_]
    second_writer.remove_document(id_)
    assert catalog.indexed.orphans(second.id, "norms") == []
    assert store.count(second.collection) == 0


def test_lost_alias_is_restored(catalog: Catalog, store: VectorStore, alias: str) -> None:
    live = ensure_live(alias, catalog, store, DigestEmbedder())
    store._call("drop_alias", alias)
    assert ensure_live(alias, catalog, store, DigestEmbedder()) == live
    assert store.alias_target(alias) == live.collection


def test_lost_collection_is_named(catalog: Catalog, store: VectorStore, alias: str) -> None:
    live = ensure_live(alias, catalog, store, DigestEmbedder())
    store._call("drop_alias", alias)
    store.drop(live.collection)
    with pytest.raises(GenerationMismatchError, match=live.collection) as caught:
        ensure_live(alias, catalog, store, DigestEmbedder())
    assert "RUBRICA_MILVUS_URI" in caught.value.hint


def test_begun_again_the_first_build_is_dropped(catalog: Catalog, alias: str) -> None:
    first, second = (
        catalog.generations.begin(alias, {"n": n}, embedder="e", dimension=8, settings={"n": n})
        for n in (1, 2)
    )
    assert [item.state for item in catalog.generations.all(alias)] == ["dropped", "building"]
    assert catalog.generations.building(alias) == second
    with pytest.raises(FatalError, match="was dropped"):
        catalog.generations.make_live(first.id)


def test_going_live_takes_the_progress_over_and_leaves_the_other_soaking(
    catalog: Catalog, alias: str
) -> None:
    first = catalog.generations.make_live(catalog.generations.begin(alias, {}, embedder="e", dimension=8).id)
    catalog.sources.set_last_revision(first.id, "norms", "r7")
    second = catalog.generations.begin(alias, {"n": 2}, embedder="e", dimension=8)
    assert catalog.sources.last_revision(second.id, "norms") == ""
    catalog.generations.note(second.id, "Behind.")
    live = catalog.generations.make_live(second.id)
    assert (live.state, live.note) == ("live", "")
    assert live.live_at is not None
    assert catalog.sources.last_revision(second.id, "norms") == "r7"
    soaking = catalog.generations.get(first.id)
    assert soaking is not None
    assert (soaking.state, soaking.ended_at is not None) == ("soaking", True)
    assert not catalog.generations.end(second.id, GenerationState.DROPPED)
    assert catalog.generations.end(first.id, GenerationState.DROPPED, note="It has soaked.")
    assert catalog.generations.live(alias) == live


def test_only_a_dropped_generation_is_forgotten(catalog: Catalog, store: VectorStore, alias: str) -> None:
    live = ensure_live(alias, catalog, store, DigestEmbedder())
    [id_] = catalog.documents.register("norms", ["a.md"]).values()
    document = make_document(id_, ["один", "два"])
    other = catalog.generations.begin(alias, {"n": 2}, embedder="e", dimension=8)
    for generation in (live, other):
        catalog.indexed.save(generation.id, document, make_chunks(document), mark="m", config_sig="s")
    assert catalog.generations.sizes(alias) == {live.id: (1, 2), other.id: (1, 2)}
    for generation in (live, other):
        catalog.generations.forget(generation.id)
    assert len(catalog.generations.sizes(alias)) == 2
    catalog.generations.end(other.id, GenerationState.DROPPED)
    catalog.generations.forget(other.id)
    assert catalog.generations.sizes(alias) == {live.id: (1, 2)}
