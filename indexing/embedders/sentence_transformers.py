"""Any model of the library `sentence-transformers`, on a GPU where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from indexing.embedders.model_files import ModelFiles, cannot_load
from rubrica.errors import LimitExceededError
from rubrica.log import get_logger
from rubrica.model import Stage

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

_UNKNOWN_LIMIT = 512
_SANE_LIMIT = 1_000_000  # tokenizers without a limit claim to read 10^30 tokens
_log = get_logger(__name__)


class ModelCounter:
    """Counts tokens with a model's own tokenizer, without loading its weights."""

    def __init__(self, files: ModelFiles, prefix: str) -> None:
        """Bind to a model.

        Args:
            files: The model.
            prefix: Text that is put before every passage.
        """
        self._files = files
        self._prefix = prefix

    @property
    def name(self) -> str:
        """Tokenizer, its content and the passages' prefix."""
        return f"{self._files.label}@{self._identity}, {self._prefix!r}"

    @cached_property
    def _identity(self) -> str:
        return self._files.identity()

    @cached_property
    def limit(self) -> int:
        """Most tokens that the model reads, special tokens included."""
        claims = (
            self._files.json("sentence_bert_config.json").get("max_seq_length"),
            self._files.json("tokenizer_config.json").get("model_max_length"),
            self._files.json("config.json").get("max_position_embeddings"),
        )
        limits = [int(claim) for claim in claims if claim and claim < _SANE_LIMIT]
        return min(limits, default=_UNKNOWN_LIMIT)

    def count(self, text: str) -> int:
        """Tokens of ``text`` as a passage: prefix and special tokens included, never truncated."""
        return len(self._tokenizer.encode(self._prefix + text).ids)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer  # noqa: PLC0415 — not for the default embedder

        tokenizer: Tokenizer = Tokenizer.from_file(str(self._files.path("tokenizer.json")))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer


class SentenceTransformersEmbedder:
    """Embeds with any sentence-transformers model."""

    def __init__(
        self, files: ModelFiles, *, query_prefix: str = "", passage_prefix: str = "", batch_size: int = 32
    ) -> None:
        """Bind to a model; it is loaded on first use.

        Args:
            files: The model.
            query_prefix: Text that is put before a query.
            passage_prefix: Text that is put before a passage.
            batch_size: Passages a forward pass.
        """
        self._files = files
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._batch_size = batch_size
        self._counter = ModelCounter(files, passage_prefix)

    @property
    def name(self) -> str:
        """Model name."""
        return self._files.label

    @cached_property
    def revision(self) -> str:
        """Identity of weights and pooling (they lie in the model's files), prefixes, normalisation."""
        prefixes = f"{self._query_prefix!r} and {self._passage_prefix!r}"
        return f"{self._files.identity()}, {prefixes}, unit length"

    @cached_property
    def dimension(self) -> int:
        """Length of a vector."""
        dimension = self._model.get_embedding_dimension()
        if not dimension:
            raise cannot_load(self.name, ValueError("the model does not tell the length of its vectors"))
        return int(dimension)

    @property
    def counter(self) -> ModelCounter:
        """The model's own tokenizer."""
        return self._counter

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed passages to an array ``[len(texts), dimension]``; rows have length 1.

        Raises:
            LimitExceededError: A passage is longer than the model reads.
        """
        for text in texts:
            self._check_length(text)
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return self._encode([self._passage_prefix + text for text in texts])

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Embed a query to an array ``[dimension]`` of length 1; what is too long is left out."""
        vector: npt.NDArray[np.float32] = self._encode([self._query_prefix + text])[0]
        return vector

    def _check_length(self, text: str) -> None:
        tokens, limit = self._counter.count(text), self._counter.limit
        if tokens > limit:
            raise LimitExceededError(
                f"A passage has {tokens} tokens; {self.name} reads {limit}: {text[:40]!r}…",
                limit="RUBRICA_MAX_TOKENS",
                stage=Stage.INDEX,
                hint=f"Set RUBRICA_MAX_TOKENS to {limit} or less.",
            )

    def _encode(self, texts: list[str]) -> npt.NDArray[np.float32]:
        # Prompts that the model's own configuration would add are turned off: the settings name them.
        vectors = self._model.encode(
            texts,
            prompt="",
            batch_size=self._batch_size,
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        return np.asarray(vectors, dtype=np.float32)

    @cached_property
    def _model(self) -> SentenceTransformer:
        from sentence_transformers import SentenceTransformer

        try:
            model = SentenceTransformer(self._files.name, revision=self._files.revision or None)
        except (OSError, ValueError, RuntimeError, KeyError, ImportError) as error:
            raise cannot_load(self.name, error) from error
        model.max_seq_length = self._counter.limit
        _log.info("embedder loaded", model=self.name, device=str(model.device), library=_library())
        return model


def _library() -> str:
    return f"sentence-transformers {version('sentence-transformers')}"
