"""Work on all cores, in threads: for calls into libraries that release the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

# Fewer items than this a thread are not worth starting it.
_LEAST = 32


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_on_cores(function: Callable[[_Item], _Result], items: Sequence[_Item]) -> list[_Result]:
    """Results of a function, in the order of ``items``.

    Args:
        function: May be called from several threads at once.
        items: What to call it with.
    """
    workers = min(available_cores(), len(items) // _LEAST)
    if workers < 2:
        return [function(item) for item in items]
    # Dealt out in turns: neighbours are of like size.
    hands = [items[first::workers] for first in range(workers)]
    results: list[_Result | None] = [None] * len(items)
    # No longer alive than the call: threads do not survive a fork.
    with ThreadPoolExecutor(workers, thread_name_prefix="cores") as pool:
        done = pool.map(lambda hand: [function(item) for item in hand], hands)
        for first, hand in enumerate(done):
            results[first::workers] = hand
    return results  # type: ignore[return-value]
