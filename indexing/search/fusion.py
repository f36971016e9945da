"""Rankings, and one made of two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from indexing.search.model import Explanation
from indexing.store.store import ScoredId

# Bruch, Gai, Ingber: An Analysis of Fusion Functions for Hybrid Retrieval, TOIS 2023: scores that are scaled
# and added tell more than places. Equal weights: nothing was tuned.
_DENSE_WEIGHT = 0.5


def ranking(found: Iterable[ScoredId], limit: int) -> list[ScoredId]:
    """The best of what was found, equal scores in the order of ids.

    Args:
        found: Chunks with their scores, each of them once.
        limit: How many to keep.
    """
    return sorted(found, key=lambda item: (-item.score, item.chunk_id))[:limit]


def scaled(found: Sequence[ScoredId], lowest: float | None = None) -> dict[str, float]:
    """Scores from 0 to 1, by chunk id.

    Args:
        found: A ranking, best first.
        lowest: The score that becomes 0; by default the last one's.
    """
    if not found:
        return {}
    least = found[-1].score if lowest is None else lowest
    span = found[0].score - least
    return {item.chunk_id: (item.score - least) / span if span > 0 else 1.0 for item in found}


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
    fused = _fused(dense, sparse) if dense is not None and sparse is not None else {}
    explained = {}
    for chunk_id in dict.fromkeys([*by_meaning, *by_words]):
        dense_rank, dense_score = by_meaning.get(chunk_id, (None, None))
        bm25_rank, bm25_score = by_words.get(chunk_id, (None, None))
        explained[chunk_id] = Explanation(
            dense_score=dense_score,
            dense_rank=dense_rank,
            bm25_score=bm25_score,
            bm25_rank=bm25_rank,
            fused_score=fused.get(chunk_id),
        )
    return explained


def _fused(dense: Sequence[ScoredId], sparse: Sequence[ScoredId]) -> dict[str, float]:
    """The weighted mean of both scaled scores; where a ranking does not hold a chunk, it counts as 0.

    No vector is far from all others, so the last of those that were read is the zero of the dense scores;
    without a common word BM25 is 0.
    """
    by_meaning, by_words = scaled(dense), scaled(sparse, lowest=0.0)
    return {
        id_: _DENSE_WEIGHT * by_meaning.get(id_, 0.0) + (1 - _DENSE_WEIGHT) * by_words.get(id_, 0.0)
        for id_ in dict.fromkeys([*by_meaning, *by_words])
    }


def deciding_score(explanation: Explanation) -> float:
    """The score that a chunk is ordered by: the last that was given."""
    scores = (
        explanation.rerank_score,
        explanation.fused_score,
        explanation.dense_score,
        explanation.bm25_score,
    )
    return next(score for score in scores if score is not None)
