"""Vectors of texts that were embedded before, in Redis.

A vector is stored in float32, bit for bit as the embedder gave it: what a first run computes with is
what a later run reads, so no result depends on what is cached. Float16 would halve the memory, but a
caller would have to round each vector before its first use, and one that forgets gets other chunks on
its second run.

The cache is never needed: whatever goes wrong is a miss.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from chunking.cache.layout import KEY_BYTES
from chunking.cache.link import PAUSE_S, RedisLink
from chunking.cache.store import EpochStore
from rubrica.protocols import Embedder

VECTOR_CACHE_MB = 512
"""Most MiB of Redis' memory for vectors: some 290,000 of 384 numbers."""

_VALUE = np.dtype("<f4")
_ENTRY_BYTES = 130
"""What a vector costs beside its numbers: field, value header, table."""
_ALLOCATION = 1.17
"""Redis' allocator rounds 1,540 bytes up to 1,792."""


Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class VectorLookup:
    """What the cache knows.

    Attributes:
        vectors: Float32 ``[keys, dimension]``; a row of NaN where none is stored.
        failed: Where the cache could not be asked, bool ``[keys]``.
    """

    vectors: npt.NDArray[np.float32]
    failed: Mask

    @property
    def missing(self) -> npt.NDArray[np.int64]:
        """Numbers of the keys without a vector."""
        return np.flatnonzero(~np.isfinite(self.vectors).all(axis=1))


class VectorCache(Protocol):
    """Remembers vectors."""

    def read(self, namespace: str, keys: Sequence[bytes]) -> VectorLookup:
        """Look vectors up.

        Args:
            namespace: Everything but the text that can change a vector: the embedder's name and
                revision, and whether the text is a query or a passage.
            keys: Digests from ``text_key``.
        """
        ...

    def write(self, namespace: str, keys: Sequence[bytes], vectors: npt.NDArray[np.float32]) -> Mask:
        """Store vectors ``[len(keys), dimension]``; a row that holds no numbers is not stored.

        Returns:
            Where that failed, bool ``[keys]``.
        """
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class NoVectorCache:
    """Remembers nothing."""

    def __init__(self, dimension: int) -> None:
        """Prepare a cache for vectors of a length."""
        self._dimension = dimension

    def read(self, namespace: str, keys: Sequence[bytes]) -> VectorLookup:  # noqa: ARG002 - a protocol's method
        """Nothing is known, and nothing was asked."""
        vectors = np.full((len(keys), self._dimension), np.nan, dtype=np.float32)
        return VectorLookup(vectors, np.zeros(len(keys), dtype=np.bool_))

    def write(self, namespace: str, keys: Sequence[bytes], vectors: npt.NDArray[np.float32]) -> Mask:  # noqa: ARG002
        """Nothing is stored, and nothing fails."""
        return np.zeros(len(keys), dtype=np.bool_)

    def close(self) -> None:
        """Nothing is open."""


class RedisVectorCache:
    """Vectors in Redis, which may be slow, full or gone at any time."""

    def __init__(
        self,
        url: str,
        dimension: int,
        *,
        days: int,
        megabytes: int = VECTOR_CACHE_MB,
        pause_s: float = PAUSE_S,
        clock: Callable[[], float] = time.time,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare a cache; nothing is connected yet.

        Args:
            url: ``redis://``, ``rediss://`` or ``unix://``.
            dimension: Length of a vector.
            days: Days that an unused vector is kept at least.
            megabytes: Most memory that vectors take, in MiB.
            pause_s: Seconds without a try after a first error.
            clock: Seconds since 1970.
            timer: Seconds that never go back.

        Raises:
            ConfigurationError: The URL is not one of Redis.
        """
        self._dimension = dimension
        self.link = RedisLink(url, "vector_cache", pause_s=pause_s, timer=timer)
        size = dimension * _VALUE.itemsize
        self._store = EpochStore(
            self.link,
            "vectors",
            value_bytes=size,
            days=days,
            capacity=int(megabytes * 2**20 / (size * _ALLOCATION + _ENTRY_BYTES)),
            clock=clock,
        )

    def read(self, namespace: str, keys: Sequence[bytes]) -> VectorLookup:
        """Look vectors up."""
        found = self._store.read(self._own(namespace), keys)
        vectors = np.full((len(keys), self._dimension), np.nan, dtype=np.float32)
        for i, value in found.values.items():
            vectors[i] = np.frombuffer(value, dtype=_VALUE)
        vectors[~np.isfinite(vectors).all(axis=1)] = np.nan
        return VectorLookup(vectors, found.failed)

    def write(self, namespace: str, keys: Sequence[bytes], vectors: npt.NDArray[np.float32]) -> Mask:
        """Store vectors; returns where that failed.

        Raises:
            ValueError: The vectors do not have the cache's dimension.
        """
        if vectors.shape != (len(keys), self._dimension):
            raise ValueError(f"{vectors.shape} is not ({len(keys)}, {self._dimension}).")
        good = np.flatnonzero(np.isfinite(vectors).all(axis=1)).tolist()
        values = [vectors[i].astype(_VALUE).tobytes() for i in good]
        failed = np.zeros(len(keys), dtype=np.bool_)
        failed[good] = self._store.write(self._own(namespace), [keys[i] for i in good], values)
        return failed

    def delete(self, namespace: str, keys: Sequence[bytes]) -> None:
        """Forget vectors; ``read`` tells whether that worked."""
        self._store.delete(self._own(namespace), keys)

    def close(self) -> None:
        """Close the connection."""
        self.link.close()

    def _own(self, namespace: str) -> str:
        return f"{self._dimension};{namespace}"


def build_vector_cache(
    redis_url: str, dimension: int, days: int, *, megabytes: int = VECTOR_CACHE_MB
) -> VectorCache:
    """The cache at a URL; an empty URL gives one that remembers nothing.

    Args:
        redis_url: Redis of the caches.
        dimension: Length of a vector.
        days: Days that an unused vector is kept at least.
        megabytes: Most memory that vectors take, in MiB.

    Raises:
        ConfigurationError: The URL is not one of Redis.
    """
    if not redis_url:
        return NoVectorCache(dimension)
    return RedisVectorCache(redis_url, dimension, days=days, megabytes=megabytes)


def passage_namespace(embedder: Embedder) -> str:
    """All but the text that can change the vector of a passage."""
    return f"{embedder.name};{embedder.revision};{embedder.dimension};passage"


def text_key(text: str) -> bytes:
    """Digest of a text (BLAKE2b, 96 bits)."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()
