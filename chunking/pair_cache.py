"""Scores of pairs that were scored before, in Redis: 19 to 25 bytes a score, from 30,000 scores on.

The cache is never needed: whatever goes wrong is a miss and a count.
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
from chunking.scorers.base import Pair

PAIR_CACHE_MB = 512
"""Most MiB of Redis' memory for scores."""

_SCORE_BYTES = 28
"""Memory of a score at most, from some 30,000 scores on (``benchmarks/pair_cache.py``)."""

_VALUE = np.dtype("<f4")
_NOTHING = np.array([np.nan], dtype=_VALUE).tobytes()

Failed = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Lookup:
    """What the cache knows.

    Attributes:
        values: Scores, float32 ``[keys]``; NaN where none is stored.
        failed: Where the cache could not be asked, bool ``[keys]``.
        missed: Where a cache is there but gave no score, for whatever reason, bool ``[keys]``.
    """

    values: npt.NDArray[np.float32]
    failed: Failed
    missed: npt.NDArray[np.bool_]


class PairCache(Protocol):
    """Remembers scores."""

    def read(self, namespace: str, keys: Sequence[bytes]) -> Lookup:
        """Look scores up.

        Args:
            namespace: Everything but the pair that can change a score.
            keys: Digests from ``pair_key``.
        """
        ...

    def write(self, namespace: str, keys: Sequence[bytes], values: npt.NDArray[np.float32]) -> Failed:
        """Store scores that are numbers; returns where that failed."""
        ...


class NoCache:
    """Remembers nothing."""

    def read(self, namespace: str, keys: Sequence[bytes]) -> Lookup:  # noqa: ARG002 - a protocol's method
        """Nothing is known, and nothing was asked."""
        no = np.zeros(len(keys), dtype=np.bool_)
        return Lookup(np.full(len(keys), np.nan, dtype=np.float32), no, no)

    def write(self, namespace: str, keys: Sequence[bytes], values: npt.NDArray[np.float32]) -> Failed:  # noqa: ARG002
        """Nothing is stored, and nothing fails."""
        return np.zeros(len(keys), dtype=np.bool_)


def pair_key(pair: Pair) -> bytes:
    """Digest of the tokens of both sides (BLAKE2b, 96 bits)."""
    left, right = pair
    state = hashlib.blake2b(len(left).to_bytes(8, "little"), digest_size=KEY_BYTES)
    state.update(left.astype("<i4", copy=False).tobytes())
    state.update(right.astype("<i4", copy=False).tobytes())
    return state.digest()


class RedisPairCache:
    """Scores in Redis, which may be slow, full or gone at any time."""

    def __init__(
        self,
        url: str,
        *,
        days: int,
        megabytes: int = PAIR_CACHE_MB,
        pause_s: float = PAUSE_S,
        clock: Callable[[], float] = time.time,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare a cache; nothing is connected yet.

        Args:
            url: ``redis://``, ``rediss://`` or ``unix://``.
            days: Days that an unused score is kept at least.
            megabytes: Most memory that scores take, in MiB.
            pause_s: Seconds without a try after a first error.
            clock: Seconds since 1970.
            timer: Seconds that never go back.

        Raises:
            ConfigurationError: The URL is not one of Redis.
        """
        self.link = RedisLink(url, "pair_cache", pause_s=pause_s, timer=timer)
        capacity = megabytes * 2**20 // _SCORE_BYTES
        self._store = EpochStore(
            self.link, "pairs", value_bytes=_VALUE.itemsize, days=days, capacity=capacity, clock=clock
        )

    def read(self, namespace: str, keys: Sequence[bytes]) -> Lookup:
        """Look scores up."""
        found = self._store.read(namespace, keys)
        packed = b"".join(found.values.get(i, _NOTHING) for i in range(len(keys)))
        values = np.frombuffer(packed, dtype=_VALUE).astype(np.float32)
        values[~np.isfinite(values)] = np.nan
        return Lookup(values, found.failed, np.isnan(values))

    def write(self, namespace: str, keys: Sequence[bytes], values: npt.NDArray[np.float32]) -> Failed:
        """Store scores that are numbers; returns where that failed."""
        failed = np.zeros(len(keys), dtype=np.bool_)
        good = np.flatnonzero(np.isfinite(values)).tolist()
        packed = [value.tobytes() for value in values[good].astype(_VALUE)]
        failed[good] = self._store.write(namespace, [keys[i] for i in good], packed)
        return failed

    def close(self) -> None:
        """Close the connection."""
        self.link.close()
