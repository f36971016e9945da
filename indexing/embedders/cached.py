"""An embedder that asks a cache first: what was embedded once is not embedded again.

A vector that is read is the one that was written, bit for bit. Where a model's last bits depend on what else
is in its batch, the cache holds what was computed first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from chunking.vector_cache import VectorCache, build_vector_cache, passage_namespace, text_key
from rubrica.protocols import Embedder, TokenCounter

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbedCounts:
    """What embedding some passages cost.

    Attributes:
        embedded: Texts that went through the model.
        cache_hits: Vectors that did not have to be computed, those of repeated texts included.
        cache_misses: Texts that a cache was asked for in vain, for whatever reason.
        cache_errors: Texts that the cache could not be asked for, or not told about.
    """

    embedded: int = 0
    cache_hits: int = 0
    cache_misses: int = 0
    cache_errors: int = 0

    def __add__(self, other: EmbedCounts) -> EmbedCounts:
        """Both together."""
        return EmbedCounts(
            self.embedded + other.embedded,
            self.cache_hits + other.cache_hits,
            self.cache_misses + other.cache_misses,
            self.cache_errors + other.cache_errors,
        )


class CachedEmbedder:
    """Looks passages up before it embeds them; queries always go to the model.

    The cache may be slow, full or gone: what it does not give is embedded.
    """

    def __init__(self, embedder: Embedder, open_cache: Callable[[int], VectorCache]) -> None:
        """Put the parts together; nothing is loaded or opened yet.

        Args:
            embedder: Computes what the cache does not know.
            open_cache: Opens the cache for vectors of a length, on first use: some models are loaded to
                learn it.
        """
        self._embedder = embedder
        self._open_cache = open_cache

    @property
    def name(self) -> str:
        """Model name."""
        return self._embedder.name

    @property
    def revision(self) -> str:
        """Identity of the weights, prefix, pooling and normalisation."""
        return self._embedder.revision

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._embedder.dimension

    @property
    def counter(self) -> TokenCounter:
        """The embedder's own tokenizer."""
        return self._embedder.counter

    def embed_query(self, text: str) -> Vectors:
        """Embed a query to an array ``[dimension]`` of length 1."""
        return self._embedder.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages to an array ``[len(texts), dimension]``; rows have length 1.

        Raises:
            LimitExceededError: A passage is longer than the model reads.
        """
        return self.embed_counted(texts)[0]

    def embed_counted(self, texts: Sequence[str]) -> tuple[Vectors, EmbedCounts]:
        """The same, and what it cost.

        Raises:
            LimitExceededError: A passage is longer than the model reads.
        """
        keys = [text_key(text) for text in texts]
        different = dict(zip(keys, texts, strict=True))
        vectors, counts = self._resolve(list(different), list(different.values()))
        place = {key: i for i, key in enumerate(different)}
        repeated = EmbedCounts(cache_hits=len(texts) - len(different))
        return vectors[np.array([place[key] for key in keys], dtype=np.int64)], counts + repeated

    def close(self) -> None:
        """Close the cache, if it was opened."""
        if "_cache" in self.__dict__:
            self._cache.close()

    @cached_property
    def _cache(self) -> VectorCache:
        return self._open_cache(self.dimension)

    def _resolve(self, keys: list[bytes], texts: list[str]) -> tuple[Vectors, EmbedCounts]:
        """Vectors of different texts."""
        namespace = passage_namespace(self._embedder)
        found = self._cache.read(namespace, keys)
        vectors, failed, missing = found.vectors, found.failed.copy(), found.missing
        if len(missing):
            vectors[missing] = self._embedder.embed_passages([texts[i] for i in missing])
            failed[missing] |= self._cache.write(namespace, [keys[i] for i in missing], vectors[missing])
        new = len(missing)
        return vectors, EmbedCounts(new, len(keys) - new, new, int(failed.sum()))


def cached_embedder(embedder: Embedder, redis_url: str, *, days: int, megabytes: int) -> CachedEmbedder:
    """An embedder with its vectors cached in Redis; an address that is not Redis' shows on first use.

    Args:
        embedder: Computes what the cache does not know.
        redis_url: Redis of the caches.
        days: Days that an unused vector is kept at least.
        megabytes: Most memory that vectors take, in MiB.
    """
    return CachedEmbedder(
        embedder, lambda dimension: build_vector_cache(redis_url, dimension, days, megabytes=megabytes)
    )


def embed_counted(embedder: Embedder, texts: Sequence[str]) -> tuple[Vectors, EmbedCounts]:
    """Embed passages, with or without a cache, and tell what it cost.

    Raises:
        LimitExceededError: A passage is longer than the model reads.
    """
    if isinstance(embedder, CachedEmbedder):
        return embedder.embed_counted(texts)
    return embedder.embed_passages(texts), EmbedCounts(embedded=len(texts))
