"""A connection to Redis that never raises and never keeps a run waiting for long."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from chunking.cache.breaker import Breaker
from rubrica.errors import ConfigurationError
from rubrica.log import get_logger

PAUSE_S = 5.0
"""Seconds that a failing server is left alone at first."""

_CONNECT_TIMEOUT_S = 0.5
_ANSWER_TIMEOUT_S = 2.0
_COMMAND_S = 0.001
"""Longest time for a command where many are sent at once: what is slower is hardly worth asking."""

# The last one: what answers does not speak Redis' protocol.
_NO_ANSWER = (redis.RedisError, OSError, ValueError)

_log = get_logger(__name__)

Command = tuple[str | bytes | int, ...]
Reply = Any
"""What Redis answered; an error or ``None`` where it did not do what it was asked."""


class RedisLink:
    """Sends commands, many a round trip, to a server that may be slow, full, loading, read-only or gone.

    Two circuit breakers: one for a server that does not answer, or answers late; one for a server
    that answers but takes no writes (full, or a replica), which is still read from.
    """

    def __init__(
        self, url: str, name: str, *, pause_s: float = PAUSE_S, timer: Callable[[], float] = time.monotonic
    ) -> None:
        """Prepare a link; nothing is connected yet.

        Args:
            url: ``redis://``, ``rediss://`` or ``unix://``.
            name: Begins the names of the logged events.
            pause_s: Seconds without a try after a first error.
            timer: Seconds that never go back.

        Raises:
            ConfigurationError: The URL is not one of Redis.
        """
        self._redis = _client(url)
        self._name = name
        self._reach = Breaker(name, "unreachable", pause_s, timer)
        self._store = Breaker(name, "refuses", pause_s, timer)
        self._advised = False
        self.round_trips = 0
        """Times that an answer was waited for."""

    def read(self, commands: Sequence[Command]) -> list[Reply]:
        """Send commands that change nothing."""
        return self._send(commands, self._reach)

    def write(self, commands: Sequence[Command]) -> list[Reply]:
        """Send commands that change something; not sent where the last ones were refused a moment ago."""
        if self._store.open:
            return [None] * len(commands)
        replies = self._send(commands, self._store)
        if not self._advised and replies and not failed(replies[0]):
            self._advised = True
            self._advise()
        return replies

    def close(self) -> None:
        """Close the connection."""
        self._redis.close()

    def _send(self, commands: Sequence[Command], refusals: Breaker) -> list[Reply]:
        if not commands or self._reach.open:
            return [None] * len(commands)
        self.round_trips += 1
        begun = time.monotonic()
        try:
            replies = self._ask(commands)
        except _NO_ANSWER as error:
            self._reach.trip(error)
            return [None] * len(commands)
        self._judge(replies, time.monotonic() - begun, refusals)
        return replies

    def _ask(self, commands: Sequence[Command]) -> list[Reply]:
        pipeline = self._redis.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)  # type: ignore[no-untyped-call]
        return pipeline.execute(raise_on_error=False)

    def _judge(self, replies: Sequence[Reply], seconds: float, refusals: Breaker) -> None:
        refused = next((reply for reply in replies if failed(reply) and not of_wrong_type(reply)), None)
        if seconds > _ANSWER_TIMEOUT_S + _COMMAND_S * len(replies):
            # Each part of the answer came in time, the whole did not.
            self._reach.trip(f"answered after {seconds:.1f} s")
        elif refused is None or refusals is not self._reach:
            self._reach.reset()
        if refused is not None:
            refusals.trip(refused)
        elif refusals is not self._reach:
            refusals.reset()

    def _advise(self) -> None:
        try:
            (info,) = self._ask([("INFO", "memory")])
        except _NO_ANSWER:
            return  # the next command will find out
        # An account that may not ask gets an error, which means nothing for the cache.
        advice = memory_advice(info) if isinstance(info, Mapping) else ""
        if advice:
            _log.warning(f"{self._name}_memory", reason=advice, hint="See `maxmemory` in docs/chunking.md.")


def failed(reply: Reply) -> bool:
    """Whether a reply says that nothing was done."""
    return reply is None or isinstance(reply, redis.RedisError)


def of_wrong_type(reply: Reply) -> bool:
    """Whether somebody else's value lies under our key."""
    return isinstance(reply, redis.ResponseError) and str(reply).startswith("WRONGTYPE")


def memory_advice(info: Mapping[str, Any]) -> str:
    """What is unwise about the server's memory settings, from ``INFO memory``; empty: nothing.

    A server without a limit grows until the machine has no memory left; one with a limit but
    without eviction refuses writes when it is full, to everybody who shares it.
    """
    if info.get("maxmemory") == 0:
        return "Redis has no memory limit (maxmemory 0)."
    if info.get("maxmemory_policy") == "noeviction":
        return "Redis refuses writes when it is full (maxmemory-policy noeviction)."
    return ""


def _client(url: str) -> redis.Redis:
    try:
        return redis.Redis.from_url(
            url,
            protocol=2,
            socket_connect_timeout=_CONNECT_TIMEOUT_S,
            socket_timeout=_ANSWER_TIMEOUT_S,
            # One quick try more, for a connection that went stale while the server restarted;
            # none after a time-out, which would double the wait.
            retry=Retry(NoBackoff(), 1, supported_errors=(redis.ConnectionError,)),
        )
    except ValueError as error:
        raise ConfigurationError(
            "RUBRICA_REDIS_URL is not a URL of Redis.", hint="Use redis://host:port/0 or leave it empty."
        ) from error
