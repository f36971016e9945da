"""Are two chunkers different, on the same questions?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]

RESAMPLES = 10_000
_SEED = 20_261_130
_AT_ONCE = 500
SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of one side minus mean of the other, over the same questions.

    Attributes:
        mean: The difference.
        low: Lower end of its 95 % interval (percentiles of the resamples).
        high: Upper end.
        p: Two-sided p value, not corrected.
    """

    mean: float
    low: float
    high: float
    p: float


def paired_bootstrap(ours: Values, theirs: Values) -> Difference:
    """Resample questions with replacement, the same ones for both sides.

    The p value is the share of resamples whose difference, moved to a mean of zero, is at least as far from
    zero as the one observed (Efron and Tibshirani 1993, section 16.4), never below one in the number of
    resamples. The seed is fixed: the same values give the same p.

    Args:
        ours: One side's values, per question.
        theirs: The other side's, in the same order.
    """
    differences = np.asarray(ours, np.float64) - np.asarray(theirs, np.float64)
    observed = float(differences.mean())
    means = _resampled_means(differences)
    low, high = np.quantile(means, [0.025, 0.975])
    # A hair of slack: sums of the same numbers in another order differ in their last bits.
    beyond = np.abs(means - observed) >= abs(observed) - 1e-12
    p = (1 + int(beyond.sum())) / (1 + RESAMPLES)
    return Difference(observed, float(low), float(high), p)


def _resampled_means(differences: Values) -> Values:
    generator = np.random.default_rng(_SEED)
    count = len(differences)
    parts = []
    for _ in range(0, RESAMPLES, _AT_ONCE):
        chosen = generator.integers(0, count, (_AT_ONCE, count))
        parts.append(differences[chosen].mean(axis=1))
    return np.concatenate(parts)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction over a family of tests (Holm 1979); p values in the order given."""
    count = len(p_values)
    order = sorted(range(count), key=lambda i: p_values[i])
    corrected = [0.0] * count
    highest = 0.0
    for place, i in enumerate(order):
        highest = max(highest, min(1.0, (count - place) * p_values[i]))
        corrected[i] = highest
    return corrected
