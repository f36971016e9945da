from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from indexing.search.fusion import deciding_score, explain, ranking, reciprocal_rank
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
def test_fused_score_is_the_sum_over_both_rankings(dense: list[ScoredId], sparse: list[ScoredId]) -> None:
    dense, sparse = ranking(dense, 9), ranking(sparse, 9)
    explained = explain(dense, sparse)
    assert set(explained) == {item.chunk_id for item in [*dense, *sparse]}
    for id_, told in explained.items():
        places = [
            [item.chunk_id for item in found].index(id_) + 1
            for found in (dense, sparse)
            if id_ in {item.chunk_id for item in found}
        ]
        assert told.fused_score == deciding_score(told) == sum(map(reciprocal_rank, places))


def test_a_ranking_that_was_not_read_is_not_fused() -> None:
    told = explain([ScoredId("a", 0.7)], None)["a"]
    assert (told.dense_rank, told.dense_score, told.fused_score) == (1, 0.7, None)
    assert deciding_score(told) == 0.7
    assert deciding_score(explain(None, [ScoredId("a", 3.5)])["a"]) == 3.5
    assert explain(None, []) == {}
    # An empty ranking was read: the other one alone decides, by its ranks.
    assert explain([ScoredId("a", 0.7)], [])["a"].fused_score == reciprocal_rank(1)
