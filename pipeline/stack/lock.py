"""One ``up`` or ``down`` of a home at a time."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rubrica.errors import FatalError


@contextmanager
def exclusive(path: Path, *, timeout_s: float, on_wait: Callable[[], None]) -> Iterator[None]:
    """Hold the lock file ``path``; the system frees it when the process ends, however it ends.

    Args:
        path: The lock file, created when missing and never removed.
        timeout_s: Longest wait for another holder, in seconds.
        on_wait: Called once when somebody else holds it.

    Raises:
        FatalError: It was not free in time.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _try_lock(handle):
            on_wait()
            _wait(handle, timeout_s)
        yield
    finally:
        os.close(handle)


def _wait(handle: int, timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while not _try_lock(handle):
        if time.monotonic() > deadline:
            raise FatalError(
                f"Another command has been starting or stopping this stack for {timeout_s:.0f} s.",
                hint="Wait for it to end, or end it, then try again.",
            )
        time.sleep(0.2)


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
