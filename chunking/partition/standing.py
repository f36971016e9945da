"""Puts scored and unscored cuts of one document on one scale."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]

# Interquartile range of a normal distribution, in standard deviations.
_NORMAL_IQR = 1.349
_ENOUGH_SCORES = 8
# In spreads; less than what lies between any two kinds of unscored cuts.
_FAVOUR = 0.25


def cut_values(standing: Sequence[float | None], scores: Mapping[int, float]) -> Values:
    """The value of every cut, on the scorer's own scale; lower cuts first.

    Args:
        standing: Fixed standing of cuts, in spreads around the centre of the scores.
        scores: Logits of the cuts that were scored.

    Returns:
        ``[cuts]``: the logit where there is one; else what the fixed standing means among this
        document's scores. A cut without either (it can never be chosen) gets the centre.
    """
    centre, spread = location(list(scores.values()))
    values = np.array([centre + spread * (fixed or 0.0) for fixed in standing], dtype=np.float64)
    for cut, score in scores.items():
        values[cut] = score
    return values


def sharpness_costs(values: Values, scores: Mapping[int, float]) -> Values:
    """Costs of cuts in ``(0, 1)``, monotone in their values and relative to the document.

    Models spread their logits differently, so the sigmoid is taken of the distance from the document's
    centre, in spreads: a cut in the middle of the field costs one half, whatever the model.
    """
    centre, spread = location(list(scores.values()))
    return 1.0 / (1.0 + np.exp(np.clip((centre - values) / spread, -50.0, 50.0)))


def favour(
    values: Values, standing: Sequence[float | None], starts: Sequence[int], scores: Mapping[int, float]
) -> Values:
    """Values in which those unscored cuts come before their equals that a partition makes.

    Args:
        values: Per cut its value.
        standing: Fixed standing of the unscored cuts.
        starts: Units that start a chunk in that partition.
        scores: Logits of the cuts that were scored.
    """
    _, spread = location(list(scores.values()))
    favoured = values.copy()
    for cut in (start - 1 for start in starts[1:]):
        if standing[cut] is not None:
            favoured[cut] -= _FAVOUR * spread
    return favoured


def location(scores: Sequence[float]) -> tuple[float, float]:
    """Centre and spread of a document's scores: median and scaled interquartile range, snapped.

    Snapping (spread to powers of two, centre to quarter spreads) keeps both the same when a sentence is
    edited, so that an edit does not move cuts far away from it. Few scores tell no spread: then the
    scale of a logit is taken as it is.
    """
    if len(scores) < _ENOUGH_SCORES:
        return 0.0, 1.0
    low, median, high = np.quantile(np.asarray(scores, dtype=np.float64), [0.25, 0.5, 0.75])
    measured = float(high - low) / _NORMAL_IQR
    spread = 2.0 ** round(math.log2(measured)) if measured > 0 else 1.0
    step = spread / 4
    return round(float(median) / step) * step, spread
