"""Values of one length by 12-byte key, in Redis, in epochs.

A value is written to the current *epoch* of ``days`` days, looked for in the current one and the one
before, and moved forward when it is found there. Whole epochs expire: a value lives for as long as it
is used and is gone at most twice ``days`` after its last use.

Bounded: an epoch takes half of what the store may hold, and there are never more than two. When it
has taken that, nothing new is stored until the next epoch begins, and what is stored is still read.
(Dropping the older epoch instead would throw away what is in use but was not asked for yet.)

Any number of processes may write at once: every command is atomic by itself, and no value depends on
one that was read before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from chunking.cache.hashes import Hashes, Mask, Values
from chunking.cache.layout import BUCKETS, Addresses, Fill, Indices, entries, reading_levels, writing_level
from chunking.cache.link import RedisLink
from rubrica.log import get_logger

_SECONDS_A_DAY = 86_400
_SEEN_FOR_S = 5.0

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """What a store knows.

    Attributes:
        values: Values by the number of their key.
        failed: Where the store could not be asked, bool ``[keys]``.
    """

    values: dict[int, bytes]
    failed: Mask


class EpochStore:
    """Remembers values of one length."""

    def __init__(
        self,
        link: RedisLink,
        kind: str,
        *,
        value_bytes: int,
        days: int,
        capacity: int,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Prepare a store; nothing is asked yet.

        Args:
            link: The server.
            kind: What the values are; begins the names of the hashes.
            value_bytes: Length of every value; one of another length is unknown.
            days: Days that an unused value is kept at least.
            capacity: Most values kept.
            clock: Seconds since 1970.
        """
        self._hashes = Hashes(link, kind, value_bytes)
        self._kind = kind
        self._epoch_s = days * _SECONDS_A_DAY
        self._most = max(1, capacity // 2)
        self._clock = clock
        self._told = False
        self._seen: dict[int, Fill] = {}
        self._seen_at = 0.0

    def read(self, namespace: str, keys: Sequence[bytes]) -> Found:
        """Look values up; those found in the last epoch are moved to this one."""
        found = Found({}, np.zeros(len(keys), dtype=np.bool_))
        if not keys:
            return found
        addresses, epoch = Addresses(namespace, keys), self._epoch()
        fills = self._fills(addresses, epoch)
        if fills is None:
            found.failed[:] = True
            return found
        missing = np.arange(len(keys), dtype=np.int64)
        for level in reading_levels(fills[epoch]):
            missing, _ = self._look(addresses, epoch, level, missing, found)
        for level in reading_levels(fills[epoch - 1]):
            missing, older = self._look(addresses, epoch - 1, level, missing, found)
            self._move(addresses, epoch - 1, level, older)
        return found

    def write(self, namespace: str, keys: Sequence[bytes], values: Sequence[bytes]) -> Mask:
        """Store values in the current epoch; returns where that failed, bool ``[keys]``."""
        refused = np.ones(len(keys), dtype=np.bool_)
        if keys:
            every = np.arange(len(keys), dtype=np.int64)
            kept, left_out = self._put(Addresses(namespace, keys), every, dict(enumerate(values)))
            refused[kept + left_out] = False
        return refused

    def delete(self, namespace: str, keys: Sequence[bytes]) -> None:
        """Remove values, wherever they lie; ``read`` tells whether that worked."""
        if not keys:
            return
        addresses, epoch = Addresses(namespace, keys), self._epoch()
        every = np.arange(len(keys), dtype=np.int64)
        for one in (epoch, epoch - 1):
            for level in range(len(BUCKETS)):
                self._hashes.delete(addresses, one, level, every)

    def _epoch(self) -> int:
        return int(self._clock() // self._epoch_s)

    def _fills(self, addresses: Addresses, epoch: int) -> dict[int, Fill] | None:
        """How full both epochs are, for reading: as of some seconds ago, if that is known.

        At worst a level that another process has just begun is not looked at yet.
        """
        now = self._clock()
        if epoch not in self._seen or not 0 <= now - self._seen_at < _SEEN_FOR_S:
            fills = self._hashes.survey(addresses, (epoch, epoch - 1))
            if fills is None:
                return None
            self._seen, self._seen_at = {epoch: fills[0], epoch - 1: fills[1]}, now
        return self._seen

    def _look(
        self, addresses: Addresses, epoch: int, level: int, missing: Indices, found: Found
    ) -> tuple[Indices, dict[int, bytes]]:
        """Look in one level; returns the keys that are still missing, and what was found."""
        values = self._hashes.get(addresses, epoch, level, missing, found.failed)
        found.values.update(values)
        known = found.failed.copy()
        known[list(values)] = True
        return missing[~known[missing]], values

    def _move(self, addresses: Addresses, epoch: int, level: int, values: Values) -> None:
        """Take values over from an older epoch."""
        kept, _ = self._put(addresses, np.array(list(values), dtype=np.int64), values)
        self._hashes.delete(addresses, epoch, level, np.array(kept, dtype=np.int64))

    def _put(self, addresses: Addresses, where: Indices, values: Values) -> tuple[list[int], list[int]]:
        """Store values; returns the keys stored, and those that there was no room for."""
        stored: list[int] = []
        left_out: list[int] = []
        for start in range(0, len(where), self._hashes.trip):
            part = where[start : start + self._hashes.trip]
            epoch = self._epoch()
            fills = self._hashes.survey(addresses, [epoch])
            if fills is None:
                continue
            self._seen |= {epoch: fills[0]}
            if self._has_room(entries(fills[0])):
                level, seconds = writing_level(fills[0]), self._seconds_left(epoch)
                stored += self._hashes.set(addresses, epoch, level, part, values, seconds=seconds)
            else:
                left_out += part.tolist()
        return stored, left_out

    def _seconds_left(self, epoch: int) -> int:
        """Until an epoch expires; relative, for a server whose clock is wrong."""
        return max(1, int((epoch + 2) * self._epoch_s - self._clock()))

    def _has_room(self, count: float) -> bool:
        if count < self._most:
            return True
        if not self._told:
            self._told = True
            _log.warning(
                f"{self._kind}_full", entries=int(count), effect="nothing new is cached until the next epoch"
            )
        return False
