"""Measures of text segmentation: Pk of boundaries, average precision of scores."""

from __future__ import annotations

from collections.abc import Sequence

from nltk.metrics import pk as nltk_pk  # type: ignore[import-untyped]
from sklearn.metrics import average_precision_score  # type: ignore[import-untyped]

Boundaries = Sequence[bool]


def pk(reference: Boundaries, hypothesis: Boundaries) -> float:
    """Share of windows whose two ends a segmentation wrongly puts into one segment, or wrongly parts.

    Beeferman, Berger and Lafferty 1999, by NLTK; the ends are half a mean segment of the reference apart.

    Args:
        reference: Per gap between neighbouring sentences, whether a segment ends there.
        hypothesis: The same as a chunker has it; of the same length.

    Returns:
        Between 0 (the same segments) and 1.

    Raises:
        ValueError: The two are of different lengths, or empty.
    """
    if len(reference) != len(hypothesis):
        raise ValueError("Both segmentations must be of the same text.")
    if not len(reference):
        raise ValueError("A single sentence has no gaps to compare.")
    # NLTK's own default divides gaps by boundaries, not sentences by segments: too long for few of them.
    sentences, segments = len(reference) + 1, sum(map(bool, reference)) + 1
    window = min(len(reference), max(1, round(sentences / segments / 2)))
    return float(nltk_pk(_ones(reference), _ones(hypothesis), k=window))


def average_precision(labels: Boundaries, scores: Sequence[float]) -> float:
    """Average precision of scores that tell boundaries from other gaps, by scikit-learn.

    Args:
        labels: Per gap, whether a segment ends there.
        scores: Per gap, the higher the more a boundary (of a similarity pass the negative).

    Returns:
        Between 0 and 1; random scores get the share of boundaries among the gaps.

    Raises:
        ValueError: There is no boundary, or the two are of different lengths.
    """
    if not any(labels):
        raise ValueError("Without a boundary there is no precision to average.")
    return float(average_precision_score(list(map(bool, labels)), list(scores)))


def lowest_cuts(scores: Sequence[float], count: int) -> list[bool]:
    """The boundaries that are the ``count`` lowest of the scores; the first of equal ones wins."""
    chosen = sorted(range(len(scores)), key=lambda gap: (scores[gap], gap))[:count]
    return [gap in set(chosen) for gap in range(len(scores))]


def _ones(boundaries: Boundaries) -> str:
    return "".join("1" if boundary else "0" for boundary in boundaries)
