"""Strategy ``cluster``: neighbouring sentences with like embeddings, agglomerated to chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunking.partition.standing import Values
from chunking.plan import Plan
from chunking.strategies.base import Partition
from chunking.strategies.groups import cut_to_size, dullest_first, join_groups, meaningful_cuts, without_small
from chunking.strategies.hierarchy import Hierarchy, build_hierarchy, silhouette
from chunking.strategies.parts import StrategyParts
from chunking.strategies.vectors import PassageVectors, Vectors, build_vectors
from chunking.units import Span
from rubrica.identity import config_sig


@dataclass(frozen=True, slots=True)
class ClusterLimits:
    """What makes a cluster good.

    Attributes:
        silhouette: Two neighbours at least this far apart stay two, though they would fit together.
        least: Tokens of a body under which a cluster is joined with a neighbour that it resembles.
        most: Most tokens of a chunk, all that it carries included.
        slack: How far that is below the token limit.
    """

    silhouette: float
    least: int
    most: int
    slack: int

    @classmethod
    def within(cls, limit: int, *, silhouette: float, least: int, most: int) -> ClusterLimits:
        """The limits, scaled down together where a chunk may not be that long."""
        if most > limit:
            least, most = least * limit // most, limit
        return cls(silhouette, least, most, limit - most)


class ClusterStrategy:
    """Agglomerative clustering (Ward) in which only neighbours merge.

    What is clustered are the stretches between cuts that meaning may decide about: sentences, and whole
    clauses, tables and definitions with structure rules. From the top of the hierarchy down, a cluster is
    cut where it is too long or where its two halves are distinct: both of ``min_tokens`` at least, with a
    mean silhouette over the threshold. What is then too small is joined with the neighbour it is
    nearest to, unless the two are distinct in the same sense.
    """

    def __init__(self, vectors: PassageVectors, limits: ClusterLimits) -> None:
        """Choose what to cluster by.

        Args:
            vectors: Embeds passages.
            limits: Sizes and silhouette.
        """
        self._vectors = vectors
        self._limits = limits

    @property
    def signature(self) -> str:
        """Embedder and limits."""
        limits = self._limits
        return config_sig(
            {"strategy": "cluster", "vectors": self._vectors.signature, "silhouette": limits.silhouette}
            | {"least": limits.least, "most": limits.most}
        )

    def partition(self, plans: Sequence[Plan]) -> list[Partition]:
        """Partitions of documents, their sentences embedded together."""
        atoms = [[0, *(cut + 1 for cut in meaningful_cuts(plan))] for plan in plans]
        texts = [_texts(plan, starts) for plan, starts in zip(plans, atoms, strict=True)]
        vectors = self._vectors.embed([list(map(self._vectors.clipped, own)) for own in texts])
        return [
            _Clustering(plan, starts, rows, self._limits).partition()
            for plan, starts, rows in zip(plans, atoms, vectors, strict=True)
        ]


def build(parts: StrategyParts) -> ClusterStrategy:
    """The strategy as the settings describe it.

    Raises:
        ConfigurationError: There is no embedder, or it cannot be loaded.
    """
    settings = parts.settings
    limits = ClusterLimits.within(
        min(settings.max_tokens, parts.counter.limit),
        silhouette=settings.cluster_silhouette,
        least=settings.cluster_min_tokens,
        most=settings.cluster_max_tokens,
    )
    return ClusterStrategy(build_vectors(parts), limits)


def _texts(plan: Plan, starts: Sequence[int]) -> list[str]:
    text, units = plan.document.text, plan.units
    stops = [*starts[1:], len(units)]
    return [text[units[start].start : units[stop - 1].end] for start, stop in zip(starts, stops, strict=True)]


class _Clustering:
    """One document: atoms (each a span of units with one vector) and the hierarchy over them."""

    def __init__(self, plan: Plan, starts: Sequence[int], vectors: Vectors, limits: ClusterLimits) -> None:
        self._plan = plan
        self._starts = starts
        self._vectors = vectors
        self._limits = limits
        self._atom = {unit: i for i, unit in enumerate([*starts, plan.layout.size])}

    def partition(self) -> Partition:
        layout = self._plan.layout
        values = np.zeros(len(layout.severity), dtype=np.float64)
        costs = np.full(len(layout.severity), 0.5)
        clusters: list[int] = []
        for first, stop in self._independent():
            hierarchy = build_hierarchy(self._vectors[first:stop])
            clusters += [self._starts[first + start] for start in self._cut(hierarchy, first)]
            for atom, height in enumerate(hierarchy.heights, first + 1):
                # What merges last, or never, is cut first; what is inside an atom comes after all that.
                values[self._starts[atom] - 1] = -1.0 - height
                costs[self._starts[atom] - 1] = 0.5 - 0.45 * (height + 1) / len(hierarchy.heights)
        groups = without_small(self._plan, self._joined(clusters, values), values)
        return Partition(cut_to_size(self._plan, groups, costs), {}, values)

    def _independent(self) -> list[Span]:
        """Spans of atoms between forced cuts."""
        starts = [self._atom[unit] for unit in self._plan.layout.forced]
        return list(zip(starts, [*starts[1:], len(self._starts)], strict=True))

    def _cut(self, hierarchy: Hierarchy, offset: int) -> list[int]:
        """Atoms, from ``offset`` on, that start a cluster: the hierarchy cut from its top down."""
        found: list[int] = []
        stack = [hierarchy.root]
        while stack:
            node = stack.pop()
            children = hierarchy.children(node)
            halves = [self._units(hierarchy.spans[child], offset) for child in children]
            if halves and not self._whole(*halves):
                stack += reversed(children)
            else:
                found.append(hierarchy.spans[node][0])
        return found

    def _units(self, atoms: Span, offset: int) -> Span:
        bounds = [*self._starts, self._plan.layout.size]
        return bounds[offset + atoms[0]], bounds[offset + atoms[1]]

    def _whole(self, left: Span, right: Span) -> bool:
        return self._fits(left[0], right[1]) and not self._distinct(left, right)

    def _fits(self, start: int, stop: int) -> bool:
        layout = self._plan.layout
        return layout.tokens(start, stop) <= layout.comfort[start] - self._limits.slack

    def _distinct(self, left: Span, right: Span) -> bool:
        layout = self._plan.layout
        if min(layout.tokens(*left), layout.tokens(*right)) < layout.min_tokens:
            return False
        first, middle, stop = self._atom[left[0]], self._atom[right[0]], self._atom[right[1]]
        return silhouette(self._vectors[first:middle], self._vectors[middle:stop]) >= self._limits.silhouette

    def _joined(self, clusters: Sequence[int], values: Values) -> list[int]:
        layout, least = self._plan.layout, self._limits.least

        def joins(left: Span, right: Span) -> bool:
            small = min(layout.tokens(*left), layout.tokens(*right)) < least
            return small and self._whole(left, right)

        return join_groups(clusters, layout.size, dullest_first(self._plan, clusters, values), joins)
