from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from pipeline.stack.ports import LOOPBACK, choose, is_free


@contextmanager
def _listener(host: str = LOOPBACK, *, share: bool = False) -> Iterator[int]:
    with socket.socket() as server:
        if share:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        server.bind((host, 0))
        server.listen()
        yield int(server.getsockname()[1])


def test_a_port_somebody_listens_on_is_not_free() -> None:
    for host, share in ((LOOPBACK, False), ("0.0.0.0", False), (LOOPBACK, True)):
        with _listener(host, share=share) as port:
            assert not is_free(port), (host, share)


def test_a_port_with_connections_of_an_earlier_server_is_free() -> None:
    with _listener() as port, socket.create_connection((LOOPBACK, port)):
        pass
    assert is_free(port)


def test_the_preferred_port_is_taken_when_it_is_free() -> None:
    with _listener() as port:
        pass
    assert choose(port) == port


def test_another_port_is_found_when_the_preferred_one_is_busy_or_promised() -> None:
    with _listener() as busy:
        chosen = choose(busy)
        assert chosen != busy
        assert is_free(chosen)
        assert choose(busy, taken={chosen}) not in (busy, chosen)


def test_the_highest_port_does_not_run_over() -> None:
    taken = set(range(65530, 65536))
    assert choose(65530, taken=taken) not in taken
