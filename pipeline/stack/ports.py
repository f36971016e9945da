"""Free ports on loopback."""

from __future__ import annotations

import socket
from collections.abc import Container

LOOPBACK = "127.0.0.1"


def is_free(port: int) -> bool:
    """Whether a server could listen on ``port`` of loopback now.

    ``SO_REUSEADDR`` lets the check pass over connections of an earlier server that are still in
    TIME_WAIT, as the servers themselves do; a port somebody listens on stays refused.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
            probe.listen(1)
        except OSError:
            return False
    return True


def choose(preferred: int, *, taken: Container[int] = ()) -> int:
    """``preferred`` when free, else one of the twenty after it, else any that the system has free."""
    for port in range(preferred, min(preferred + 20, 65536)):
        if port not in taken and is_free(port):
            return port
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])
