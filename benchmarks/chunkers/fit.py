"""Finds the limit at which a chunker's chunks have a given mean number of tokens."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from statistics import fmean

from benchmarks.chunkers.model import Contender, Cutting
from benchmarks.chunkers.sets import RetrievalSet
from benchmarks.chunkers.workshop import Workshop
from rubrica.errors import ConfigurationError
from rubrica.model import Document

_MOST_TRIES = 14
# Chunks that are cut where the text turns fill this part of their limit, more or less: a first guess.
_FILL = 0.75
_SMALLEST = 16
_SAMPLE = 60_000  # characters: about 600 sentences
# A chunker that cuts where scores are lowest leaves many small chunks beside a few near the limit.
_MOST_TIMES = 16


@dataclass(frozen=True, slots=True)
class Fitted:
    """A chunker's chunks at the limit that comes nearest to the target.

    Attributes:
        limit: The limit in tokens.
        mean: Mean tokens of a chunk's final text, the embedder's prefix and special tokens aside.
        cutting: The chunks.
    """

    limit: int
    mean: float
    cutting: Cutting


def fit(contender: Contender, documents: RetrievalSet, target: float, workshop: Workshop) -> Fitted:
    """Bisect a chunker's limit until the mean tokens of its chunks are as near to the target as they get.

    Raises:
        ConfigurationError: What the chunker needs is missing.
    """
    search = partial(_search, contender, target=target, workshop=workshop)
    sample = _sample(documents.documents)
    guess = search(sample).limit if contender.dear and len(sample) < len(documents.documents) else 0
    return search(documents.documents, guess=guess)


def _search(
    contender: Contender, documents: Sequence[Document], target: float, workshop: Workshop, guess: int = 0
) -> Fitted:
    def at(limit: int) -> Fitted:
        cutting = contender.build(limit, workshop)(documents)
        return Fitted(limit, fmean(workshop.tokens(piece.text) for piece in cutting.pieces), cutting)

    most = workshop.counter.limit * 3 // 2 if contender.ours else int(_MOST_TIMES * target)
    return nearest(at, target, smallest=_SMALLEST, largest=most, close=contender.close, guess=guess)


def _sample(documents: Sequence[Document]) -> Sequence[Document]:
    """The shortest documents, as many as make a sample; one at least."""
    by_length = sorted(documents, key=lambda document: len(document.text))
    ends = list(accumulate(len(document.text) for document in by_length))
    return by_length[: max(1, bisect_right(ends, _SAMPLE))]


def nearest(
    at: Callable[[int], Fitted], target: float, *, smallest: int, largest: int, close: float, guess: int = 0
) -> Fitted:
    """Regula falsi on the limit, kept inside a bracket that bisection would keep.

    The mean jumps where a whole paragraph fits or no longer fits, so the best of all that was tried counts,
    not the last.

    Args:
        at: Cuts at a limit.
        target: Mean tokens wanted.
        smallest: Lowest limit.
        largest: Highest limit.
        close: A mean this near to the target, as a part of it, ends the search.
        guess: The limit to try first; 0: one that chunks fill as chunks mostly do.
    """
    low, high = smallest - 1, largest + 1
    guess = guess or round(target / _FILL)
    best: Fitted | None = None
    for _ in range(_MOST_TRIES):
        if high - low < 2:
            break
        guess = min(max(guess, low + 1), high - 1)
        found = at(guess)
        if best is None or abs(found.mean - target) < abs(best.mean - target):
            best = found
        if abs(found.mean - target) <= close * target:
            break
        low, high = (guess, high) if found.mean < target else (low, guess)
        guess = _next_guess(guess, found.mean, target, low, high)
    if best is None:
        raise ConfigurationError(f"There is no limit between {smallest} and {largest}.")
    return best


def _next_guess(limit: int, mean: float, target: float, low: int, high: int) -> int:
    proportional = round(limit * target / mean)
    inside = low < proportional < high
    return proportional if inside and proportional != limit else (low + high) // 2
