"""What a chunker of the comparison is, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from benchmarks.chunkers.workshop import Workshop
from rubrica.model import Document


class GaveUpError(RuntimeError):
    """A peer cannot cut a document at all."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk.

    Attributes:
        document: Ordinal of its document in the set.
        start: Offset of its body in the document's text.
        end: Offset after it.
        text: What is embedded and searched; of ours with context line and table header.
    """

    document: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Cutting:
    """Chunks of a set of documents.

    Attributes:
        pieces: In reading order.
        pairs: Pairs that a cross-encoder scored for them, cached ones included.
    """

    pieces: tuple[Piece, ...]
    pairs: int = 0


class Cutter(Protocol):
    """A chunker with its limit set."""

    def __call__(self, documents: Sequence[Document]) -> Cutting:
        """Cut documents."""
        ...


@dataclass(frozen=True, slots=True)
class Contender:
    """A chunker of the comparison.

    Attributes:
        name: Its name in the tables.
        build: Gives it for a limit in tokens.
        ours: Whether it is one of this project.
        requires: Modules that must be installed.
        most_sentences: Documents of more sentences are not given to it; 0: no limit.
        close: How near to the target its mean must come, as a part of it; more where a try is dear.
        dear: A try takes minutes: its limit is looked for on a sample of the documents first.
    """

    name: str
    build: Callable[[int, Workshop], Cutter]
    ours: bool = False
    requires: tuple[str, ...] = ()
    most_sentences: int = 0
    close: float = 0.004
    dear: bool = False
