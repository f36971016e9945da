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
IdArray = npt.NDArray[np.int64]


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
class PairBatch:
    """Pairs as a model takes them, filled up at the right.

    Attributes:
        ids: Tokens, special and padding tokens included, ``[pairs, longest]``.
        types: Segment numbers, ``[pairs, longest]``.
        lengths: Tokens of each pair without padding, ``[pairs]``.
    """

    ids: IdArray
    types: IdArray
    lengths: IdArray

    @property
    def mask(self) -> IdArray | None:
        """1 for tokens and 0 for padding, ``[pairs, longest]``; ``None`` where nothing is padded."""
        longest = self.ids.shape[1]
        if (self.lengths == longest).all():
            return None
        return (np.arange(longest) < self.lengths[:, None]).astype(np.int64)


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

    def assemble(self, pair: Pair) -> tuple[IdArray, IdArray]:
        """Tokens and segment numbers of a pair, special tokens included; both ``[tokens]``."""
        batch = self.assemble_batch([pair], 0)
        return batch.ids[0], batch.types[0]

    def assemble_batch(self, pairs: Sequence[Pair], padding: int) -> PairBatch:
        """Tokens and segment numbers of pairs, special tokens included, filled up at the right.

        Args:
            pairs: Tokens of left and right sides, at least one pair.
            padding: The padding token; its segment is 0.
        """
        lengths = np.array([self.length(pair) for pair in pairs], dtype=np.int64)
        ids = np.full((len(pairs), int(lengths.max())), padding, dtype=np.int64)
        types = np.zeros_like(ids)
        for row, pair in enumerate(pairs):
            self._fill(ids[row], types[row], pair)
        return PairBatch(ids, types, lengths)

    def length(self, pair: Pair) -> int:
        """Tokens of a pair, special tokens included."""
        return len(pair[0]) + len(pair[1]) + self.special_tokens

    def _fill(self, ids: IdArray, types: IdArray, pair: Pair) -> None:
        left, right = pair
        parts = (
            (self.before.ids, self.before.types),
            (left, self.left_type),
            (self.between.ids, self.between.types),
            (right, self.right_type),
            (self.after.ids, self.after.types),
        )
        start = 0
        for tokens, segments in parts:
            end = start + len(tokens)
            ids[start:end] = tokens
            types[start:end] = segments
            start = end


def _find(ids: Sequence[int], part: Sequence[int], start: int) -> int:
    for at in range(start, len(ids) - len(part) + 1):
        if part and list(ids[at : at + len(part)]) == list(part):
            return at
    raise ConfigurationError(
        "The scorer's tokenizer changes a text when it puts a pair together.",
        hint="Choose another model with RUBRICA_SCORER.",
    )
