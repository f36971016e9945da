"""Vectors of passages: each different text is embedded once, and remembered."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from chunking.fragments import fragment
from chunking.strategies.parts import StrategyParts
from chunking.vector_cache import VectorCache, build_vector_cache, passage_namespace, text_key
from rubrica.errors import ConfigurationError
from rubrica.model import Stage
from rubrica.protocols import Embedder, NoProgress, Progress

Vectors = npt.NDArray[np.float64]

_SLICE = 64
"""Texts between two writes to the cache: what a killed task has to embed again at most."""


class PassageVectors:
    """Embeds the passages of many documents together."""

    def __init__(self, embedder: Embedder, cache: VectorCache, progress: Progress | None = None) -> None:
        """Put the parts together.

        Args:
            embedder: Turns texts into vectors.
            cache: Where vectors are kept.
            progress: Hears of every text that has its vector.
        """
        self._progress = progress or NoProgress()
        self._embedder = embedder
        self._cache = cache

    @property
    def signature(self) -> str:
        """All that can change a vector."""
        return passage_namespace(self._embedder)

    def fits(self, text: str) -> bool:
        """Whether the embedder reads a text to its end."""
        counter = self._embedder.counter
        return counter.count(text) <= counter.limit

    def clipped(self, text: str) -> str:
        """As much of the beginning of a text as the embedder reads."""
        if self.fits(text):
            return text
        start, end = next(fragment(text, (0, len(text)), self.fits))
        return text[start:end]

    def embed(self, documents: Sequence[Sequence[str]]) -> list[Vectors]:
        """Unit vectors of each document's texts, ``[texts, dimension]``, each different text embedded once.

        They are rounded to half precision, for the last bits of some models' vectors depend on what
        else was in the batch.

        Raises:
            ConfigurationError: The embedder gives vectors that are no numbers.
        """
        keys = [[text_key(text) for text in texts] for texts in documents]
        different = dict(zip(chain.from_iterable(keys), chain.from_iterable(documents), strict=True))
        place = {key: i for i, key in enumerate(different)}
        known = self._resolve(list(different), list(different.values()))
        rounded = known.astype(np.float16).astype(np.float64)
        rounded /= np.maximum(np.linalg.norm(rounded, axis=1, keepdims=True), np.finfo(np.float64).tiny)
        return [rounded[np.array([place[key] for key in own], dtype=np.int64)] for own in keys]

    def _resolve(self, keys: list[bytes], texts: list[str]) -> npt.NDArray[np.float32]:
        found = self._cache.read(self.signature, keys)
        vectors, missing = found.vectors, found.missing
        self._progress.advance(len(keys) - len(missing))
        for start in range(0, len(missing), _SLICE):
            part = missing[start : start + _SLICE]
            vectors[part] = self._embedder.embed_passages([texts[i] for i in part])
            if not np.isfinite(vectors[part]).all():
                raise ConfigurationError(
                    f"The embedder {self._embedder.name!r} gives vectors that are no numbers.",
                    stage=Stage.CHUNK,
                    hint="Choose another RUBRICA_EMBEDDER.",
                )
            self._cache.write(self.signature, [keys[i] for i in part], vectors[part])
            self._progress.advance(len(part))
        return vectors


def build_vectors(parts: StrategyParts) -> PassageVectors:
    """Vectors by the embedder of the index, cached in Redis where there is one.

    Raises:
        ConfigurationError: There is no embedder, or the URL is not one of Redis.
    """
    strategy = parts.settings.strategy
    if parts.embedder is None:
        raise ConfigurationError(
            f"RUBRICA_STRATEGY: `{strategy}` compares vectors, and no embedder is at hand.",
            stage=Stage.CHUNK,
            hint="Hand one in (`build_chunker(…, embedder=…)`), or choose another RUBRICA_STRATEGY.",
        )
    embedder = parts.embedder()
    days, megabytes = parts.settings.vector_cache_days, parts.settings.vector_cache_mb
    cache = build_vector_cache(parts.redis_url, embedder.dimension, days, megabytes=megabytes)
    return PassageVectors(embedder, cache, parts.progress)
