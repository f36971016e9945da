"""Chunkers of every registered strategy and mode, on parts that can be reckoned by hand."""

from __future__ import annotations

from typing import Any

from chunking.chunker import Chunker
from chunking.factory import assemble_chunker
from chunking.strategies.base import Strategy
from chunking.strategies.cluster import ClusterLimits, ClusterStrategy
from chunking.strategies.parts import StrategyParts, build_strategy
from chunking.strategies.semantic import SemanticStrategy
from chunking.strategies.vectors import PassageVectors
from chunking.vector_cache import VectorCache
from rubrica.protocols import Embedder, TokenCounter
from rubrica.settings import ChunkingSettings
from tests.support.chunking_parts import DigestScorer, WordCounter, smart
from tests.support.vectors import BagEmbedder, MemoryVectors

SMART = ("smart-optimal", "smart-window", "smart-full")
PLAIN = ("fixed", "recursive", "heading", "code")
EMBEDDING = ("semantic", "cluster")
EVERY = (*SMART, *PLAIN, *EMBEDDING)


def strategy_chunker(
    name: str,
    counter: TokenCounter | None = None,
    *,
    embedder: Embedder | None = None,
    cache: VectorCache | None = None,
    **settings: Any,
) -> Chunker:
    """A chunker by the name of its strategy; ``smart`` goes with its mode.

    Args:
        name: One of ``EVERY``.
        counter: The tokenizer; a word counter if none is given.
        embedder: Of the strategies that compare vectors; one that sums up words if none is given.
        cache: Of vectors.
        **settings: Chunking settings; sizes are small if none are given.
    """
    strategy, _, mode = name.partition("-")
    values: dict[str, Any] = {"max_tokens": 40, "min_tokens": 10, "strategy": strategy} | (
        {"mode": mode} if mode else {}
    )
    chosen = ChunkingSettings(**(values | settings))
    counter = counter or WordCounter()
    return assemble_chunker(chosen, counter, _strategy(chosen, counter, embedder, cache))


def _strategy(
    settings: ChunkingSettings, counter: TokenCounter, embedder: Embedder | None, cache: VectorCache | None
) -> Strategy:
    if settings.strategy == "smart":
        return smart(settings, DigestScorer())
    if settings.strategy not in EMBEDDING:
        return build_strategy(StrategyParts(settings, counter))
    vectors = PassageVectors(embedder or BagEmbedder(counter), cache or MemoryVectors())
    if settings.strategy == "semantic":
        return SemanticStrategy(
            vectors, percentile=settings.semantic_percentile, neighbours=settings.semantic_neighbours
        )
    limits = ClusterLimits.within(
        min(settings.max_tokens, counter.limit),
        silhouette=settings.cluster_silhouette,
        least=settings.cluster_min_tokens,
        most=settings.cluster_max_tokens,
    )
    return ClusterStrategy(vectors, limits)
