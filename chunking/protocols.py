"""What the chunker asks of its scorer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from rubrica.model import ChunkingStats


@dataclass(frozen=True, slots=True)
class CutScores:
    """Scores of one document's cuts.

    Attributes:
        values: Logits, float32 ``[cuts]``; higher means that the two sides belong together.
        stats: What they cost.
    """

    values: npt.NDArray[np.float32]
    stats: ChunkingStats


class CutScorer(Protocol):
    """Scores cuts by the similarity of the text left and right of them."""

    @property
    def signature(self) -> str:
        """Model, revision, precision and window policy: all that can change a score."""
        ...

    def score_cuts(
        self, documents: Sequence[Sequence[str]], wanted: Sequence[Sequence[int]] | None = None
    ) -> list[CutScores]:
        """Score cuts between neighbouring texts, on local windows, across documents at once.

        Args:
            documents: Per document the texts of its units, in reading order.
            wanted: Per document the cuts to score; cut ``i`` lies between unit ``i`` and ``i + 1``.
                ``None`` scores all ``n - 1`` cuts of each document.

        Returns:
            Per document the scores, in the order of ``wanted``.
        """
        ...

    def score_pairs(self, pairs: Sequence[tuple[str, str]]) -> CutScores:
        """Score whole texts against each other; what the model cannot read is clipped away from the cut."""
        ...
