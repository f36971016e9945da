"""Cross-encoders that score pairs of texts."""

from __future__ import annotations

from pathlib import Path

from chunking.scorers.base import PairScorer
from rubrica.settings import ChunkingSettings

_BUNDLED = "boundary-ru-en"
_MODELS = Path(__file__).parent.parent / "models"


def build_pair_scorer(settings: ChunkingSettings) -> PairScorer:
    """The scorer that the settings name; only its own libraries are imported.

    Raises:
        ConfigurationError: There is no such model, or its device is missing.
    """
    if settings.scorer == _BUNDLED:
        from chunking.scorers.onnx import OnnxPairScorer  # noqa: PLC0415 - the other scorer needs neither

        return OnnxPairScorer(_MODELS / _BUNDLED, threads=settings.scorer_threads)
    from chunking.scorers.huggingface import HuggingFacePairScorer  # noqa: PLC0415 - imports torch

    return HuggingFacePairScorer(
        settings.scorer,
        revision=settings.scorer_revision,
        device=settings.scorer_device,
        dtype=settings.scorer_dtype,
        batch_tokens=settings.scorer_batch_tokens,
        threads=settings.scorer_threads,
    )
