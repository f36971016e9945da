from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from chunking.scorers import build_pair_scorer
from chunking.scorers.onnx import OnnxPairScorer
from rubrica.errors import ConfigurationError
from rubrica.protocols import NoProgress, Progress
from rubrica.settings import ChunkingSettings
from tests.unit.training.conftest import made_up
from training.corpus import build_corpus
from training.documents import StructuredDocument
from training.loop import TrainOptions
from training.tuning import CHECKPOINT, Start, tune

OPTIONS = TrainOptions(pairs=1800, learning_rate=0.01, frozen_layers=0, precision="float32", threads=1)


@contextmanager
def no_bars(title: str, total: int | None = None) -> Iterator[Progress]:
    yield NoProgress()


def test_a_scorer_of_ones_own(documents: list[StructuredDocument], tiny_scorer: Path, tmp_path: Path) -> None:
    out = tmp_path / "own"
    tuned = tune(documents, Start(tiny_scorer), out, OPTIONS, no_bars)
    assert tuned.after.sections > tuned.before.sections + 20
    assert tuned.after.documents == tuned.before.documents > 0
    scorer = build_pair_scorer(ChunkingSettings(scorer=str(out)))
    assert isinstance(scorer, OnnxPairScorer)
    concrete, pump = scorer.encode(["Бетон цемент щебень раствор.", "Насос труба клапан расход."])
    same, turn = scorer.score([(concrete, concrete), (concrete, pump)], NoProgress())
    assert same > turn
    assert not (out / CHECKPOINT).exists()
    card = (out / "README.md").read_text()
    assert "| handbook | ru | the user's own |" in card
    assert f"| own | {tuned.after.sections:.1f} |" in card


def test_no_document_is_both_learned_from_and_held_out(tiny_scorer: Path) -> None:
    for count in (6, 40):
        found = [made_up(f"handbook:{i}.md", i) for i in range(count)]
        corpus = build_corpus(found, OnnxPairScorer(tiny_scorer))
        learned, held = (
            {document.name for document, _ in part} for part in (corpus.training, corpus.held_out)
        )
        assert not learned & held
        assert learned | held == {document.name for document in found}
        assert 2 <= len(held) <= count // 2


def test_too_little_text_is_said_so(tiny_scorer: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"too few documents .*: 1"):
        tune([made_up("a", 1)], Start(tiny_scorer), tmp_path / "own", OPTIONS, no_bars)
