from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from chunking.scorers.onnx import OnnxPairScorer
from rubrica.errors import ConfigurationError
from training.corpus import Corpus, build_corpus
from training.documents import StructuredDocument
from training.loop import Trainer, TrainOptions, pair_loss
from training.network import BoundaryNetwork, read_template
from training.pairs import Example, PairSampler, Relation
from training.weights import load_network

OPTIONS = TrainOptions(
    pairs=480, groups=4, learning_rate=0.01, frozen_layers=0, check_every=5, precision="float32", threads=1
)


@pytest.fixture(scope="module")
def corpus(documents: list[StructuredDocument], tiny_scorer: Path) -> Corpus:
    return build_corpus(documents, OnnxPairScorer(tiny_scorer))


@pytest.fixture(scope="module")
def held_out(corpus: Corpus) -> list[Example]:
    return PairSampler(corpus.held_out).draw(12, random.Random(7))


def trainer(scorer: Path, options: TrainOptions = OPTIONS, checkpoint: Path | None = None) -> Trainer:
    return Trainer(load_network(scorer), read_template(scorer), options, checkpoint=checkpoint)


def weights(network: BoundaryNetwork) -> dict[str, torch.Tensor]:
    return network.state_dict()


def test_it_learns_topics(tiny_scorer: Path, corpus: Corpus, held_out: list[Example]) -> None:
    state = trainer(tiny_scorer).train(PairSampler(corpus.training), held_out)
    assert state.best < state.history[0]["loss"] - 0.1
    assert state.pairs >= OPTIONS.pairs


def test_a_run_that_was_cut_short_ends_as_one_that_was_not(
    tiny_scorer: Path, corpus: Corpus, held_out: list[Example], tmp_path: Path
) -> None:
    sampler = PairSampler(corpus.training)
    whole = trainer(tiny_scorer)
    expected = whole.train(sampler, held_out)
    checkpoint = tmp_path / "checkpoint.pt"
    first = trainer(tiny_scorer, checkpoint=checkpoint)
    with pytest.raises(InterruptedError):
        first.train(_Interrupted(corpus, after=8), held_out)
    second = trainer(tiny_scorer, checkpoint=checkpoint)
    assert second.state.step == 5
    state = second.train(sampler, held_out)
    assert state.history == expected.history
    for name, value in weights(whole._network).items():
        assert torch.equal(value, weights(second._network)[name])


class _Interrupted(PairSampler):
    """Stops as Ctrl-C would after some batches."""

    def __init__(self, corpus: Corpus, after: int) -> None:
        super().__init__(corpus.training)
        self._left = after

    def draw(self, groups: int, dice: random.Random) -> list[Example]:
        if not self._left:
            raise InterruptedError
        self._left -= 1
        return super().draw(groups, dice)


def test_a_checkpoint_of_other_options_is_refused(
    tiny_scorer: Path, corpus: Corpus, held_out: list[Example], tmp_path: Path
) -> None:
    checkpoint = tmp_path / "checkpoint.pt"
    short = replace(OPTIONS, pairs=30)
    trainer(tiny_scorer, short, checkpoint).train(PairSampler(corpus.training), held_out)
    with pytest.raises(ConfigurationError, match="other options"):
        trainer(tiny_scorer, replace(short, seed=2), checkpoint)


def test_it_stops_when_held_out_pairs_get_no_better_and_keeps_the_best(
    tiny_scorer: Path, corpus: Corpus, held_out: list[Example]
) -> None:
    wild = replace(OPTIONS, learning_rate=3.0, check_every=1, patience=2, pairs=10_000)
    run = trainer(tiny_scorer, wild)
    state = run.train(PairSampler(corpus.training), held_out)
    assert state.pairs < 2_000
    run._look(held_out)
    assert run.state.history[-1]["loss"] == pytest.approx(state.best, abs=1e-4)


def test_a_limit_of_time_ends_it(tiny_scorer: Path, corpus: Corpus, held_out: list[Example]) -> None:
    hasty = replace(OPTIONS, minutes=1e-6, pairs=1_000_000)
    state = trainer(tiny_scorer, hasty).train(PairSampler(corpus.training), held_out)
    assert state.step == 1


def test_embeddings_and_the_lowest_layers_stay_as_they_are(
    tiny_scorer: Path, corpus: Corpus, held_out: list[Example]
) -> None:
    before = weights(load_network(tiny_scorer))
    run = trainer(tiny_scorer, replace(OPTIONS, frozen_layers=1, pairs=100))
    run.train(PairSampler(corpus.training), held_out)
    moved = {name for name, value in weights(run._network).items() if not torch.equal(value, before[name])}
    assert moved
    assert not any(name.startswith(("bert.embeddings", "bert.encoder.layer.0.")) for name in moved)


def example(relation: Relation, group: int) -> Example:
    side = np.array([7], dtype=np.int32)
    return Example((side, side), relation, group)


def test_the_loss_is_that_of_each_pair_and_of_the_order_inside_a_group() -> None:
    batch = [example(Relation.SAME_PARAGRAPH, 0), example(Relation.OTHER_DOCUMENT, 0)]
    right, wrong = torch.tensor([2.0, -1.0]), torch.tensor([-1.0, 2.0])
    alone = pair_loss(right, batch, 0.0).item()
    assert alone == pytest.approx((math.log1p(math.exp(-2)) + math.log1p(math.exp(-1))) / 2)
    assert pair_loss(right, batch, 1.0).item() == pytest.approx(alone + math.log1p(math.exp(-3)))
    assert pair_loss(wrong, batch, 1.0) > pair_loss(right, batch, 1.0)


def test_pairs_of_different_groups_are_not_ranked() -> None:
    batch = [example(Relation.SAME_PARAGRAPH, 0), example(Relation.OTHER_DOCUMENT, 1)]
    logits = torch.tensor([-1.0, 2.0])
    assert pair_loss(logits, batch, 1.0).item() == pytest.approx(pair_loss(logits, batch, 0.0).item())
