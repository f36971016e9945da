from __future__ import annotations

import socket
from collections.abc import Iterator

import numpy as np
import pytest
import structlog
from structlog.testing import LogCapture

from chunking.pair_cache import NoCache, RedisPairCache, pair_key
from chunking.scorers.base import TokenIds
from rubrica.errors import ConfigurationError


def tokens(*values: int) -> TokenIds:
    return np.array(values, dtype=np.int32)


@pytest.fixture
def logs() -> Iterator[LogCapture]:
    capture = LogCapture()
    structlog.configure(processors=[capture])
    yield capture
    structlog.reset_defaults()


@pytest.fixture
def dead_url() -> str:
    """An address where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"redis://user:hunter2@127.0.0.1:{probe.getsockname()[1]}/0"


def test_keys_tell_the_sides_apart() -> None:
    keys = {
        pair_key((tokens(1, 2), tokens(3))),
        pair_key((tokens(1), tokens(2, 3))),
        pair_key((tokens(1, 2, 3), tokens())),
        pair_key((tokens(3), tokens(1, 2))),
    }
    assert len(keys) == 4
    assert {len(key) for key in keys} == {12}
    assert pair_key((tokens(0, 1, 2)[1:], tokens(3))) in keys


def test_without_redis_nothing_is_known_missed_or_failed() -> None:
    cache = NoCache()
    assert not cache.write("x", [b"k" * 12], np.array([1.5], np.float32)).any()
    found = cache.read("x", [b"k" * 12])
    assert np.isnan(found.values).all()
    assert not found.failed.any()
    assert not found.missed.any()


def test_a_server_that_is_gone_is_tried_once_and_left_alone(dead_url: str, logs: LogCapture) -> None:
    """K03: no time-out for every pair."""
    cache = RedisPairCache(dead_url, days=90, timer=lambda: 1.0)
    keys = [bytes([i]) * 12 for i in range(100)]
    for _ in range(1000):
        found = cache.read("x", keys)
        assert found.failed.all()
        assert found.missed.all()
        assert np.isnan(found.values).all()
        assert cache.write("x", keys, np.zeros(100, np.float32)).all()
    assert cache.link.round_trips == 1
    assert [entry["event"] for entry in logs.entries] == ["pair_cache_unreachable"]
    assert "hunter2" not in str(logs.entries)


def test_nothing_is_connected_before_it_is_needed(dead_url: str, logs: LogCapture) -> None:
    cache = RedisPairCache(dead_url, days=90)
    found = cache.read("x", [])
    assert found.values.shape == (0,)
    assert cache.write("x", [], np.zeros(0, np.float32)).shape == (0,)
    cache.close()
    assert cache.link.round_trips == 0
    assert logs.entries == []


def test_a_url_that_is_none_is_refused_without_repeating_it() -> None:
    with pytest.raises(ConfigurationError, match="RUBRICA_REDIS_URL") as raised:
        RedisPairCache("http://user:hunter2@host", days=90)
    assert "hunter2" not in str(raised.value)
