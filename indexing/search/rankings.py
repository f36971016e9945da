"""Reads the rankings of a query from Milvus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from indexing.search.conditions import Condition
from indexing.search.fusion import explain, ranking
from indexing.search.model import Explanation, SearchMode
from indexing.store.store import ScoredId, VectorStore
from indexing.store.terms import search_terms
from rubrica.protocols import Embedder


@dataclass(frozen=True, slots=True)
class RankingReader:
    """Reads the rankings of one collection.

    Attributes:
        store: Milvus.
        embedder: The embedder that the collection was built with.
        collection: The collection.
    """

    store: VectorStore
    embedder: Embedder
    collection: str

    def read(self, query: str, mode: SearchMode, condition: Condition, depth: int) -> dict[str, Explanation]:
        """Scores and places of the chunks that a mode finds.

        Args:
            query: Words or a question.
            mode: Which rankings to read.
            condition: What chunks must meet.
            depth: How many of the best of each ranking to read.

        Returns:
            By chunk id, in no order.

        Raises:
            InvalidRequestError: The condition is not a valid expression.
        """
        dense = self._by_meaning(query, condition, depth) if mode != SearchMode.SPARSE else None
        sparse = self._by_words(query, condition, depth) if mode != SearchMode.DENSE else None
        return explain(dense, sparse)

    def _by_meaning(self, query: str, condition: Condition, depth: int) -> list[ScoredId]:
        vector = self.embedder.embed_query(query)
        return _merged(
            condition,
            depth,
            lambda part: self.store.nearest(self.collection, vector, limit=depth, condition=part),
        )

    def _by_words(self, query: str, condition: Condition, depth: int) -> list[ScoredId]:
        terms = search_terms(query)
        return _merged(
            condition,
            depth,
            lambda part: self.store.matching(self.collection, terms, limit=depth, condition=part),
        )


def _merged(condition: Condition, depth: int, read: Callable[[str], list[ScoredId]]) -> list[ScoredId]:
    return ranking((item for part in condition.expressions() for item in read(part)), depth)
