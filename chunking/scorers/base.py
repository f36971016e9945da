"""What a pair scorer is, and how a pair is put together from tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from rubrica.errors import ConfigurationError
from rubrica.protocols import Progress

TokenIds = npt.NDArray[np.int32]
Pair = tuple[TokenIds, TokenIds]


class PairScorer(Protocol):
    """A cross-encoder: two stretches of text in, one logit out.

    A scorer is cheap to make: it loads its tokenizer when the first text is encoded, its model
    when the first pair is scored.
    """

    @property
    def signature(self) -> str:
        """Model, revision and precision: all of the model that can change a score."""
        ...

    @property
    def room(self) -> int:
        """Tokens of both sides together that the model reads, special tokens not counted."""
        ...

    def encode(self, texts: Sequence[str]) -> list[TokenIds]:
        """Tokens of each text, without special tokens, never truncated.

        The tokens of texts joined by a space are their tokens joined.
        """
        ...

    def score(self, pairs: Sequence[Pair], progress: Progress) -> npt.NDArray[np.float32]:
        """Logits ``[len(pairs)]`` in the order of ``pairs``; higher: they belong together.

        Args:
            pairs: Tokens of left and right side, together no more than ``room``.
            progress: Hears of every pair that is done.
        """
        ...


@dataclass(frozen=True, slots=True)
class Piece:
    """Special tokens and their segment numbers."""

    ids: tuple[int, ...]
    types: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PairTemplate:
    """Where a model wants the two sides of a pair.

    Attributes:
        before: Special tokens in front of the left side.
        between: Special tokens between the sides.
        after: Special tokens behind the right side.
        left_type: Segment number of the left side.
        right_type: Segment number of the right side.
    """

    before: Piece
    between: Piece
    after: Piece
    left_type: int
    right_type: int

    @property
    def special_tokens(self) -> int:
        """How many special tokens a pair has."""
        return len(self.before.ids) + len(self.between.ids) + len(self.after.ids)

    @classmethod
    def from_example(
        cls, ids: Sequence[int], types: Sequence[int], left: Sequence[int], right: Sequence[int]
    ) -> PairTemplate:
        """Read the template off a pair that the tokenizer itself put together.

        Args:
            ids: Tokens of the pair.
            types: Segment numbers of the pair.
            left: Tokens of its left side.
            right: Tokens of its right side; none of them may be a special token.

        Raises:
            ConfigurationError: The sides are not found in the pair.
        """
        left_at = _find(ids, left, 0)
        left_end = left_at + len(left)
        right_at = _find(ids, right, left_end)
        right_end = right_at + len(right)

        def piece(start: int, end: int | None) -> Piece:
            return Piece(tuple(ids[start:end]), tuple(types[start:end]))

        return cls(
            before=piece(0, left_at),
            between=piece(left_end, right_at),
            after=piece(right_end, None),
            left_type=types[left_at],
            right_type=types[right_at],
        )

    def assemble(self, pair: Pair) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Tokens and segment numbers of a pair, special tokens included."""
        left, right = pair
        ids = (self.before.ids, left, self.between.ids, right, self.after.ids)
        types = (
            self.before.types,
            np.full(len(left), self.left_type),
            self.between.types,
            np.full(len(right), self.right_type),
            self.after.types,
        )
        return _join(ids), _join(types)


def _join(parts: Sequence[Sequence[int] | npt.NDArray[np.integer]]) -> npt.NDArray[np.int64]:
    return np.concatenate([np.asarray(part, dtype=np.int64) for part in parts])


def _find(ids: Sequence[int], part: Sequence[int], start: int) -> int:
    for at in range(start, len(ids) - len(part) + 1):
        if part and list(ids[at : at + len(part)]) == list(part):
            return at
    raise ConfigurationError(
        "The scorer's tokenizer changes a text when it puts a pair together.",
        hint="Choose another model with RUBRICA_SCORER.",
    )
