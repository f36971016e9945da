"""Rankings, and one made of two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from indexing.search.model import Explanation
from indexing.store.store import ScoredId

_K = 60  # Cormack, Clarke, Büttcher: Reciprocal Rank Fusion, SIGIR 2009


def ranking(found: Iterable[ScoredId], limit: int) -> list[ScoredId]:
    """The best of what was found, equal scores in the order of ids.

    Args:
        found: Chunks with their scores, each of them once.
        limit: How many to keep.
    """
    return sorted(found, key=lambda item: (-item.score, item.chunk_id))[:limit]


def reciprocal_rank(rank: int) -> float:
    """What a place in a ranking, counted from 1, adds to the fused score."""
    return 1 / (_K + rank)


def explain(dense: Sequence[ScoredId] | None, sparse: Sequence[ScoredId] | None) -> dict[str, Explanation]:
    """Scores and places of every chunk that a ranking holds.

    Args:
        dense: The ranking by meaning; ``None`` where it was not read.
        sparse: The ranking by words; ``None`` where it was not read.

    Returns:
        By chunk id; with a fused score where both were read.
    """
    by_meaning = {item.chunk_id: (rank, item.score) for rank, item in enumerate(dense or (), start=1)}
    by_words = {item.chunk_id: (rank, item.score) for rank, item in enumerate(sparse or (), start=1)}
    fused = dense is not None and sparse is not None
    explained = {}
    for chunk_id in dict.fromkeys([*by_meaning, *by_words]):
        dense_rank, dense_score = by_meaning.get(chunk_id, (None, None))
        bm25_rank, bm25_score = by_words.get(chunk_id, (None, None))
        ranks = [rank for rank in (dense_rank, bm25_rank) if rank is not None]
        explained[chunk_id] = Explanation(
            dense_score=dense_score,
            dense_rank=dense_rank,
            bm25_score=bm25_score,
            bm25_rank=bm25_rank,
            fused_score=sum(map(reciprocal_rank, ranks)) if fused else None,
        )
    return explained


def deciding_score(explanation: Explanation) -> float:
    """The score that a chunk is ordered by: the last that was given."""
    scores = (
        explanation.rerank_score,
        explanation.fused_score,
        explanation.dense_score,
        explanation.bm25_score,
    )
    return next(score for score in scores if score is not None)
