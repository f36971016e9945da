"""One pair a call, on all cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from chunking.cores import available_cores
from chunking.scorers.base import Pair
from rubrica.protocols import Progress


def score_each(
    logit: Callable[[Pair], float], pairs: Sequence[Pair], threads: int, progress: Progress
) -> npt.NDArray[np.float32]:
    """Score every pair in a call of its own, the longest first: the cores then end at about the same time.

    Args:
        logit: Scores one pair; it must release the interpreter's lock to gain from threads.
        pairs: What to score.
        threads: Calls at the same time; 0 means one per core.
        progress: Hears of every pair that is done.

    Returns:
        Logits, float32, in the order of ``pairs``.
    """
    scores = np.empty(len(pairs), dtype=np.float32)
    order = sorted(range(len(pairs)), key=lambda i: -sum(map(len, pairs[i])))
    pool = ThreadPoolExecutor(threads or available_cores(), thread_name_prefix="scorer")
    try:
        for i, value in zip(order, pool.map(logit, (pairs[i] for i in order)), strict=True):
            scores[i] = value
            progress.advance()
    finally:
        # Interrupted, it must not wait for thousands of calls that nobody needs any more.
        pool.shutdown(cancel_futures=True)
    return scores
