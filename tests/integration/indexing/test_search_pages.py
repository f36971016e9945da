from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexing.catalog import Catalog
from indexing.search import Filters, SearchMode, SearchOptions
from indexing.search.fusion import scaled
from indexing.store.store import ScoredId, VectorStore
from rubrica.errors import ConfigurationError
from rubrica.model import Hit
from tests.support.library import Library
from tests.support.vectors import BagEmbedder

pytestmark = pytest.mark.integration

# Many chunks are equal but for their document: ties are the rule, not the exception.
PARAGRAPHS = ["бетон класса В25", "бетон", "сталь", "бетон и сталь", "стены", "бетон", "сталь", "кирпич"]
QUERY = "бетон и сталь"


@pytest.fixture(scope="module")
def library(module_catalog: Catalog, either_store: VectorStore) -> Library:
    library = Library(module_catalog, either_store, BagEmbedder())
    for number in range(8):
        library.add(f"{number}.md", PARAGRAPHS)
    library.writer.settle()
    return library


def _skip_without_words(library: Library) -> None:
    if not library.store.capabilities.words:
        pytest.skip(f"Milvus {library.store.capabilities.server} has no BM25")


def shortest_first(query: str, texts: Sequence[str]) -> list[float]:
    return [-float(len(text)) for text in texts]


# --- Pages --------------------------------------------------------------------------------------


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    k=st.integers(1, 30),
    candidates=st.none() | st.integers(1, 70),
    mode=st.sampled_from([SearchMode.HYBRID, SearchMode.DENSE]),
    reranked=st.booleans(),
)
def test_pages_make_up_the_ranking(
    library: Library, k: int, candidates: int | None, mode: SearchMode, reranked: bool
) -> None:
    options = SearchOptions(k=k, mode=mode, candidates=candidates)
    reranker = shortest_first if reranked else None
    hits: list[Hit] = []
    while True:
        page = library.searcher.page(QUERY, replace(options, offset=len(hits)), reranker=reranker)
        hits += page.hits
        if page.next_offset is None:
            break
        assert page.next_offset == len(hits)
    ids = [hit.chunk_id for hit in hits]
    assert len(set(ids)) == len(ids) == page.total
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))
    beyond = library.searcher.page(QUERY, replace(options, offset=len(hits)), reranker=reranker)
    assert (beyond.results, beyond.next_offset) == ((), None)


def test_all_chunks_are_on_some_page(library: Library) -> None:
    page = library.searcher.page(QUERY, SearchOptions(k=100))
    assert (len(page.hits), page.total, page.next_offset) == (64, 64, None)
    assert page.generation == 1


def test_reranker_reads_the_best_candidates_only(library: Library) -> None:
    read: list[str] = []

    def note(query: str, texts: Sequence[str]) -> list[float]:
        assert query == QUERY
        read.extend(texts)
        return shortest_first(query, texts)

    best = library.searcher.search(QUERY, 12)
    page = library.searcher.page(QUERY, SearchOptions(k=3, candidates=12), reranker=note)
    assert sorted(read) == sorted(hit.text for hit in best)
    assert page.total == 12
    assert [hit.score for hit in page.hits] == sorted((-float(len(text)) for text in read), reverse=True)[:3]
    read.clear()
    library.searcher.search(QUERY, 60, reranker=note)
    assert len(read) == 60


def test_reranker_is_not_asked_about_nothing(library: Library) -> None:
    def fail(query: str, texts: Sequence[str]) -> list[float]:
        raise AssertionError

    filters = Filters(path="нет.md")
    assert library.searcher.search(QUERY, filters=filters, reranker=fail) == []


# --- Explanations -------------------------------------------------------------------------------


def test_fused_scores_are_explained(library: Library) -> None:
    _skip_without_words(library)
    page = library.searcher.page(QUERY, SearchOptions(k=100))
    by_meaning = library.searcher.search(QUERY, 100, mode=SearchMode.DENSE)
    by_words = library.searcher.search(QUERY, 100, mode=SearchMode.SPARSE)
    dense = {hit.chunk_id: (hit.rank, hit.score) for hit in by_meaning}
    sparse = {hit.chunk_id: (hit.rank, hit.score) for hit in by_words}
    assert 0 < len(sparse) < len(dense)
    meaning = scaled([ScoredId(hit.chunk_id, hit.score) for hit in by_meaning])
    words = scaled([ScoredId(hit.chunk_id, hit.score) for hit in by_words], lowest=0.0)
    for result in page.results:
        told = result.explanation
        assert (told.dense_rank, told.dense_score) == dense[result.hit.chunk_id]
        assert (told.bm25_rank, told.bm25_score) == sparse.get(result.hit.chunk_id, (None, None))
        mean = (meaning[result.hit.chunk_id] + words.get(result.hit.chunk_id, 0.0)) / 2
        assert result.hit.score == told.fused_score == pytest.approx(mean)
        assert told.rerank_score is None
        assert told.bm25_score is None or told.bm25_score > 0


def test_single_ranking_scores_itself(library: Library) -> None:
    page = library.searcher.page("бетон", SearchOptions(k=3, mode=SearchMode.DENSE), reranker=None)
    for result in page.results:
        assert result.hit.score == result.explanation.dense_score == pytest.approx(1, abs=1e-5)
        assert (result.explanation.bm25_rank, result.explanation.fused_score) == (None, None)


def test_reranked_hit_tells_its_former_scores_too(library: Library) -> None:
    [best] = library.searcher.page(QUERY, SearchOptions(k=1), reranker=shortest_first).results
    assert best.hit.score == best.explanation.rerank_score == -5
    assert best.explanation.dense_rank is not None


# --- Neighbours ---------------------------------------------------------------------------------


def test_neighbours_stand_around_the_hit(library: Library) -> None:
    filters = Filters(path="3.md")
    page = library.searcher.page("кирпич", SearchOptions(k=20, neighbours=2, filters=filters))
    assert len(page.results) == 8
    for result in page.results:
        place = next(i for i in range(8) if result.hit.start == _start(i))
        around = {item.distance: item.text for item in result.neighbours}
        expected = {i - place: PARAGRAPHS[i] for i in range(8) if i != place and abs(i - place) <= 2}
        assert around == expected
        assert list(around) == sorted(around)
    assert library.searcher.page("кирпич", SearchOptions(k=1)).results[0].neighbours == ()


def _start(place: int) -> int:
    return sum(len(text) + 2 for text in PARAGRAPHS[:place])


@pytest.mark.parametrize("neighbours", [-1, 51])
def test_too_many_neighbours_are_refused(library: Library, neighbours: int) -> None:
    with pytest.raises(ConfigurationError, match="neighbours"):
        library.searcher.page(QUERY, SearchOptions(neighbours=neighbours))


# --- A server without BM25 ----------------------------------------------------------------------


def test_without_words_a_hybrid_search_goes_by_meaning(library: Library) -> None:
    words = library.store.capabilities.words
    page = library.searcher.page(QUERY)
    assert page.mode == (SearchMode.HYBRID if words else SearchMode.DENSE)
    assert page.hits[0].text == QUERY
    if not words:
        with pytest.raises(ConfigurationError, match="cannot search by words"):
            library.searcher.search(QUERY, mode=SearchMode.SPARSE)
