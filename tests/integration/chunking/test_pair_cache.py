from __future__ import annotations

import random
import threading
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
from chunking.cache.layout import BUCKETS, Addresses
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


@pytest.fixture
def client_of_its_own(redis_server: RedisServer) -> redis.Redis:
    return redis.Redis.from_url(redis_server.url, protocol=2)


def keys_of(count: int, seed: int = 1) -> list[bytes]:
    packed = np.random.default_rng(seed).bytes(12 * count)
    return [packed[i : i + 12] for i in range(0, len(packed), 12)]


def scores_of(count: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.linspace(-9, 9, count, dtype=np.float32)


def sentences(count: int, words: tuple[int, int] = (4, 9), seed: int = 1) -> list[str]:
    dice = random.Random(seed)
    return [" ".join(dice.choices(WORDS, k=dice.randint(*words))).capitalize() + "." for _ in range(count)]


@pytest.fixture
def logs() -> Iterator[LogCapture]:
    capture = LogCapture()
    structlog.configure(processors=[capture])
    yield capture
    structlog.reset_defaults()


@pytest.fixture
def namespace() -> str:
    return uuid.uuid4().hex


@pytest.fixture
def client(redis_url: str) -> redis.Redis:
    return redis.Redis.from_url(redis_url, protocol=2)


def buckets_of(client: redis.Redis, epoch: int | str = "*") -> list[bytes]:
    return sorted(client.scan_iter(match=f"rubrica:pairs:{epoch}:*", count=10_000))


def stored(client: redis.Redis, epoch: int | str = "*") -> int:
    return sum(client.hlen(bucket) for bucket in buckets_of(client, epoch))


def test_what_is_written_is_read_bit_for_bit(redis_url: str, namespace: str) -> None:
    cache = RedisPairCache(redis_url, days=90)
    keys, values = keys_of(5000), scores_of(5000)
    assert not cache.write(namespace, keys, values).any()
    found = RedisPairCache(redis_url, days=90).read(namespace, [*keys[::-1], *keys_of(3, seed=2)])
    assert found.values[:5000].tobytes() == values[::-1].tobytes()
    assert np.isnan(found.values[5000:]).all()
    assert not found.failed.any()
    assert found.missed.tolist() == [False] * 5000 + [True] * 3


def test_unusual_numbers_are_kept_exactly(redis_url: str, namespace: str) -> None:
    values = np.array([-0.0, 1e-45, -1e-38, 3.4e38, 0.1, *np.frombuffer(b"12345678", "<f4")], np.float32)
    cache, keys = RedisPairCache(redis_url, days=90), keys_of(7)
    assert not cache.write(namespace, keys, values).any()
    assert cache.read(namespace, keys).values.tobytes() == values.tobytes()


def test_what_is_no_number_is_neither_stored_nor_believed(
    redis_server: RedisServer, client_of_its_own: redis.Redis
) -> None:
    cache, keys = RedisPairCache(redis_server.url, days=90), keys_of(4)
    values = np.array([np.nan, 1, np.inf, -np.inf], np.float32)
    assert not cache.write("x", keys, values).any()
    assert stored(client_of_its_own) == 1
    addresses = Addresses("x", keys)
    (bucket, _), *_ = addresses.buckets(0, np.array([0]))
    epoch = buckets_of(client_of_its_own)[0].split(b":")[2].decode()
    client_of_its_own.hset(f"rubrica:pairs:{epoch}:0{bucket:x}", addresses.fields[0], values[2].tobytes())
    found = cache.read("x", keys)
    assert np.isnan(found.values).tolist() == found.missed.tolist() == [True, False, True, True]


def test_namespaces_do_not_see_each_other(redis_url: str, namespace: str) -> None:
    """K01: scores of another model, revision, precision or window are unknown."""
    cache = RedisPairCache(redis_url, days=90)
    cache.write(namespace, keys_of(10), scores_of(10))
    assert np.isnan(cache.read(f"{namespace} other", keys_of(10)).values).all()


@pytest.mark.parametrize(("count", "most"), [(10_000, 120), (64_000, 32), (75_000, 32)])
def test_a_score_costs_few_bytes(
    redis_server: RedisServer, client_of_its_own: redis.Redis, count: int, most: int
) -> None:
    """Before, at and after the step to the next level; ``benchmarks/pair_cache.py`` measures up to 10⁷."""
    cache = RedisPairCache(redis_server.url, days=90)
    before = client_of_its_own.info("memory")["used_memory"]
    assert not cache.write("x", keys_of(count), scores_of(count)).any()
    assert stored(client_of_its_own) == count
    assert (client_of_its_own.info("memory")["used_memory"] - before) / count <= most
    assert max(client_of_its_own.hlen(bucket) for bucket in buckets_of(client_of_its_own)) < 128


def test_scores_are_found_on_every_level(redis_server: RedisServer, client_of_its_own: redis.Redis) -> None:
    cache, keys, values = RedisPairCache(redis_server.url, days=90), keys_of(80_000), scores_of(80_000)
    for start in range(0, 80_000, 10_000):
        part = slice(start, start + 10_000)
        assert not cache.write("x", keys[part], values[part]).any()
        assert cache.read("x", keys[part]).values.tobytes() == values[part].tobytes()
    assert {int(bucket.split(b":")[3][:1]) for bucket in buckets_of(client_of_its_own)} == {0, 1}
    for reader in (cache, RedisPairCache(redis_server.url, days=90)):
        assert reader.read("x", keys).values.tobytes() == values.tobytes()


def test_many_writers_lose_nothing(redis_server: RedisServer) -> None:
    """They step to the next level meanwhile, and some scores are written by several of them."""
    keys, values = keys_of(80_000), scores_of(80_000)

    def write(start: int) -> None:
        cache = RedisPairCache(redis_server.url, days=90)
        for at in range(start, start + 30_000, 2000):
            part = [i % 80_000 for i in range(at, at + 2000)]
            assert not cache.write("x", [keys[i] for i in part], values[part]).any()

    writers = [threading.Thread(target=write, args=(start,)) for start in range(0, 80_000, 20_000)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert RedisPairCache(redis_server.url, days=90).read("x", keys).values.tobytes() == values.tobytes()


def test_many_keys_cost_few_round_trips(redis_url: str, namespace: str) -> None:
    cache = RedisPairCache(redis_url, days=90)
    cache.write(namespace, keys_of(8000), scores_of(8000))
    begun = cache.link.round_trips
    assert not cache.read(namespace, keys_of(8000)).missed.any()
    assert cache.link.round_trips - begun <= 2 * len(BUCKETS) + 1


def test_a_value_of_another_length_is_a_miss_and_is_overwritten(redis_url: str, namespace: str) -> None:
    """K01."""
    client = redis.Redis.from_url(redis_url, protocol=2)
    cache = RedisPairCache(redis_url, days=90)
    keys, field = keys_of(4, seed=5), Addresses(namespace, keys_of(4, seed=5)).fields[0]
    cache.write(namespace, keys, scores_of(4))
    (bucket,) = [bucket for bucket in buckets_of(client) if client.hexists(bucket, field)]
    for damaged in (b"12345678", b"", b"abc"):
        client.hset(bucket, field, damaged)
        found = cache.read(namespace, keys)
        assert np.isnan(found.values).tolist() == [True, False, False, False]
        assert not found.failed.any()
        cache.write(namespace, keys, scores_of(4))
        assert cache.read(namespace, keys).values.tobytes() == scores_of(4).tobytes()


def test_a_foreign_value_under_our_name_gives_way(
    redis_server: RedisServer, client_of_its_own: redis.Redis
) -> None:
    cache, keys = RedisPairCache(redis_server.url, days=90), keys_of(50)
    cache.write("x", keys, scores_of(50))
    for bucket in buckets_of(client_of_its_own):
        client_of_its_own.set(bucket, "no hash")
    assert cache.read("x", keys).failed.all()
    assert cache.write("x", keys, scores_of(50)).all()
    assert not cache.write("x", keys, scores_of(50)).any()
    assert cache.read("x", keys).values.tobytes() == scores_of(50).tobytes()


def test_a_used_score_lives_on_and_an_unused_one_expires(redis_url: str, namespace: str) -> None:
    clock = Clock(1000 * 90 * DAY)
    cache = RedisPairCache(redis_url, days=90, clock=clock)
    used, unused = keys_of(20, seed=3), keys_of(20, seed=4)
    cache.write(namespace, used + unused, scores_of(40))
    for _ in range(5):
        clock.now += 89 * DAY
        assert cache.read(namespace, used).values.tobytes() == scores_of(40)[:20].tobytes()
    assert np.isnan(cache.read(namespace, unused).values).all()


def test_a_used_score_moves_and_is_never_there_twice(
    redis_server: RedisServer, client_of_its_own: redis.Redis
) -> None:
    clock = Clock(1000 * 90 * DAY)
    cache = RedisPairCache(redis_server.url, days=90, clock=clock)
    keys, values = keys_of(70_000), scores_of(70_000)
    cache.write("x", keys, values)
    clock.now += 90 * DAY
    for _ in range(2):
        assert cache.read("x", keys[:30_000]).values.tobytes() == values[:30_000].tobytes()
        assert (stored(client_of_its_own, 1000), stored(client_of_its_own, 1001)) == (40_000, 30_000)
    assert cache.read("x", keys).values.tobytes() == values.tobytes()
    assert stored(client_of_its_own, 1000) == 0


def test_every_bucket_expires_by_itself(redis_server: RedisServer, client_of_its_own: redis.Redis) -> None:
    RedisPairCache(redis_server.url, days=90).write("x", keys_of(80_000), scores_of(80_000))
    seconds = [client_of_its_own.ttl(bucket) for bucket in buckets_of(client_of_its_own)]
    assert len(seconds) > BUCKETS[0]
    assert all(90 * DAY - 60 <= left <= 180 * DAY for left in seconds)


def test_a_full_cache_stores_nothing_new_until_the_next_epoch(
    redis_server: RedisServer, client_of_its_own: redis.Redis, logs: LogCapture
) -> None:
    clock = Clock(1000 * 90 * DAY)
    cache = RedisPairCache(redis_server.url, days=90, megabytes=1, clock=clock)
    before = client_of_its_own.info("memory")["used_memory"]
    for epoch in range(1000, 1003):
        keys, values = keys_of(30_000, seed=epoch), scores_of(30_000)
        assert not cache.write("x", keys, values).any()
        count = stored(client_of_its_own, epoch)
        assert 14_000 < count < 24_000
        found = cache.read("x", keys)
        assert (~found.missed).sum() == count
        assert found.values[~found.missed].tobytes() == values[~found.missed].tobytes()
        for bucket in buckets_of(client_of_its_own, epoch - 1):
            client_of_its_own.delete(bucket)  # as its expiry does
        assert client_of_its_own.info("memory")["used_memory"] - before < 2**20
        clock.now += 90 * DAY
    assert [entry["event"] for entry in logs.entries].count("pairs_full") == 1


def test_eviction_by_the_server_is_harmless(
    redis_server: RedisServer, client_of_its_own: redis.Redis
) -> None:
    """K03: Redis throws away what it likes while scores are written."""
    used = client_of_its_own.info("memory")["used_memory"]
    client_of_its_own.config_set("maxmemory", used + 1_000_000)
    client_of_its_own.config_set("maxmemory-policy", "allkeys-random")
    cache, keys, values = RedisPairCache(redis_server.url, days=90), keys_of(80_000), scores_of(80_000)
    for start in range(0, 80_000, 4000):
        part = slice(start, start + 4000)
        assert not cache.write("x", keys[part], values[part]).any()
    found = cache.read("x", keys)
    assert not found.failed.any()
    assert 1000 < found.missed.sum() < 79_000
    assert found.values[~found.missed].tobytes() == values[~found.missed].tobytes()


def test_the_second_run_scores_nothing(redis_url: str) -> None:
    settings = ChunkingSettings(window_tokens=random.randint(20, 200))
    documents = [sentences(20, seed=random.randint(0, 1 << 30)) for _ in range(2)]
    first = build_cut_scorer(settings, redis_url).score_cuts(documents)
    second = build_cut_scorer(settings, redis_url).score_cuts(documents)
    assert [scores.stats for scores in first] == [ChunkingStats(pairs_scored=19, pair_cache_misses=19)] * 2
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
