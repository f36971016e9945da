"""What the cuts of mode ``optimal`` cost, and what they earn.

Cutting at the sharpest turns only, and never without need, would fill every chunk to the limit and so cut
many thoughts in the middle; cutting at every turn would leave fragments. Between the two stands one
constant: a cut earns ``REWARD`` and costs its standing among the cuts of its document, so that a cut among
the sharpest is made of its own accord and any other only for size. What the author marked counts as well:
the edge of a paragraph makes a cut one spread sharper, a heading two, before the cuts are compared; so in a
text of short paragraphs, where edges tell little, they weigh little.

``python -m benchmarks.objective`` compares rewards: of equal mean sizes, Pk on sentences without structure
is lowest between 0.2 and 0.35 (at 256 and 128 tokens), and worse without a reward or with 0.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from chunking.partition.standing import Values, location, sharpness_costs
from chunking.units import Unit
from rubrica.model import ElementKind

REWARD = 0.3
"""What a cut earns; the costs lie between 0 and 1, a middling cut of a document costs one half."""

# In spreads of the document's scores.
_PARAGRAPH = 1.0
_SECTION = 2.0


def cut_costs(
    values: Values, scores: Mapping[int, float], marks: Values | float = 0.0, *, reward: float = REWARD
) -> Values:
    """Costs of cuts, negative where a cut is made of its own accord.

    Args:
        values: Per cut its value, on the scorer's scale.
        scores: Logits of the cuts that were scored.
        marks: How much sharper the author's marks make each cut, in spreads (``author_marks``).
        reward: What every cut earns.
    """
    _, spread = location(list(scores.values()))
    marked = values - marks * spread
    return sharpness_costs(marked, {cut: float(marked[cut]) for cut in scores}) - reward


def author_marks(units: Sequence[Unit]) -> Values:
    """Per cut, how much sharper its place in the structure makes it, in spreads; ``[units - 1]``.

    Items of one list are no paragraphs: their edges are worth no more than those of sentences.
    """
    return np.array([_mark(left, right) for left, right in pairwise(units)], dtype=np.float64)


def _mark(left: Unit, right: Unit) -> float:
    if left.element is right.element:
        return 0.0
    if right.heading:
        return _SECTION
    return 0.0 if left.element.kind is right.element.kind is ElementKind.LIST_ITEM else _PARAGRAPH
