"""What a folder may ask of one to its right; the caller hands it in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class TokenCounter(Protocol):
    """Counts the tokens of the embedder's input."""

    @property
    def name(self) -> str:
        """Name and revision, part of the chunker's configuration signature."""
        ...

    @property
    def limit(self) -> int:
        """Most tokens that the embedder reads, special tokens included."""
        ...

    def count(self, text: str) -> int:
        """Tokens of ``text`` as a passage: prefix and special tokens included, never truncated."""
        ...


class Embedder(Protocol):
    """Turns text into unit vectors."""

    @property
    def name(self) -> str:
        """Model name."""
        ...

    @property
    def revision(self) -> str:
        """Identity of the weights, prefix, pooling and normalisation."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    @property
    def counter(self) -> TokenCounter:
        """The embedder's own tokenizer."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed passages to an array ``[len(texts), dimension]``; rows have length 1."""
        ...

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Embed a query to an array ``[dimension]`` of length 1."""
        ...


class Progress(Protocol):
    """Hears how far long work has come."""

    def advance(self, amount: int = 1) -> None:
        """Report that ``amount`` more units are done."""
        ...


class NoProgress:
    """A listener that nobody watches."""

    def advance(self, amount: int = 1) -> None:
        """Do nothing."""
