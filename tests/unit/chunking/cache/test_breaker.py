from __future__ import annotations

from collections.abc import Iterator

import pytest
import structlog
from structlog.testing import LogCapture

from chunking.cache.breaker import Breaker


class Timer:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def logs() -> Iterator[LogCapture]:
    capture = LogCapture()
    structlog.configure(processors=[capture])
    yield capture
    structlog.reset_defaults()


def test_a_failure_is_left_alone_for_longer_each_time() -> None:
    timer = Timer()
    breaker = Breaker("cache", "unreachable", 5, timer)
    pauses = []
    for _ in range(40):
        breaker.trip("no answer")
        begun = timer.now
        while breaker.open:
            timer.now += 1
        pauses.append(timer.now - begun)
    assert pauses[:5] == [5, 10, 20, 40, 60]
    assert set(pauses[5:]) == {60}


def test_a_success_makes_it_start_again() -> None:
    timer = Timer()
    breaker = Breaker("cache", "unreachable", 5, timer)
    for _ in range(3):
        breaker.trip("no answer")
    breaker.reset()
    assert not breaker.open
    breaker.trip("no answer")
    timer.now += 5
    assert not breaker.open


def test_an_outage_is_told_once_and_its_end_too(logs: LogCapture) -> None:
    breaker = Breaker("cache", "refuses", 5, Timer())
    breaker.reset()
    for _ in range(3):
        breaker.trip("full")
    breaker.reset()
    breaker.reset()
    breaker.trip("full again")
    told = [(entry["event"], entry["log_level"]) for entry in logs.entries]
    assert told == [("cache_refuses", "warning"), ("cache_is_back", "info"), ("cache_refuses", "warning")]
