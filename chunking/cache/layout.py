"""Where an entry lies: many small hashes, whose number follows the number of entries.

Redis keeps a small hash as one flat string (``hash-max-listpack-entries``, before 7.0
``hash-max-ziplist-entries``; 512 by default, 128 in some set-ups), in which an entry of 8 + 4 bytes
costs 16. A hash itself costs some 170 bytes, and one that has outgrown the limit is turned into a
table of 100 bytes an entry. So the hashes must hold neither few entries nor many.

They are kept in *levels*. Level 0 has 1024 hashes, each further level four times as many as the one
before; entries go to the first level whose hashes hold fewer than 64 on average. The share of hashes
with few entries is then small at any number of entries, and none comes near 128: hashes are chosen
by digest, so their sizes are Poisson distributed, with mean 64 and a standard deviation of 8.

How full a level is, the server tells: ``HLEN`` of a few of its hashes. There is no counter that could
be lost, evicted or wrong after a writer was killed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

KEY_BYTES = 12
"""Length of a key: 4 bytes choose the hash, 8 are the field in it."""

BUCKETS = tuple(1024 * 4**level for level in range(6))
"""Hashes by level; 64 entries in each are 87 million entries."""

FULL = 64
"""Mean entries of a hash from which on a writer goes to the next level."""

SAMPLES = 8
"""Hashes looked at per level: 512 entries of a full level, so its mean is known to 4.4 %."""

# A reader looks at the next level already when a writer could have held this one for full: the
# difference is almost six standard deviations of the mean.
_ALMOST_FULL = 48

_BUCKET_BYTES = 4
_FIELD_BYTES = KEY_BYTES - _BUCKET_BYTES

Indices = npt.NDArray[np.int64]
Fill = Sequence[float]
"""Mean entries of a hash, by level."""


class Addresses:
    """Fields and hashes of keys.

    The namespace is mixed into the keys, not into the hashes' names: entries of all models share
    hashes and one limit on their number.
    """

    def __init__(self, namespace: str, keys: Sequence[bytes]) -> None:
        """Compute addresses.

        Args:
            namespace: Everything but the key that can change the value.
            keys: Digests of ``KEY_BYTES`` bytes.
        """
        state = hashlib.blake2b(namespace.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES)
        mask = np.frombuffer(state.digest(), dtype=np.uint8)
        rows = np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), KEY_BYTES) ^ mask
        self._numbers = rows[:, :_BUCKET_BYTES].copy().view("<u4").ravel().astype(np.int64)
        fields = rows[:, _BUCKET_BYTES:].tobytes()
        self.fields = [fields[i : i + _FIELD_BYTES] for i in range(0, len(fields), _FIELD_BYTES)]

    def __len__(self) -> int:
        return len(self.fields)

    def buckets(self, level: int, where: Indices) -> Iterator[tuple[int, list[int]]]:
        """Hashes of a level with the keys among ``where`` that belong there."""
        if not len(where):
            return
        numbers = self._numbers[where] % BUCKETS[level]
        order = np.argsort(numbers, kind="stable")
        members, ordered = where[order].tolist(), numbers[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        ends = [*starts[1:].tolist(), len(members)]
        for start, end, bucket in zip(starts.tolist(), ends, ordered[starts].tolist(), strict=True):
            yield bucket, members[start:end]

    def samples(self, level: int) -> list[int]:
        """Hashes whose size tells how full a level is.

        They lie at equal distances from that of the first key, so they are others at each call: a
        fixed choice would keep just these from being evicted, and the level would seem full for ever.
        """
        count = BUCKETS[level]
        return [(int(self._numbers[0]) + i * (count // SAMPLES)) % count for i in range(SAMPLES)]


def mean_fill(lengths: Iterable[int]) -> list[float]:
    """Fill by level, from the lengths of all samples, level by level."""
    table = np.fromiter(lengths, dtype=np.float64).reshape(len(BUCKETS), SAMPLES)
    return [float(mean) for mean in table.mean(axis=1)]


def writing_level(fill: Fill) -> int:
    """The level that new entries go to; the last one takes what no other takes."""
    return next((level for level, mean in enumerate(fill) if mean < FULL), len(fill) - 1)


def reading_levels(fill: Fill) -> range:
    """Levels that may hold entries, the newest and largest first.

    Eviction may have thinned out a lower level, so all that hold something are read.
    """
    reached = next((level for level, mean in enumerate(fill) if mean < _ALMOST_FULL), len(fill) - 1)
    seen = max((level for level, mean in enumerate(fill) if mean > 0), default=0)
    return range(max(reached, seen), -1, -1)


def entries(fill: Fill) -> float:
    """Entries of all levels, estimated."""
    return float(sum(mean * count for mean, count in zip(fill, BUCKETS, strict=True)))
