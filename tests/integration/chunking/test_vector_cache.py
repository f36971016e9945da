from __future__ import annotations

import uuid

import numpy as np
import numpy.typing as npt
import pytest
import redis

from chunking.cache.layout import Addresses
from chunking.vector_cache import RedisVectorCache, build_vector_cache, text_key
from tests.fixtures.redis import RedisServer

pytestmark = pytest.mark.integration

KEYS = [text_key(f"Предложение {i}.") for i in range(300)]


def vectors_of(count: int, dimension: int = 384) -> npt.NDArray[np.float32]:
    vectors = np.random.default_rng(count).normal(size=(count, dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


@pytest.fixture
def namespace() -> str:
    return uuid.uuid4().hex


def test_what_is_written_is_read_bit_for_bit(redis_url: str, namespace: str) -> None:
    """What a second run reads is what the first one computed with: no result depends on the cache."""
    vectors = vectors_of(300)
    build_vector_cache(redis_url, 384, 90).write(namespace, KEYS, vectors)
    found = build_vector_cache(redis_url, 384, 90).read(namespace, [*KEYS[::-1], text_key("Другое.")]).vectors
    assert found.dtype == np.float32
    assert found[:300].tobytes() == vectors[::-1].tobytes()
    assert np.isnan(found[300]).all()


def test_vectors_of_a_view_or_of_doubles_are_stored_as_they_are(redis_url: str, namespace: str) -> None:
    cache, vectors = build_vector_cache(redis_url, 8, 90), vectors_of(10, 16)
    cache.write(namespace, KEYS[:10], vectors[:, ::2])
    assert np.array_equal(cache.read(namespace, KEYS[:10]).vectors, vectors[:, ::2])


def test_other_models_and_dimensions_are_unknown(redis_url: str, namespace: str) -> None:
    """K01."""
    build_vector_cache(redis_url, 8, 90).write(namespace, KEYS[:5], vectors_of(5, 8))
    assert np.isnan(build_vector_cache(redis_url, 8, 90).read(f"{namespace} v2", KEYS[:5]).vectors).all()
    other = build_vector_cache(redis_url, 4, 90)
    assert np.isnan(other.read(namespace, KEYS[:5]).vectors).all()
    other.write(namespace, KEYS[:5], vectors_of(5, 4))
    assert np.array_equal(
        build_vector_cache(redis_url, 8, 90).read(namespace, KEYS[:5]).vectors, vectors_of(5, 8)
    )


@pytest.mark.parametrize("damaged", [b"", b"short", b"\0" * 36, b"\xff" * 32], ids=len)
def test_a_damaged_vector_is_unknown_and_is_overwritten(
    redis_url: str, namespace: str, damaged: bytes
) -> None:
    """K01: of another length, or of no numbers."""
    client = redis.Redis.from_url(redis_url, protocol=2)
    cache, vectors = build_vector_cache(redis_url, 8, 90), vectors_of(3, 8)
    cache.write(namespace, KEYS[:3], vectors)
    field = Addresses(f"8;{namespace}", KEYS[:1]).fields[0]
    (bucket,) = [name for name in client.scan_iter(match="rubrica:vectors:*") if client.hexists(name, field)]
    client.hset(bucket, field, damaged)
    found = cache.read(namespace, KEYS[:3]).vectors
    assert np.isnan(found).all(axis=1).tolist() == [True, False, False]
    assert np.array_equal(found[1:], vectors[1:])
    cache.write(namespace, KEYS[:3], vectors)
    assert np.array_equal(cache.read(namespace, KEYS[:3]).vectors, vectors)


def test_what_is_no_number_is_not_stored(redis_url: str, namespace: str) -> None:
    cache, vectors = build_vector_cache(redis_url, 4, 90), vectors_of(4, 4)
    vectors[1, 2], vectors[2, 0] = np.nan, np.inf
    cache.write(namespace, KEYS[:4], vectors)
    assert np.isnan(cache.read(namespace, KEYS[:4]).vectors).all(axis=1).tolist() == [
        False,
        True,
        True,
        False,
    ]


def test_vectors_are_bounded_and_expire(redis_server: RedisServer) -> None:
    client = redis.Redis.from_url(redis_server.url, protocol=2)
    cache = RedisVectorCache(redis_server.url, 384, days=90, megabytes=16)
    before = client.info("memory")["used_memory"]
    for start in range(0, 12_000, 1000):
        cache.write("e5", [text_key(str(i)) for i in range(start, start + 1000)], vectors_of(1000))
    buckets = list(client.scan_iter(match="rubrica:vectors:*"))
    assert sum(client.hlen(bucket) for bucket in buckets) > 3000
    assert client.info("memory")["used_memory"] - before < 16 * 2**20
    assert all(client.ttl(bucket) > 0 for bucket in buckets)


def test_redis_killed_and_back(redis_server: RedisServer) -> None:
    """K03."""
    now = [0.0]
    cache, vectors = RedisVectorCache(redis_server.url, 384, days=90, timer=lambda: now[0]), vectors_of(300)
    cache.write("e5", KEYS, vectors)
    redis_server.kill()
    for _ in range(5):
        assert np.isnan(cache.read("e5", KEYS).vectors).all()
        cache.write("e5", KEYS, vectors)
    redis_server.start()
    now[0] += 10
    assert np.isnan(cache.read("e5", KEYS).vectors).all()
    cache.write("e5", KEYS, vectors)
    assert np.array_equal(cache.read("e5", KEYS).vectors, vectors)
