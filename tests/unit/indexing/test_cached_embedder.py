from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.vector_cache import NoVectorCache, passage_namespace, text_key
from indexing.embedders.cached import CachedEmbedder, EmbedCounts, embed_counted
from rubrica.errors import LimitExceededError
from tests.support.indexing import DigestEmbedder
from tests.support.vectors import MemoryVectors


def with_cache(embedder: DigestEmbedder, cache: MemoryVectors | None = None) -> CachedEmbedder:
    kept = cache or MemoryVectors(embedder.dimension)
    return CachedEmbedder(embedder, lambda _: kept)


@given(calls=st.lists(st.lists(st.sampled_from("абвгд"), max_size=7), max_size=5))
def test_vectors_are_those_of_the_model_in_order_and_each_text_is_embedded_once(
    calls: list[list[str]],
) -> None:
    plain, inner = DigestEmbedder(), DigestEmbedder()
    cached = with_cache(inner)
    total = EmbedCounts()
    for texts in calls:
        vectors, counts = embed_counted(cached, texts)
        assert vectors.dtype == np.float32
        assert vectors.shape == (len(texts), inner.dimension)
        if texts:
            assert vectors.tobytes() == plain.embed_passages(texts).tobytes()
        total += counts
    different = {text for texts in calls for text in texts}
    assert sorted(inner.embedded) == sorted(different)
    asked = sum(map(len, calls))
    assert total == EmbedCounts(len(different), asked - len(different), len(different), 0)


def test_a_model_is_not_asked_about_nothing() -> None:
    inner = DigestEmbedder()
    cached = with_cache(inner)
    cached.embed_passages(["а", "б"])
    inner.embedded.clear()
    cached.embed_passages(["б", "а", "б"])
    cached.embed_passages([])
    assert inner.embedded == []


def test_another_revision_knows_nothing() -> None:
    cache = MemoryVectors(DigestEmbedder.dimension)
    with_cache(DigestEmbedder(), cache).embed_passages(["а"])
    other = DigestEmbedder()
    other.revision = "2"
    with_cache(other, cache).embed_passages(["а"])
    assert other.embedded == ["а"]


def test_what_is_stored_as_no_number_is_embedded_again() -> None:
    cache, inner = MemoryVectors(DigestEmbedder.dimension), DigestEmbedder()
    damaged = np.full((1, inner.dimension), np.nan, dtype=np.float32)
    cache.write(passage_namespace(inner), [text_key("а")], damaged)
    vectors, counts = embed_counted(with_cache(inner, cache), ["а"])
    assert np.isfinite(vectors).all()
    assert counts == EmbedCounts(embedded=1, cache_misses=1)


class Refusing(NoVectorCache):
    """A full server: it is read from, and takes nothing."""

    def write(
        self, namespace: str, keys: Sequence[bytes], vectors: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.bool_]:
        return np.ones(len(keys), dtype=np.bool_)


def test_a_cache_that_takes_nothing_is_counted() -> None:
    inner = DigestEmbedder()
    cached = CachedEmbedder(inner, Refusing)
    for _ in range(2):
        assert embed_counted(cached, ["а", "б"])[1] == EmbedCounts(2, 0, 2, 2)
    assert len(inner.embedded) == 4


def test_an_embedder_without_a_cache_counts_only_what_it_embeds() -> None:
    vectors, counts = embed_counted(DigestEmbedder(), ["а", "а"])
    assert vectors.shape == (2, DigestEmbedder.dimension)
    assert counts == EmbedCounts(embedded=2)


def test_it_stands_for_the_embedder_that_it_holds() -> None:
    inner = DigestEmbedder()
    cached = with_cache(inner)
    own = (cached.name, cached.revision, cached.dimension, cached.counter)
    assert own == (inner.name, inner.revision, inner.dimension, inner.counter)
    assert np.array_equal(cached.embed_query("а"), inner.embed_query("а"))


def test_the_cache_is_opened_on_first_use_and_closed_if_it_was() -> None:
    opened: list[Closing] = []

    class Closing(MemoryVectors):
        closed = False

        def close(self) -> None:
            self.closed = True

    def open_cache(dimension: int) -> Closing:
        opened.append(Closing(dimension))
        return opened[-1]

    unused, used = (CachedEmbedder(DigestEmbedder(), open_cache) for _ in range(2))
    unused.embed_query("а")
    unused.close()
    assert opened == []
    used.embed_passages(["а"])
    used.embed_passages(["б"])
    used.close()
    assert [cache.closed for cache in opened] == [True]


class Short(DigestEmbedder):
    """Reads no more than three characters."""

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if any(len(text) > 3 for text in texts):
            raise LimitExceededError("too long", limit="RUBRICA_MAX_TOKENS")
        return super().embed_passages(texts)


def test_a_text_that_is_too_long_is_refused_and_nothing_is_kept() -> None:
    inner = Short()
    cached = with_cache(inner)
    with pytest.raises(LimitExceededError):
        cached.embed_passages(["абв", "слишком длинный"])
    assert embed_counted(cached, ["абв"])[1] == EmbedCounts(embedded=1, cache_misses=1)
