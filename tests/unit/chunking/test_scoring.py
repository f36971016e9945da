from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import chunking
from chunking.pair_cache import NoCache
from chunking.scorers.onnx import OnnxPairScorer
from chunking.scoring import WindowScorer, build_cut_scorer
from rubrica.errors import ConfigurationError
from rubrica.model import ChunkingStats
from rubrica.settings import ChunkingSettings
from tests.support.words import WORDS

SCORER = OnnxPairScorer(Path(chunking.__file__).parent / "models" / "boundary-ru-en")


class Steps:
    def __init__(self) -> None:
        self.done = 0

    def advance(self, amount: int = 1) -> None:
        self.done += amount


def sentences(count: int, seed: int = 1) -> list[str]:
    dice = random.Random(seed)
    return [" ".join(dice.choices(WORDS, k=dice.randint(4, 9))).capitalize() + "." for _ in range(count)]


@pytest.fixture
def scorer() -> WindowScorer:
    return WindowScorer(SCORER, NoCache(), 96)


def test_n_units_cost_n_minus_1_pairs(scorer: WindowScorer) -> None:
    (scores,) = scorer.score_cuts([sentences(30)])
    assert scores.values.shape == (29,)
    assert scores.values.dtype == np.float32
    assert scores.stats == ChunkingStats(pairs_scored=29)


def test_short_documents_cost_nothing(scorer: WindowScorer) -> None:
    assert [scores.stats for scores in scorer.score_cuts([[], ["Одно."]])] == [ChunkingStats()] * 2
    assert scorer.score_cuts([]) == []
    assert scorer.score_pairs([]).values.shape == (0,)


def test_documents_together_score_as_documents_alone(scorer: WindowScorer) -> None:
    documents = [sentences(count, seed=count) for count in (12, 3, 7)]
    together = scorer.score_cuts(documents)
    for scores, document in zip(together, documents, strict=True):
        assert scores.values.tobytes() == scorer.score_cuts([document])[0].values.tobytes()


def test_only_wanted_cuts_are_scored(scorer: WindowScorer) -> None:
    document = sentences(12)
    (every,) = scorer.score_cuts([document])
    (some,) = scorer.score_cuts([document], [[7, 2]])
    assert some.values.tolist() == [every.values[7], every.values[2]]
    assert some.stats.pairs_scored == 2
    assert scorer.score_cuts([document], [[]])[0].stats == ChunkingStats()


def test_equal_pairs_are_scored_once() -> None:
    steps = Steps()
    scorer = WindowScorer(SCORER, NoCache(), 96, progress=steps)
    document = sentences(6)
    first, second = scorer.score_cuts([document, document])
    assert first.stats == ChunkingStats(pairs_scored=5)
    assert second.stats == ChunkingStats(pair_cache_hits=5)
    assert first.values.tobytes() == second.values.tobytes()
    assert steps.done == 10


def test_one_repeated_sentence_is_few_pairs(scorer: WindowScorer) -> None:
    (scores,) = scorer.score_cuts([["Стены бетонные."] * 200])
    assert scores.stats.pairs_scored < 60
    assert scores.stats.pairs_scored + scores.stats.pair_cache_hits == 199


def test_the_window_limits_what_is_read() -> None:
    narrow = WindowScorer(SCORER, NoCache(), 8)
    document = sentences(4)
    other = [f"{'Вода ' * 50}. {document[0]}", *document[1:]]
    cuts = [[1, 2]]
    assert (
        narrow.score_cuts([document], cuts)[0].values.tobytes()
        == narrow.score_cuts([other], cuts)[0].values.tobytes()
    )


def test_an_endless_word_is_scored(scorer: WindowScorer) -> None:
    (scores,) = scorer.score_cuts([["ы" * 20_000, "Стены бетонные.", "x" * 20_000]])
    assert np.isfinite(scores.values).all()


def test_whole_texts_are_clipped_at_the_far_ends(scorer: WindowScorer) -> None:
    left, right = " ".join(sentences(60, seed=2)), " ".join(sentences(60, seed=3))
    scores = scorer.score_pairs([(left, right), (f"Совсем другое начало. {left}", f"{right} И конец.")])
    assert scores.values[0] == scores.values[1]
    assert scores.stats == ChunkingStats(pairs_scored=1, pair_cache_hits=1)


def test_whole_texts_that_fit_score_like_windows(scorer: WindowScorer) -> None:
    left, right = sentences(2)
    assert scorer.score_pairs([(left, right)]).values == scorer.score_cuts([[left, right]])[0].values


def test_signature_follows_model_and_window(scorer: WindowScorer) -> None:
    assert scorer.signature.startswith(SCORER.signature)
    assert WindowScorer(SCORER, NoCache(), 95).signature != scorer.signature


def test_a_window_too_large_for_the_model_is_refused() -> None:
    scorer = WindowScorer(SCORER, NoCache(), 255)
    with pytest.raises(ConfigurationError, match="RUBRICA_WINDOW_TOKENS to 254"):
        scorer.score_cuts([sentences(2)])


def test_settings_make_a_scorer() -> None:
    scorer = build_cut_scorer(ChunkingSettings(window_tokens=48), "")
    assert scorer.signature == WindowScorer(SCORER, NoCache(), 48).signature
