"""Scores of pairs that were scored before, in Redis.

A score is a 4-byte value under an 8-byte field of a small hash. Redis keeps a hash of up to
``hash-max-listpack-entries`` fields (``hash-max-ziplist-entries`` before 7.0; 512 by default) as
one flat string, so a score costs some 20 bytes instead of the 100 of a key of its own.

Scores are kept in *epochs* of ``days`` days: one is written to the current epoch, looked for in
the current and the one before, and copied forward when it is found there. Whole epochs expire, so
a score lives on for as long as it is used and is gone at most twice ``days`` after its last use.

The cache is never needed: whatever goes wrong is a miss and a count.
"""

from __future__ import annotations

import hashlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from chunking.scorers.base import Pair
from rubrica.errors import ConfigurationError
from rubrica.identity import digest
from rubrica.log import get_logger

BUCKETS = 4096
"""Hashes per model and epoch: flat up to two million scores, 32 bytes a score from 50,000 on."""

_FIELD_BYTES = 8
_BUCKET_BYTES = 4
_VALUE = np.dtype("<f4")
_NAMESPACE_CHARS = 16
_PIPELINE = 2000
_SECONDS_A_DAY = 86_400
_CONNECT_TIMEOUT_S = 0.5
_ANSWER_TIMEOUT_S = 2.0
_PAUSE_S = 5.0

_log = get_logger(__name__)

Failed = npt.NDArray[np.bool_]
_Command = tuple[str | bytes | int, ...]


@dataclass(frozen=True, slots=True)
class Lookup:
    """What the cache knows.

    Attributes:
        values: Scores, float32 ``[keys]``; NaN where none is stored.
        failed: Where the cache could not be asked, bool ``[keys]``.
    """

    values: npt.NDArray[np.float32]
    failed: Failed


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
        """Store scores; returns where that failed."""
        ...


class NoCache:
    """Remembers nothing."""

    def read(self, namespace: str, keys: Sequence[bytes]) -> Lookup:  # noqa: ARG002 - a protocol's method
        """Nothing is known."""
        return _nothing(len(keys))

    def write(self, namespace: str, keys: Sequence[bytes], values: npt.NDArray[np.float32]) -> Failed:  # noqa: ARG002
        """Nothing is stored, and nothing fails."""
        return np.zeros(len(keys), dtype=np.bool_)


def pair_key(pair: Pair) -> bytes:
    """Digest of the tokens of both sides (BLAKE2b, 96 bits)."""
    left, right = pair
    state = hashlib.blake2b(len(left).to_bytes(8, "little"), digest_size=_BUCKET_BYTES + _FIELD_BYTES)
    state.update(left.astype("<i4", copy=False).tobytes())
    state.update(right.astype("<i4", copy=False).tobytes())
    return state.digest()


