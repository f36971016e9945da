from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.search.fusion import deciding_score, explain, ranking, scaled
from indexing.store.store import ScoredId

_IDS = st.sampled_from("абвгдежз")
_FOUND = st.dictionaries(_IDS, st.sampled_from([0.1, 0.5, 0.9])).map(
    lambda scores: [ScoredId(id_, score) for id_, score in scores.items()]
)


@given(_FOUND, st.integers(0, 9), st.randoms(use_true_random=False))
def test_ranking_does_not_depend_on_the_order_of_answers(
    found: list[ScoredId], limit: int, random: Random
) -> None:
    shuffled = found.copy()
    random.shuffle(shuffled)
    ranked = ranking(shuffled, limit)
    assert ranked == ranking(found, limit)
    assert len(ranked) == min(limit, len(found))
    assert [item.score for item in ranked] == sorted((item.score for item in found), reverse=True)[:limit]


@given(_FOUND, _FOUND)
def test_fused_score_is_the_mean_of_both_scaled_scores(dense: list[ScoredId], sparse: list[ScoredId]) -> None:
    dense, sparse = ranking(dense, 9), ranking(sparse, 9)
    explained = explain(dense, sparse)
    assert set(explained) == {item.chunk_id for item in [*dense, *sparse]}
    by_meaning, by_words = scaled(dense), scaled(sparse, lowest=0.0)
    for id_, told in explained.items():
        mean = (by_meaning.get(id_, 0.0) + by_words.get(id_, 0.0)) / 2
        assert told.fused_score == deciding_score(told) == pytest.approx(mean)


@given(_FOUND)
def test_scaled_scores_keep_the_order_between_0_and_1(found: list[ScoredId]) -> None:
    ranked = ranking(found, 9)
    for scores in (list(scaled(ranked).values()), list(scaled(ranked, lowest=0.0).values())):
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)
        assert not scores or scores[0] == 1


def test_a_ranking_that_was_not_read_is_not_fused() -> None:
    told = explain([ScoredId("a", 0.7)], None)["a"]
    assert (told.dense_rank, told.dense_score, told.fused_score) == (1, 0.7, None)
    assert deciding_score(told) == 0.7
    assert deciding_score(explain(None, [ScoredId("a", 3.5)])["a"]) == 3.5
    assert explain(None, []) == {}
    # An empty ranking was read: the other one alone decides.
    fused = explain([ScoredId("a", 0.7), ScoredId("b", 0.5)], [])
    assert (fused["a"].fused_score, fused["b"].fused_score) == (0.5, 0.0)
