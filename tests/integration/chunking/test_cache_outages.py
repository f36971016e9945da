"""K03: Redis is full, stopped, killed, restarted or a replica, and the run goes on without it."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import redis
import structlog
from structlog.testing import LogCapture

import chunking
from chunking.pair_cache import RedisPairCache
from chunking.scorers.base import Pair
from chunking.scorers.onnx import OnnxPairScorer
from chunking.scoring import WindowScorer
from rubrica.model import ChunkingStats
from rubrica.protocols import Progress
from tests.fixtures.redis import RedisServer
from tests.support.words import WORDS

pytestmark = pytest.mark.integration

MODEL = Path(chunking.__file__).parent / "models" / "boundary-ru-en"
KEYS = [random.Random(i).randbytes(12) for i in range(200)]
VALUES = np.linspace(-9, 9, 200, dtype=np.float32)


class Timer:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class WithoutNetwork(OnnxPairScorer):
    """Real tokens and windows, but numbers instead of the network; something happens before each slice."""

    happening: Iterator[Callable[[], None]] = iter(())

    def score(self, pairs: Sequence[Pair], progress: Progress) -> npt.NDArray[np.float32]:
        next(self.happening)()
        progress.advance(len(pairs))
        return np.array([np.sin(left.sum() - right.sum()) for left, right in pairs], dtype=np.float32)


@pytest.fixture
def client(redis_server: RedisServer) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_server.url, protocol=2) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        client.config_set("maxmemory", "64mb")
        yield client


@pytest.fixture
def timer() -> Timer:
    return Timer()


@pytest.fixture
def cache(redis_server: RedisServer, client: redis.Redis, timer: Timer) -> Iterator[RedisPairCache]:
    cache = RedisPairCache(redis_server.url, days=90, timer=timer)
    yield cache
    cache.close()


@pytest.fixture
def logs() -> Iterator[LogCapture]:
    capture = LogCapture()
    structlog.configure(processors=[capture])
    yield capture
    structlog.reset_defaults()


def events(logs: LogCapture) -> list[str]:
    return [entry["event"] for entry in logs.entries]


def process(server: RedisServer) -> int:
    assert server._process is not None
    return server._process.pid


def assert_known(cache: RedisPairCache, count: int) -> None:
    found = cache.read("x", KEYS)
    assert not found.failed.any()
    assert found.values[:count].tobytes() == VALUES[:count].tobytes()
    assert found.missed.tolist() == [False] * count + [True] * (200 - count)


def sentences(count: int) -> list[str]:
    dice = random.Random(3)
    return [f"{' '.join(dice.choices(WORDS, k=8))} {i}.".capitalize() for i in range(count)]


def test_a_full_server_is_read_and_not_asked_to_write(
    cache: RedisPairCache, client: redis.Redis, timer: Timer, logs: LogCapture
) -> None:
    assert not cache.write("x", KEYS[:100], VALUES[:100]).any()
    client.config_set("maxmemory-policy", "noeviction")
    client.config_set("maxmemory", "1")
    for _ in range(20):
        assert cache.write("x", KEYS[100:], VALUES[100:]).all()
        assert_known(cache, 100)
    assert client.info("commandstats")["cmdstat_hset"].get("rejected_calls", 0) <= 100
    client.config_set("maxmemory", "0")
    assert cache.write("x", KEYS[100:], VALUES[100:]).all()
    timer.now += 6
    assert not cache.write("x", KEYS[100:], VALUES[100:]).any()
    assert_known(cache, 200)
    assert events(logs) == ["pair_cache_refuses", "pair_cache_is_back"]


def test_a_replica_that_takes_no_writes_is_read(
    cache: RedisPairCache, client: redis.Redis, timer: Timer, logs: LogCapture
) -> None:
    assert not cache.write("x", KEYS[:100], VALUES[:100]).any()
    client.replicaof("127.0.0.1", "1")
    for _ in range(20):
        assert cache.write("x", KEYS[100:], VALUES[100:]).all()
        assert_known(cache, 100)
    client.replicaof("NO", "ONE")
    timer.now += 6
    assert not cache.write("x", KEYS[100:], VALUES[100:]).any()
    assert events(logs) == ["pair_cache_refuses", "pair_cache_is_back"]


def test_a_replica_that_answers_nothing_is_left_alone(
    cache: RedisPairCache, client: redis.Redis, timer: Timer, logs: LogCapture
) -> None:
    assert not cache.write("x", KEYS, VALUES).any()
    client.config_set("replica-serve-stale-data", "no")
    client.replicaof("127.0.0.1", "1")
    begun = cache.link.round_trips
    for _ in range(20):
        assert cache.read("x", KEYS).failed.all()
    assert cache.link.round_trips == begun + 1
    client.replicaof("NO", "ONE")
    timer.now += 6
    assert_known(cache, 200)
    assert events(logs) == ["pair_cache_unreachable", "pair_cache_is_back"]


def test_a_stopped_server_is_waited_for_once(
    cache: RedisPairCache, redis_server: RedisServer, timer: Timer, logs: LogCapture
) -> None:
    """It takes connections and never answers; what it says later belongs to no later question."""
    assert not cache.write("x", KEYS, VALUES).any()
    begun = cache.link.round_trips
    os.kill(process(redis_server), signal.SIGSTOP)
    try:
        for _ in range(50):
            found = cache.read("x", KEYS[::-1])
            assert found.failed.all()
            assert found.missed.all()
            assert cache.write("y", KEYS, VALUES).all()
    finally:
        os.kill(process(redis_server), signal.SIGCONT)
    assert cache.link.round_trips == begun + 1
    timer.now += 6
    assert_known(cache, 200)
    assert events(logs) == ["pair_cache_unreachable", "pair_cache_is_back"]


def test_redis_killed_between_runs(redis_server: RedisServer, cache: RedisPairCache, timer: Timer) -> None:
    scorer = WindowScorer(OnnxPairScorer(MODEL), cache, 96)
    document = sentences(12)
    (before,) = scorer.score_cuts([document])
    cold = ChunkingStats(pairs_scored=11, pair_cache_misses=11)
    assert before.stats == cold

    redis_server.kill()
    for _ in range(3):
        (without,) = scorer.score_cuts([document])
        assert without.stats == ChunkingStats(pairs_scored=11, pair_cache_misses=11, pair_cache_errors=11)
        assert without.values.tobytes() == before.values.tobytes()

    redis_server.start()
    timer.now += 10
    assert scorer.score_cuts([document])[0].stats == cold
    assert scorer.score_cuts([document])[0].stats == ChunkingStats(pair_cache_hits=11)


def test_redis_killed_and_back_in_the_middle_of_a_run(
    redis_server: RedisServer, cache: RedisPairCache, timer: Timer, logs: LogCapture
) -> None:
    """Three slices of scores: one is stored, one is lost, one is stored after Redis came back."""
    documents, network = [sentences(6001)], WithoutNetwork(MODEL)
    network.happening = iter((lambda: None, redis_server.kill, lambda: _revive(redis_server, timer)))
    scorer = WindowScorer(network, cache, 32)
    (first,) = scorer.score_cuts(documents)
    assert first.stats.pairs_scored == first.stats.pair_cache_misses == 6000
    assert first.stats.pair_cache_errors == 2048
    assert events(logs) == ["pair_cache_unreachable", "pair_cache_is_back"]

    network.happening = iter([lambda: None] * 2)
    (second,) = scorer.score_cuts(documents)
    # The restarted server knows only what was stored after it came back.
    assert second.stats.pair_cache_hits == 6000 - 2 * 2048
    assert second.values.tobytes() == first.values.tobytes()


def _revive(server: RedisServer, timer: Timer) -> None:
    server.start()
    timer.now += 10


def test_an_account_that_may_not_ask_about_memory_is_served(
    redis_server: RedisServer, client: redis.Redis, logs: LogCapture
) -> None:
    client.acl_setuser(
        "rubrica", enabled=True, passwords=["+geheim"], keys=["rubrica:*"], commands=["+@hash", "+@keyspace"]
    )
    cache = RedisPairCache(redis_server.url.replace("//", "//rubrica:geheim@"), days=90)
    assert not cache.write("x", KEYS, VALUES).any()
    assert_known(cache, 200)
    assert events(logs) == []
    cache.close()


@pytest.mark.parametrize(
    ("policy", "limit", "told"),
    [("noeviction", "64mb", True), ("allkeys-lru", "0", True), ("allkeys-lru", "64mb", False)],
)
def test_unwise_memory_settings_are_told_once(
    cache: RedisPairCache, client: redis.Redis, logs: LogCapture, policy: str, limit: str, told: bool
) -> None:
    client.config_set("maxmemory-policy", policy)
    client.config_set("maxmemory", limit)
    for _ in range(3):
        assert not cache.write("x", KEYS, VALUES).any()
    assert events(logs) == ["pair_cache_memory"] * told
