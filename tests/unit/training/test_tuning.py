from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
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


def test_the_checkpoint_of_other_documents_is_not_gone_on_from(
    documents: list[StructuredDocument], tiny_scorer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise InterruptedError

    with monkeypatch.context() as patch:
        patch.setattr("training.tuning.export_scorer", stop)  # all is learned, the checkpoint still there
        with pytest.raises(InterruptedError):
            tune(documents, Start(tiny_scorer), tmp_path, OPTIONS, no_bars)
    assert (tmp_path / CHECKPOINT).exists()
    others = [made_up(f"handbook:{i}.md", i) for i in range(8)]
    with pytest.raises(ConfigurationError, match="other options, documents or another first scorer"):
        tune(others, Start(tiny_scorer), tmp_path, OPTIONS, no_bars)
    tune(documents, Start(tiny_scorer), tmp_path, OPTIONS, no_bars)
    assert not (tmp_path / CHECKPOINT).exists()


@pytest.mark.parametrize("device", ["gpu", "meta", "cuda"])
def test_a_device_that_is_not_there_is_refused_before_anything_is_read(
    device: str, tiny_scorer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(ConfigurationError, match="--device"):
        tune(iter(()), Start(tiny_scorer), tmp_path / "new", replace(OPTIONS, device=device), no_bars)
    assert not (tmp_path / "new").exists()


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
