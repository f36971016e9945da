"""What a strategy is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from chunking.partition.standing import Values
from chunking.plan import Plan
from rubrica.model import ChunkingStats


@dataclass(frozen=True, slots=True)
class Partition:
    """Where one document is cut.

    Attributes:
        starts: Units that start a chunk, in order, the first included.
        scores: Logits by cut, for the cuts whose score is known.
        values: Per cut a value, lower is cut first; decides where a chunk is cut further if it must be.
        stats: What it cost.
        notes: Per unit, what a chunk that starts there says of its content beside its headings: wordings,
            the richest first.
    """

    starts: Sequence[int]
    scores: Mapping[int, float]
    values: Values
    stats: ChunkingStats = field(default_factory=ChunkingStats)
    notes: Mapping[int, Sequence[str]] = field(default_factory=dict)


class Strategy(Protocol):
    """Decides where documents are cut."""

    @property
    def signature(self) -> str:
        """All that can change where it cuts, models included."""
        ...

    def partition(self, plans: Sequence[Plan]) -> list[Partition]:
        """Partitions of documents; none depends on which others are in the call."""
        ...
