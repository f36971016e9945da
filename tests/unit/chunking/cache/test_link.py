"""K03: a server that is gone, slow or no Redis costs a run little and breaks nothing."""

from __future__ import annotations

import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import redis
import structlog
from structlog.testing import LogCapture

import chunking.cache.link as link_module
from chunking.cache.link import RedisLink, failed, memory_advice, of_wrong_type

Answer = Callable[[Callable[[bytes], object]], object]


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


@contextmanager
def server_that(answers: Answer) -> Iterator[str]:
    """A server that waits for a first request and then does what it likes."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(65536)
            answers(self.request.sendall)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"redis://127.0.0.1:{server.server_address[1]}/0"
        server.shutdown()


def ok(count: int) -> bytes:
    # The client introduces itself in two commands before its first own one.
    return b"+OK\r\n" * 2 + b":1\r\n" * count


@pytest.mark.parametrize(
    "answer",
    [
        *(b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff\xfe" * 20),
        *(b"*3\r\n$5\r\nab", b"$-7\r\n", b":x\r\n", b"$x\r\n", b"*\r\n", b"\r\n"),
        b"+OK\r\n" * 2 + b"*x\r\n",
    ],
)
def test_what_is_no_redis_is_a_server_that_is_gone(answer: bytes, logs: LogCapture) -> None:
    with server_that(lambda send: send(answer)) as url:
        link = RedisLink(url, "cache", timer=Timer())
        for _ in range(100):
            assert link.read([("GET", "a"), ("GET", "b")]) == [None, None]
            assert link.write([("SET", "a", "b")]) == [None]
        assert link.round_trips == 1
        link.close()
    assert [entry["event"] for entry in logs.entries] == ["cache_unreachable"]


@pytest.mark.parametrize(
    "refusal", ["LOADING Redis is loading the dataset", "NOAUTH Authentication required."]
)
def test_a_server_that_answers_nothing_yet_is_left_alone(refusal: str, logs: LogCapture) -> None:
    with server_that(lambda send: send(ok(0) + f"-{refusal}\r\n".encode() * 2)) as url:
        timer = Timer()
        link = RedisLink(url, "cache", timer=timer)
        for _ in range(100):
            assert all(map(failed, link.read([("GET", "a"), ("GET", "b")])))
        assert link.round_trips == 1
        timer.now += 5
        assert all(map(failed, link.read([("GET", "a"), ("GET", "b")])))
        assert link.round_trips == 2
        link.close()
    assert [entry["event"] for entry in logs.entries] == ["cache_unreachable"]


def test_many_answers_each_in_time_are_too_slow_together(
    monkeypatch: pytest.MonkeyPatch, logs: LogCapture
) -> None:
    monkeypatch.setattr(link_module, "_ANSWER_TIMEOUT_S", 0.4)

    def trickle(send: Callable[[bytes], object]) -> None:
        send(ok(0))
        for _ in range(4):
            time.sleep(0.15)
            send(b"$1\r\nx\r\n")

    with server_that(trickle) as url:
        timer = Timer()
        link = RedisLink(url, "cache", timer=timer)
        # What came is used; the next question is not put.
        assert link.read([("GET", "a")] * 4) == [b"x"] * 4
        assert link.read([("GET", "a")]) == [None]
        assert link.round_trips == 1
        link.close()
    (entry,) = logs.entries
    assert entry["event"] == "cache_unreachable"
    assert "answered after" in entry["reason"]


def test_no_command_is_no_round_trip() -> None:
    link = RedisLink("redis://127.0.0.1:1/0", "cache")
    assert link.read([]) == link.write([]) == []
    assert link.round_trips == 0


def test_a_refusal_is_told_from_an_answer() -> None:
    wrong_type = redis.ResponseError("WRONGTYPE Operation against a key holding the wrong kind of value")
    assert failed(None)
    assert failed(wrong_type)
    assert not any(map(failed, ([], 0, b"")))
    assert of_wrong_type(wrong_type)
    assert not of_wrong_type(redis.ResponseError("OOM command not allowed"))
    assert not of_wrong_type(None)


@pytest.mark.parametrize(
    ("info", "told"),
    [
        ({"maxmemory": 0, "maxmemory_policy": "noeviction"}, "maxmemory 0"),
        ({"maxmemory": 1 << 29, "maxmemory_policy": "noeviction"}, "noeviction"),
        ({"maxmemory": 1 << 29, "maxmemory_policy": "allkeys-lru"}, ""),
        ({}, ""),
    ],
)
def test_unwise_memory_settings_are_told(info: dict[str, object], told: str) -> None:
    advice = memory_advice(info)
    assert told in advice
    assert bool(advice) == bool(told)
