from __future__ import annotations

import socket

import numpy as np
import pytest

from chunking.vector_cache import (
    NoVectorCache,
    RedisVectorCache,
    VectorCache,
    build_vector_cache,
    text_key,
)
from rubrica.errors import ConfigurationError


def test_keys_tell_texts_apart() -> None:
    texts = [
        "",
        " ",
        "Стена.",
        "Стена. ",
        "стена.",
        "\ud835",
        "\N{LATIN SMALL LETTER E WITH ACUTE}",
        "e\u0301",
    ]
    keys = {text_key(text) for text in texts}
    assert len(keys) == len(texts)
    assert {len(key) for key in keys} == {12}
    assert text_key("Стена.") in keys


def test_without_redis_nothing_is_known() -> None:
    cache: VectorCache = build_vector_cache("", 3, 90)
    assert isinstance(cache, NoVectorCache)
    keys = [text_key("a"), text_key("b")]
    cache.write("e5", keys, np.ones((2, 3), np.float32))
    vectors = cache.read("e5", keys).vectors
    assert vectors.shape == (2, 3)
    assert vectors.dtype == np.float32
    assert np.isnan(vectors).all()
    assert cache.read("e5", []).vectors.shape == (0, 3)


def test_a_server_that_is_gone_is_tried_once_and_left_alone() -> None:
    """K03: without Redis every vector is unknown, and nobody waits for it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"redis://127.0.0.1:{probe.getsockname()[1]}/0"
    cache = RedisVectorCache(url, 3, days=90, timer=lambda: 1.0)
    keys = [text_key(str(i)) for i in range(10)]
    for _ in range(100):
        cache.write("e5", keys, np.ones((10, 3), np.float32))
        assert np.isnan(cache.read("e5", keys).vectors).all()
    assert cache.link.round_trips == 1


def test_vectors_of_another_dimension_are_a_mistake() -> None:
    """K01: they are never stored under a name that promises others."""
    cache = build_vector_cache("redis://127.0.0.1:1/0", 3, 90)
    with pytest.raises(ValueError, match="3"):
        cache.write("e5", [text_key("a")], np.ones((1, 4), np.float32))
    with pytest.raises(ValueError, match="3"):
        cache.write("e5", [text_key("a"), text_key("b")], np.ones((1, 3), np.float32))


def test_a_url_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="RUBRICA_REDIS_URL"):
        build_vector_cache("http://host", 3, 90)
