"""What the cuts of mode ``optimal`` cost, and what they earn.

Cutting at the sharpest turns only, and never without need, would fill every chunk to the limit and so cut
many thoughts in the middle; cutting at every turn would leave fragments. Between the two stands one
constant: a cut earns ``REWARD`` and costs its standing among the cuts of its document, so that a cut among
the sharpest is made of its own accord and any other only for size. What the author marked counts as well:
the cost of a cut at the edge of a paragraph is halved, before a heading halved again.

The constants were chosen by ``python -m benchmarks.objective``: of equal mean sizes, the reward that gives
the lowest Pk on sentences without structure.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from chunking.partition.standing import Values
from chunking.units import Unit
from rubrica.model import ElementKind

REWARD = 0.3
"""What a cut earns; the costs lie between 0 and 1, a middling cut of a document costs one half."""

_EDGE = 0.5
_HEADING = 0.25


def cut_costs(sharpness: Values, weights: Values | float = 1.0, *, reward: float = REWARD) -> Values:
    """Costs of cuts, negative where a cut is made of its own accord.

    Args:
        sharpness: Costs of the cuts in ``(0, 1)``, lower at sharper turns; ``[cuts]``.
        weights: What of it counts, per cut (``edge_weights``).
        reward: What every cut earns.
    """
    return sharpness * weights - reward


def edge_weights(units: Sequence[Unit]) -> Values:
    """Per cut, the share of its cost that the author's own marks leave; ``[units - 1]``.

    Items of one list are no paragraphs: their edges are worth no more than those of sentences.
    """
    return np.array([_weight(left, right) for left, right in pairwise(units)], dtype=np.float64)


def _weight(left: Unit, right: Unit) -> float:
    if left.element is right.element:
        return 1.0
    if right.heading:
        return _HEADING
    return 1.0 if left.element.kind is right.element.kind is ElementKind.LIST_ITEM else _EDGE
