"""Why a document was cut where it was: every cut with its score, chosen or not, and what stood behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from chunking.plan import Plan
from chunking.rules import Severity
from chunking.strategies.base import Partition
from rubrica.model import Chunk, ChunkedDocument, Document, ElementKind


class CutKind(StrEnum):
    """What lies at a cut, as far as the structure of the document knows."""

    FREE = "free"
    """Nothing speaks against a cut; the strategy decides."""
    CLAUSE = "clause"
    """A numbered clause too long for one chunk starts here: it must start a chunk."""
    ROW = "row"
    """Between two rows of a table."""
    CODE = "code"
    """Between two lines of code."""
    LEAD_IN = "lead_in"
    """Between a lead-in and its list, or a caption and its table."""
    WHOLE = "whole"
    """Inside a clause, table or block that fits into one chunk."""
    HEADING = "heading"
    """Between a heading and what it announces."""
    SIZE = "size"
    """Inside a sentence or row that is longer than a chunk may be."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A place where a document could be cut.

    Attributes:
        position: Offset in ``Document.text`` of the first character after the cut.
        kind: What lies there.
        score: Similarity of both sides; lower is a sharper turn. ``None`` where it was not scored.
        chunk: Ordinal of the chunk that starts here; ``None`` where none does.
    """

    position: int
    kind: CutKind
    score: float | None = None
    chunk: int | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The chunks of one document and all that led to them.

    Attributes:
        plan: Units, rules and layout.
        partition: What the strategy chose, with the scores of the cuts that it scored.
        chunked: The chunks and what they cost.
    """

    plan: Plan
    partition: Partition
    chunked: ChunkedDocument

    @property
    def document(self) -> Document:
        """What was cut."""
        return self.plan.document

    @property
    def chunks(self) -> Sequence[Chunk]:
        """What it was cut into."""
        return self.chunked.chunks

    def cuts(self) -> list[Cut]:
        """Every cut between units, and those that were made inside one, in reading order."""
        starts = {chunk.start: chunk for chunk in self.chunks[1:]}
        cuts = list(self._between_units(starts))
        known = {cut.position for cut in cuts}
        inside = [
            Cut(chunk.start, CutKind.SIZE, chunk.boundary_score, chunk.ordinal)
            for start, chunk in starts.items()
            if start not in known
        ]
        return sorted([*cuts, *inside], key=lambda cut: cut.position)

    def _between_units(self, starts: dict[int, Chunk]) -> Iterator[Cut]:
        scores = self.partition.scores
        for i, right in enumerate(self.plan.units[1:]):
            chunk = starts.get(right.start)
            ordinal = None if chunk is None else chunk.ordinal
            yield Cut(right.start, _kind(self.plan, i), scores.get(i), ordinal)


def cuts_of_chunks(chunks: Sequence[Chunk]) -> list[Cut]:
    """The cuts that chunks alone tell of: for chunks that were stored, whose other scores are gone."""
    return [Cut(chunk.start, CutKind.FREE, chunk.boundary_score, chunk.ordinal) for chunk in chunks[1:]]


_BY_SEVERITY = {
    Severity.HEADING: CutKind.HEADING,
    Severity.TORN: CutKind.WHOLE,
    Severity.GLUED: CutKind.LEAD_IN,
}


def _kind(plan: Plan, cut: int) -> CutKind:
    left, right = plan.units[cut], plan.units[cut + 1]
    severity = plan.rules.severity[cut]
    if right.fragment:
        return CutKind.SIZE
    if severity is Severity.FORCED:
        return CutKind.CLAUSE
    if left.element is right.element and left.row is not None:
        return CutKind.ROW if left.element.kind is ElementKind.TABLE else CutKind.CODE
    return _BY_SEVERITY.get(severity, CutKind.FREE)
