"""Mode ``window``: the published recursion on scores that are known beforehand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from chunking.partition.layout import Layout
from chunking.partition.standing import Values

NONE = -1


@dataclass(frozen=True, slots=True)
class CutTree:
    """A Cartesian tree over cuts: every cut is cut before those below it.

    Attributes:
        root: The cut that comes first, or ``NONE``.
        left: Per cut, the first cut of the stretch on its left, or ``NONE``.
        right: The same on its right.
    """

    root: int
    left: list[int]
    right: list[int]


def cut_tree(layout: Layout, values: Values) -> list[int]:
    """Cut every span that does not fit well at its lowest value, over and over.

    These are exactly the boundaries of the recursive algorithm on the same values; the first of equal
    values wins. Where structure rules mark cuts, forced cuts come first and a cut that breaks a rule
    only when its span has no other. Linear in the number of cuts.

    Args:
        layout: Units, limits and rules.
        values: Per cut its value; lower is cut first.

    Returns:
        Units that start a chunk, in order.
    """
    tree = build_tree(_order(layout, values))
    starts = []
    stack = [(0, layout.size, tree.root)]
    while stack:
        start, stop, cut = stack.pop()
        if cut == NONE or layout.is_final(start, stop, layout.severity[cut]):
            starts.append(start)
            continue
        stack.append((cut + 1, stop, tree.right[cut]))
        stack.append((start, cut + 1, tree.left[cut]))
    return starts


def build_tree(rank: list[int]) -> CutTree:
    """Cartesian tree over distinct ranks; Gabow, Bentley and Tarjan (1984), one pass with a stack."""
    left, right = [NONE] * len(rank), [NONE] * len(rank)
    spine: list[int] = []
    for cut, own in enumerate(rank):
        below = NONE
        while spine and rank[spine[-1]] > own:
            below = spine.pop()
        left[cut] = below
        if spine:
            right[spine[-1]] = cut
        spine.append(cut)
    return CutTree(spine[0] if spine else NONE, left, right)


def _order(layout: Layout, values: Values) -> list[int]:
    """Rank of every cut: by severity, then by value, then by position."""
    severity = np.asarray([int(kind) for kind in layout.severity], dtype=np.int64)
    order = np.lexsort((values, severity))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return [int(place) for place in rank]
