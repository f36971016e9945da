"""An embedder that can be reckoned by hand, and a cache of vectors in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from chunking.vector_cache import VectorLookup
from rubrica.protocols import TokenCounter
from tests.support.chunking_parts import WordCounter


class BagEmbedder:
    """Sums up the vectors of the words; texts with the same words are the same.

    Like a real one it refuses what is longer than it reads, and it counts what it is asked.
    """

    name = "bag"
    revision = "1"
    dimension = 16

    def __init__(self, counter: TokenCounter | None = None) -> None:
        self.counter = counter or WordCounter()
        self.texts: list[str] = []
        self.calls = 0

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.calls += 1
        self.texts += texts
        for text in texts:
            assert self.counter.count(text) <= self.counter.limit, "longer than the model reads"
        return np.array([self.embed_query(text) for text in texts], dtype=np.float32).reshape(-1, 16)

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        total = np.sum([_word_vector(word) for word in text.lower().split() or [""]], axis=0)
        return np.asarray(total / np.linalg.norm(total), dtype=np.float32)


def _word_vector(word: str) -> npt.NDArray[np.float64]:
    key = hashlib.blake2b(word.strip(".,:;!?").encode("utf-8", "surrogatepass"), digest_size=16).digest()
    # Never zero, whatever the digest.
    return np.frombuffer(key, dtype=np.uint8).astype(np.float64) - 127.6


class MemoryVectors:
    """A vector cache in memory."""

    def __init__(self, dimension: int = BagEmbedder.dimension) -> None:
        self.kept: dict[tuple[str, bytes], npt.NDArray[np.float32]] = {}
        self._nothing = np.full(dimension, np.nan, dtype=np.float32)

    def read(self, namespace: str, keys: Sequence[bytes]) -> VectorLookup:
        rows = [self.kept.get((namespace, key), self._nothing) for key in keys]
        vectors = np.array(rows, dtype=np.float32).reshape(len(keys), len(self._nothing))
        return VectorLookup(vectors, np.zeros(len(keys), dtype=np.bool_))

    def write(
        self, namespace: str, keys: Sequence[bytes], vectors: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.bool_]:
        self.kept.update({(namespace, key): row.copy() for key, row in zip(keys, vectors, strict=True)})
        return np.zeros(len(keys), dtype=np.bool_)

    def close(self) -> None:
        """Nothing is open."""
