"""Agglomerative clustering in which only neighbours merge, and how distinct two clusters are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from chunking.units import Span

Vectors = npt.NDArray[np.float64]

_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A binary tree over a row of points; every node is a stretch of neighbours.

    Attributes:
        merges: Two nodes each, in reading order: points are nodes ``0`` to ``points - 1``, and merge ``i``
            makes node ``points + i``; ``[points - 1]``.
        spans: Per node its points; ``[2 * points - 1]``.
        heights: Per pair of neighbouring points the merge that joined them; ``[points - 1]``.
    """

    merges: list[tuple[int, int]]
    spans: list[Span]
    heights: list[int]

    @property
    def root(self) -> int:
        """The node that holds all points."""
        return len(self.spans) - 1

    def children(self, node: int) -> tuple[int, ...]:
        """The two nodes that were merged to this one, in reading order; none for a point."""
        points = len(self.merges) + 1
        return self.merges[node - points] if node >= points else ()


def build_hierarchy(vectors: Vectors) -> Hierarchy:
    """Ward's hierarchy with a chain as connectivity, by scikit-learn.

    Args:
        vectors: Unit vectors ``[points, dimension]``, at least one. On those, Ward's criterion (the
            growth of the squared Euclidean distances) is one of cosines.
    """
    points = len(vectors)
    spans: list[Span] = [(i, i + 1) for i in range(points)]
    merges: list[tuple[int, int]] = []
    heights = [0] * (points - 1)
    for one, other in _merges(vectors):
        left, right = sorted((one, other), key=spans.__getitem__)
        heights[spans[right][0] - 1] = len(merges)
        merges.append((left, right))
        spans.append((spans[left][0], spans[right][1]))
    return Hierarchy(merges, spans, heights)


def _merges(vectors: Vectors) -> list[list[int]]:
    points = len(vectors)
    if points == 1:
        return []
    if points == 2:
        return [[0, 1]]
    from scipy.sparse import diags_array  # type: ignore[import-untyped]  # noqa: PLC0415 - slow to load, and for one strategy only
    from sklearn.cluster import AgglomerativeClustering  # type: ignore[import-untyped]  # noqa: PLC0415

    chain = diags_array([np.ones(points - 1), np.ones(points - 1)], offsets=[-1, 1], format="csr")
    ward = AgglomerativeClustering(n_clusters=1, linkage="ward", connectivity=chain, compute_full_tree=True)
    merges: list[list[int]] = ward.fit(vectors).children_.tolist()
    return merges


def silhouette(left: Vectors, right: Vectors) -> float:
    """Mean silhouette (Rousseeuw 1987) of two clusters of unit vectors, in cosine distance.

    The mean distance of a point to a cluster is one minus its product with the cluster's mean, so that
    no pair has to be looked at. A cluster of one point counts as zero.
    """
    both = np.concatenate((_one_side(left, right), _one_side(right, left)))
    return float(np.round(both.mean(), _DECIMALS))


def _one_side(own: Vectors, other: Vectors) -> Vectors:
    if len(own) == 1:
        return np.zeros(1)
    # Rounded, for of equal points nothing but the noise of their products would be told apart.
    inside = np.round((len(own) - own @ own.sum(axis=0)) / (len(own) - 1), _DECIMALS)
    outside = np.round(1.0 - own @ other.mean(axis=0), _DECIMALS)
    larger = np.maximum(np.maximum(inside, outside), 10.0**-_DECIMALS)
    return np.asarray((outside - inside) / larger)
