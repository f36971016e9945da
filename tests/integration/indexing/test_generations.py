from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from indexing.catalog import Catalog
from indexing.generations import ensure_live, generation_config
from indexing.store.store import VectorStore
from indexing.writer import IndexWriter
from rubrica.errors import GenerationMismatchError
from rubrica.settings import IndexingSettings
from tests.support.indexing import DigestEmbedder, make_chunks, make_document

pytestmark = pytest.mark.integration


@pytest.fixture
def settings() -> IndexingSettings:
    return IndexingSettings(alias=f"g_{uuid.uuid4().hex}")


class OtherRevision(DigestEmbedder):
    revision = "2"


class OtherModel(DigestEmbedder):
    name = "another"


def test_first_use_makes_collection_and_alias(
    catalog: Catalog, store: VectorStore, settings: IndexingSettings
) -> None:
    live = ensure_live(settings, catalog, store, DigestEmbedder())
    assert (live.number, live.state, live.collection) == (1, "live", f"{settings.alias}_g1")
    assert store.alias_target(settings.alias) == live.collection
    assert ensure_live(settings, catalog, store, DigestEmbedder()) == live


def test_parallel_first_uses_agree(
    database_url: str, catalog: Catalog, milvus_uri: str, settings: IndexingSettings
) -> None:
    def first(_: int) -> int:
        with Catalog(database_url) as own, VectorStore(milvus_uri) as store:
            return ensure_live(settings, own, store, DigestEmbedder()).id

    with ThreadPoolExecutor(3) as pool:
        assert len(set(pool.map(first, range(3)))) == 1
    assert len(catalog.generations.all(settings.alias)) == 1


def test_killed_first_build_is_finished_by_the_next(
    catalog: Catalog, store: VectorStore, settings: IndexingSettings
) -> None:
    embedder = DigestEmbedder()
    config = generation_config(embedder)
    begun = catalog.generations.begin(
        settings.alias, config, embedder=embedder.name, dimension=embedder.dimension
    )
    store.create(begun.collection, embedder.dimension)
    assert ensure_live(settings, catalog, store, embedder).id == begun.id
    assert [generation.state for generation in catalog.generations.all(settings.alias)] == ["live"]


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (OtherModel(), "RUBRICA_EMBEDDER was 'digest' and is 'another'"),
        (OtherRevision(), "was '1' and is '2'"),
    ],
)
def test_changed_embedder_is_refused_and_says_what_to_do(
    catalog: Catalog, store: VectorStore, settings: IndexingSettings, other: DigestEmbedder, named: str
) -> None:
    ensure_live(settings, catalog, store, DigestEmbedder())
    with pytest.raises(GenerationMismatchError, match=named) as caught:
        ensure_live(settings, catalog, store, other)
    assert "RUBRICA_ALIAS" in caught.value.hint
    assert store.alias_target(settings.alias) == f"{settings.alias}_g1"


def test_other_alias_indexes_everything_anew_and_the_first_stays(
    catalog: Catalog, store: VectorStore, settings: IndexingSettings
) -> None:
    first = ensure_live(settings, catalog, store, DigestEmbedder())
    [id_] = catalog.documents.register("norms", ["a.md"]).values()
    document = make_document(id_, ["один", "два"])
    writer = IndexWriter(catalog, store, DigestEmbedder(), first)
    writer.write_document(document, make_chunks(document), mark="m", config_sig="s")
    catalog.sources.set_last_revision(first.id, "norms", "r1")

    embedder = OtherModel()
    second = ensure_live(IndexingSettings(alias=f"{settings.alias}_2"), catalog, store, embedder)
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
    catalog: Catalog, store: VectorStore, settings: IndexingSettings
) -> None:
    [id_] = catalog.documents.register("norms", ["a.md"]).values()
    document = make_document(id_, ["один"])
    writers = []
    for alias in (settings.alias, f"{settings.alias}_2"):
        live = ensure_live(IndexingSettings(alias=alias), catalog, store, DigestEmbedder())
        writers.append((live, IndexWriter(catalog, store, DigestEmbedder(), live)))
        writers[-1][1].write_document(document, make_chunks(document), mark="m", config_sig="s")
    (first, first_writer), (second, second_writer) = writers
    first_writer.remove_document(id_)
    assert catalog.indexed.orphans(first.id, "norms") == []
    assert catalog.indexed.orphans(second.id, "norms") == [id_]
    second_writer.remove_document(id_)
    assert catalog.indexed.orphans(second.id, "norms") == []
    assert store.count(second.collection) == 0


def test_lost_alias_is_restored(catalog: Catalog, store: VectorStore, settings: IndexingSettings) -> None:
    live = ensure_live(settings, catalog, store, DigestEmbedder())
    store._call("drop_alias", settings.alias)
    assert ensure_live(settings, catalog, store, DigestEmbedder()) == live
    assert store.alias_target(settings.alias) == live.collection


def test_lost_collection_is_named(catalog: Catalog, store: VectorStore, settings: IndexingSettings) -> None:
    live = ensure_live(settings, catalog, store, DigestEmbedder())
    store._call("drop_alias", settings.alias)
    store.drop(live.collection)
    with pytest.raises(GenerationMismatchError, match=live.collection) as caught:
        ensure_live(settings, catalog, store, DigestEmbedder())
    assert "RUBRICA_MILVUS_URI" in caught.value.hint
