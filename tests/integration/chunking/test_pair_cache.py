from __future__ import annotations

import random
import uuid
from collections.abc import Iterator, Sequence
from itertools import islice
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
from chunking.scoring import WindowScorer, build_cut_scorer
from rubrica.model import ChunkingStats
from rubrica.protocols import Progress
from rubrica.settings import ChunkingSettings
from tests.fixtures.redis import RedisServer
from tests.support.words import WORDS

pytestmark = pytest.mark.integration

DAY = 86_400
SCORER = OnnxPairScorer(Path(chunking.__file__).parent / "models" / "boundary-ru-en")


class Clock:
    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def keys_of(count: int, seed: int = 1) -> list[bytes]:
    return [random.Random(seed * 1_000_000 + i).randbytes(12) for i in range(count)]


def scores_of(count: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.linspace(-9, 9, count, dtype=np.float32)


def sentences(count: int, words: tuple[int, int] = (4, 9), seed: int = 1) -> list[str]:
    dice = random.Random(seed)
    return [" ".join(dice.choices(WORDS, k=dice.randint(*words))).capitalize() + "." for _ in range(count)]


@pytest.fixture
def namespace() -> str:
    return uuid.uuid4().hex


@pytest.fixture
def client(redis_url: str) -> redis.Redis:
    return redis.Redis.from_url(redis_url, protocol=2)


@pytest.fixture
def logs() -> Iterator[LogCapture]:
    capture = LogCapture()
    structlog.configure(processors=[capture])
    yield capture
    structlog.reset_defaults()


def test_what_is_written_is_read_bit_for_bit(redis_url: str, namespace: str) -> None:
    cache = RedisPairCache(redis_url, days=90)
    keys, values = keys_of(5000), scores_of(5000)
    assert not cache.write(namespace, keys, values).any()
    found = RedisPairCache(redis_url, days=90).read(namespace, [*keys[::-1], *keys_of(3, seed=2)])
    assert found.values[:5000].tobytes() == values[::-1].tobytes()
    assert np.isnan(found.values[5000:]).all()
    assert not found.failed.any()


def test_namespaces_do_not_see_each_other(redis_url: str, namespace: str) -> None:
    cache = RedisPairCache(redis_url, days=90)
    cache.write(namespace, keys_of(10), scores_of(10))
    assert np.isnan(cache.read(f"{namespace} other", keys_of(10)).values).all()


def test_a_score_costs_few_bytes(redis_server: RedisServer) -> None:
    client = redis.Redis.from_url(redis_server.url, protocol=2)
    cache = RedisPairCache(redis_server.url, days=90)
    before = client.info("memory")["used_memory"]
    cache.write("x", keys_of(100_000), scores_of(100_000))
    assert (client.info("memory")["used_memory"] - before) / 100_000 <= 32


def test_a_value_of_another_length_is_a_miss(redis_url: str, namespace: str, client: redis.Redis) -> None:
    cache = RedisPairCache(redis_url, days=90)
    keys = keys_of(4, seed=5)
    cache.write(namespace, keys, scores_of(4))
    (bucket, *_) = [
        key for key in client.scan_iter(match="rubrica:pairs:*") if client.hexists(key, keys[0][4:])
    ]
    client.hset(bucket, keys[0][4:], b"12345678")
    found = cache.read(namespace, keys)
    assert np.isnan(found.values).tolist() == [True, False, False, False]
    assert not found.failed.any()


def test_a_used_score_lives_on_and_an_unused_one_expires(redis_url: str, namespace: str) -> None:
    clock = Clock(1000 * 90 * DAY)
    cache = RedisPairCache(redis_url, days=90, clock=clock)
    used, unused = keys_of(20, seed=3), keys_of(20, seed=4)
    cache.write(namespace, used + unused, scores_of(40))
    for _ in range(5):
        clock.now += 89 * DAY
        assert cache.read(namespace, used).values.tobytes() == scores_of(40)[:20].tobytes()
    assert np.isnan(cache.read(namespace, unused).values).all()


def test_buckets_expire_by_themselves(redis_url: str, namespace: str, client: redis.Redis) -> None:
    before = set(client.scan_iter(match="rubrica:pairs:*"))
    RedisPairCache(redis_url, days=90).write(namespace, keys_of(50), scores_of(50))
    seconds = [client.ttl(key) for key in set(client.scan_iter(match="rubrica:pairs:*")) - before]
    assert len(seconds) > 20
    assert all(90 * DAY - 60 <= left <= 180 * DAY for left in seconds)


def test_a_full_server_still_reads_and_writes_are_counted(
    redis_server: RedisServer, logs: LogCapture
) -> None:
    client = redis.Redis.from_url(redis_server.url, protocol=2)
    clock = Clock(1e9)
    cache = RedisPairCache(redis_server.url, days=90, clock=clock)
    keys, values = keys_of(200), scores_of(200)
    assert not cache.write("x", keys[:100], values[:100]).any()
    client.config_set("maxmemory", "1")
    assert cache.write("x", keys[100:], values[100:]).all()
    found = cache.read("x", keys)
    assert found.values[:100].tobytes() == values[:100].tobytes()
    assert not found.failed.any()
    client.config_set("maxmemory", "0")
    assert cache.write("x", keys[100:], values[100:]).all()
    clock.now += 10
    assert not cache.write("x", keys[100:], values[100:]).any()
    assert [entry["event"] for entry in logs.entries] == ["pair_cache_refuses", "pair_cache_is_back"]


def test_eviction_is_harmless(redis_server: RedisServer) -> None:
    client = redis.Redis.from_url(redis_server.url, protocol=2)
    cache = RedisPairCache(redis_server.url, days=90)
    keys, values = keys_of(1000), scores_of(1000)
    cache.write("x", keys, values)
    for bucket in list(client.scan_iter())[::2]:
        client.delete(bucket)
    found = cache.read("x", keys)
    kept = ~np.isnan(found.values)
    assert 0 < kept.sum() < 1000
    assert found.values[kept].tobytes() == values[kept].tobytes()


def test_the_second_run_scores_nothing(redis_url: str) -> None:
    settings = ChunkingSettings(window_tokens=random.randint(20, 200))
    documents = [sentences(20, seed=random.randint(0, 1 << 30)) for _ in range(2)]
    first = build_cut_scorer(settings, redis_url).score_cuts(documents)
    second = build_cut_scorer(settings, redis_url).score_cuts(documents)
    assert [scores.stats for scores in first] == [ChunkingStats(pairs_scored=19)] * 2
    assert [scores.stats for scores in second] == [ChunkingStats(pair_cache_hits=19)] * 2
    assert all(a.values.tobytes() == b.values.tobytes() for a, b in zip(first, second, strict=True))


def test_cached_scores_need_no_model(redis_url: str) -> None:
    document = sentences(5, seed=random.randint(0, 1 << 30))
    build_cut_scorer(ChunkingSettings(), redis_url).score_cuts([document])
    scorer = OnnxPairScorer(SCORER._folder)
    cache = RedisPairCache(redis_url, days=90)
    WindowScorer(scorer, cache, ChunkingSettings().window_tokens).score_cuts([document])
    assert "_session" not in vars(scorer)


def test_other_windows_are_other_scores(redis_url: str) -> None:
    document = ["Бетон.", "Стена.", sentences(1, seed=random.randint(0, 1 << 30))[0]]
    cache = RedisPairCache(redis_url, days=90)
    for window in (40, 41):
        (scores,) = WindowScorer(SCORER, cache, window).score_cuts([document])
        assert scores.stats.pairs_scored == 2


def test_redis_killed_in_the_middle(redis_server: RedisServer) -> None:
    clock = Clock(1e9)
    cache = RedisPairCache(redis_server.url, days=90, clock=clock)
    scorer = WindowScorer(SCORER, cache, 96)
    document = sentences(12)
    (before,) = scorer.score_cuts([document])
    assert before.stats == ChunkingStats(pairs_scored=11)

    redis_server.kill()
    for _ in range(3):
        (without,) = scorer.score_cuts([document])
        assert without.stats == ChunkingStats(pairs_scored=11, pair_cache_errors=11)
        assert without.values.tobytes() == before.values.tobytes()

    redis_server.start()
    clock.now += 10
    assert scorer.score_cuts([document])[0].stats == ChunkingStats(pairs_scored=11)
    assert scorer.score_cuts([document])[0].stats == ChunkingStats(pair_cache_hits=11)


def sentences_of_25_to_50_tokens(count: int, seed: int) -> list[str]:
    candidates = sentences(3 * count, words=(10, 25), seed=seed)
    lengths = [len(ids) for ids in SCORER.encode(candidates)]
    return [text for text, length in zip(candidates, lengths, strict=True) if 25 <= length <= 50][:count]


class WithoutNetwork(OnnxPairScorer):
    """Real tokens and windows, but numbers instead of the network: here only what is scored counts."""

    def score(self, pairs: Sequence[Pair], progress: Progress) -> npt.NDArray[np.float32]:
        progress.advance(len(pairs))
        return np.array([left.sum() - right.sum() for left, right in pairs], dtype=np.float32)


def test_an_edited_sentence_costs_its_own_windows_only(redis_server: RedisServer) -> None:
    dice = random.Random(7)
    window = ChunkingSettings().window_tokens
    spare = iter(sentences_of_25_to_50_tokens(600, seed=dice.randint(0, 1 << 30)))
    document = list(islice(spare, 500))
    scorer = WindowScorer(WithoutNetwork(SCORER._folder), RedisPairCache(redis_server.url, days=90), window)
    scorer.score_cuts([document])
    scored = []
    for _ in range(100):
        edited = list(document)
        edited[dice.randrange(500)] = next(spare)
        (scores,) = scorer.score_cuts([edited])
        assert scores.stats.pairs_scored + scores.stats.pair_cache_hits == 499
        scored.append(scores.stats.pairs_scored)
    assert np.median(scored) <= 0.02 * 499
    assert max(scored) <= 12
    assert min(scored) >= 1