class RedisPairCache:
    """Scores in Redis, which may be slow, full or gone at any time.

    After an error the server is left alone for a few seconds, so that a run does not wait for a
    time-out at every document; then it is tried again.
    """

    def __init__(
        self,
        url: str,
        *,
        days: int,
        pause_s: float = _PAUSE_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Prepare a cache; nothing is connected yet.

        Args:
            url: ``redis://``, ``rediss://`` or ``unix://``.
            days: Days that an unused score is kept at least.
            pause_s: Seconds without a try after an error.
            clock: Seconds since 1970.

        Raises:
            ConfigurationError: The URL is not one of Redis.
        """
        self._redis = _client(url)
        self._epoch_s = days * _SECONDS_A_DAY
        self._clock = clock
        self._link = _Breaker("pair_cache_unreachable", pause_s, clock)
        self._store = _Breaker("pair_cache_refuses", pause_s, clock)

    def read(self, namespace: str, keys: Sequence[bytes]) -> Lookup:
        """Look scores up; those found in the last epoch are copied to this one."""
        epoch = self._epoch()
        found = _nothing(len(keys))
        self._fetch(_prefix(namespace, epoch), keys, range(len(keys)), found)
        missing = np.flatnonzero(np.isnan(found.values) & ~found.failed).tolist()
        self._fetch(_prefix(namespace, epoch - 1), keys, missing, found)
        older = [i for i in missing if not np.isnan(found.values[i])]
        self.write(namespace, [keys[i] for i in older], found.values[older])
        return found

    def write(self, namespace: str, keys: Sequence[bytes], values: npt.NDArray[np.float32]) -> Failed:
        """Store scores in the current epoch."""
        failed = np.zeros(len(keys), dtype=np.bool_)
        epoch = self._epoch()
        # Relative, so that a server whose clock is wrong does not drop scores at once.
        seconds = max(1, int((epoch + 2) * self._epoch_s - self._clock()))
        packed = [value.tobytes() for value in values.astype(_VALUE)]
        for batch in _batches(_prefix(namespace, epoch), keys, range(len(keys))):
            commands: list[_Command] = []
            for bucket, members in batch:
                pairs = chain.from_iterable((_field(keys[i]), packed[i]) for i in members)
                commands.append(("HSET", bucket, *pairs))
                commands.append(("EXPIRE", bucket, seconds))
            replies = [None] * len(commands) if self._store.open else self._execute(commands)
            for (_, members), reply in zip(batch, replies[::2], strict=True):
                failed[members] = not isinstance(reply, int)
        return failed

    def close(self) -> None:
        """Close the connection."""
        self._redis.close()

    def _epoch(self) -> int:
        return int(self._clock() // self._epoch_s)

    def _fetch(self, prefix: str, keys: Sequence[bytes], where: Sequence[int], found: Lookup) -> None:
        for batch in _batches(prefix, keys, where):
            commands: list[_Command] = [
                ("HMGET", bucket, *(_field(keys[i]) for i in members)) for bucket, members in batch
            ]
            for (_, members), reply in zip(batch, self._execute(commands), strict=True):
                if isinstance(reply, list):
                    found.values[members] = [_unpack(value) for value in reply]
                else:
                    found.failed[members] = True

    def _execute(self, commands: Sequence[_Command]) -> list[Any]:
        """Replies in order; an error or ``None`` in place of what failed."""
        nothing: list[Any] = [None] * len(commands)
        if self._link.open:
            return nothing
        pipeline = self._redis.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)  # type: ignore[no-untyped-call]
        try:
            replies: list[Any] = pipeline.execute(raise_on_error=False)
        except (redis.RedisError, OSError) as error:
            self._link.trip(error)
            return nothing
        self._link.reset()
        refused = next((reply for reply in replies if isinstance(reply, redis.RedisError)), None)
        if refused is not None:
            self._store.trip(refused)
        elif commands[0][0] == "HSET":
            self._store.reset()
        return replies


class _Breaker:
    """Says when not to try again; warns once per outage."""

    def __init__(self, event: str, pause_s: float, clock: Callable[[], float]) -> None:
        self._event = event
        self._pause_s = pause_s
        self._clock = clock
        self._until = 0.0
        self._tripped = False

    @property
    def open(self) -> bool:
        return self._tripped and self._clock() < self._until

    def trip(self, error: Exception) -> None:
        if not self._tripped:
            _log.warning(self._event, reason=str(error), effect="the run goes on without cached scores")
        self._tripped = True
        self._until = self._clock() + self._pause_s

    def reset(self) -> None:
        if self._tripped:
            _log.info("pair_cache_is_back", after=self._event)
        self._tripped = False


def _client(url: str) -> redis.Redis:
    try:
        return redis.Redis.from_url(
            url,
            protocol=2,
            socket_connect_timeout=_CONNECT_TIMEOUT_S,
            socket_timeout=_ANSWER_TIMEOUT_S,
            # One quick try more, for a connection that went stale while the server restarted.
            retry=Retry(NoBackoff(), 1),
        )
    except ValueError as error:
        raise ConfigurationError(
            "RUBRICA_REDIS_URL is not a URL of Redis.", hint="Use redis://host:port/0 or leave it empty."
        ) from error


def _prefix(namespace: str, epoch: int) -> str:
    return f"rubrica:pairs:{digest(namespace)[:_NAMESPACE_CHARS]}:{epoch}:"


def _field(key: bytes) -> bytes:
    return key[_BUCKET_BYTES:]


def _batches(
    prefix: str, keys: Sequence[bytes], where: Sequence[int]
) -> Iterator[list[tuple[str, list[int]]]]:
    """Indices of ``keys`` by bucket, as many buckets at a time as one round trip takes."""
    buckets: defaultdict[int, list[int]] = defaultdict(list)
    for i in where:
        buckets[int.from_bytes(keys[i][:_BUCKET_BYTES], "little") % BUCKETS].append(i)
    groups = [(f"{prefix}{bucket:x}", members) for bucket, members in buckets.items()]
    for start in range(0, len(groups), _PIPELINE):
        yield groups[start : start + _PIPELINE]


def _unpack(value: bytes | None) -> float:
    if value is None or len(value) != _VALUE.itemsize:
        return np.nan
    return float(np.frombuffer(value, dtype=_VALUE)[0])


def _nothing(count: int) -> Lookup:
    return Lookup(np.full(count, np.nan, dtype=np.float32), np.zeros(count, dtype=np.bool_))
