"""The embedder that all sides share, as chonkie wants it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

import numpy as np
import numpy.typing as npt

from benchmarks.chunkers.workshop import Workshop

Vector = npt.NDArray[np.float32]


class SharedEmbeddings:
    """multilingual-e5-small for chonkie, which counts tokens with it too."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop

    def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
        """A vector for each text."""
        return list(self._workshop.embedder.embed_passages([self._workshop.fitting(text) for text in texts]))

    def similarity(self, one: Vector, other: Vector) -> np.float32:
        """Cosine; vectors have length 1."""
        return np.float32(one @ other)

    def get_tokenizer(self) -> Callable[[str], int]:
        """What counts tokens."""
        return self._workshop.tokens


def same_embedder(workshop: Workshop) -> SharedEmbeddings:
    """The embedder; chonkie takes it for one of its own."""
    import_module("chonkie.embeddings").BaseEmbeddings.register(SharedEmbeddings)
    return SharedEmbeddings(workshop)
