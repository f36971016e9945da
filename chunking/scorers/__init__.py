"""Cross-encoders that score pairs of texts."""

from __future__ import annotations

from pathlib import Path

from chunking.scorers.base import PairScorer
from rubrica.settings import ChunkingSettings

_BUNDLED = "boundary-ru-en"
_MODELS = Path(__file__).parent.parent / "models"
_ONNX = "model_int8.onnx"


def build_pair_scorer(settings: ChunkingSettings) -> PairScorer:
    """The scorer that the settings name; only its own libraries are imported.

    Raises:
        ConfigurationError: There is no such model, or its device is missing.
    """
    folder = _onnx_folder(settings.scorer)
    if folder is not None:
        from chunking.scorers.onnx import OnnxPairScorer  # noqa: PLC0415 - the other scorer needs neither

        return OnnxPairScorer(folder, threads=settings.scorer_threads)
    from chunking.scorers.huggingface import HuggingFacePairScorer  # noqa: PLC0415 - imports torch

    return HuggingFacePairScorer(
        settings.scorer,
        revision=settings.scorer_revision,
        device=settings.scorer_device,
        dtype=settings.scorer_dtype,
        batch_tokens=settings.scorer_batch_tokens,
        threads=settings.scorer_threads,
    )


def scorer_folder(name: str) -> Path:
    """The folder of a bundled scorer, or the one that a name is a path of."""
    return _MODELS / name if name == _BUNDLED else Path(name).expanduser()


def is_boundary_scorer(name: str) -> bool:
    """Whether a scorer was trained on where texts turn, and on nothing else."""
    return _onnx_folder(name) is not None


def _onnx_folder(name: str) -> Path | None:
    """Where a bundled scorer, or one that `rubrica train-scorer` wrote, lies; ``None`` for other models."""
    folder = scorer_folder(name)
    trained = (folder / _ONNX).is_file() and (folder / "tokenizer.json").is_file()
    return folder if name == _BUNDLED or trained else None
