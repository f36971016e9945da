"""What a partition must respect, as plain numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from chunking.rules import Severity


@dataclass(frozen=True)
class Layout:
    """Units of one document as the partition sees them.

    A span of units *fits* when its text alone keeps the token limit, and *fits well* when there is also
    room for all that chunks carry beside their body: context line, table header, overlap.

    Attributes:
        offsets: Tokens before each unit, and in all; ``[units + 1]``.
        severity: Per cut between neighbours, what it does to the structure; ``[units - 1]``.
        room: Most tokens of text in one chunk.
        comfort: Per unit, most tokens of a body that starts there and leaves room for what it carries.
        header: Per unit, tokens of the table header that a chunk starting there must repeat.
        min_tokens: Tokens that a body should have at least.
    """

    offsets: Sequence[int]
    severity: Sequence[Severity]
    room: int
    comfort: Sequence[int]
    header: Sequence[int]
    min_tokens: int = 0

    @property
    def size(self) -> int:
        """Number of units."""
        return len(self.offsets) - 1

    def tokens(self, start: int, stop: int) -> int:
        """Tokens of the units from ``start`` up to ``stop``."""
        return self.offsets[stop] - self.offsets[start]

    def fits(self, start: int, stop: int) -> bool:
        """Whether the span can be one chunk. A single unit always can."""
        return stop - start == 1 or self.tokens(start, stop) + self.header[start] <= self.room

    def fits_well(self, start: int, stop: int) -> bool:
        """Whether the span can be one chunk with all that it should carry."""
        return stop - start == 1 or self.tokens(start, stop) <= self.comfort[start]

    def is_final(self, start: int, stop: int, mildest: Severity) -> bool:
        """Whether a recursion that cuts where it must stops at this span.

        Args:
            start: First unit.
            stop: Unit after the last.
            mildest: Lowest severity of the cuts inside.
        """
        if mildest is Severity.FORCED:
            return False
        if self.fits_well(start, stop):
            return True
        return mildest > Severity.FREE and self.fits(start, stop)

    @cached_property
    def forced(self) -> list[int]:
        """Units that must start a chunk, the first included."""
        return [0, *(i + 1 for i, kind in enumerate(self.severity) if kind is Severity.FORCED)]

    def open_cuts(self, *, keeps_whole: bool) -> set[int]:
        """Cuts that a partition might choose or must choose.

        The others never are: those inside a run of units that the rules hold together and that fits, and
        those in a stretch between two forced cuts that fits well and is too short for two chunks.

        Args:
            keeps_whole: Whether the partition never cuts a stretch that fits well, however long.
        """
        cuts = {start - 1 for start in self.forced[1:]}
        for start, stop in self._stretches(Severity.FORCED):
            short = keeps_whole or self.tokens(start, stop) < 2 * self.min_tokens
            if not (short and self.fits_well(start, stop)):
                cuts.update(i for i in range(start, stop - 1) if self.severity[i] is Severity.FREE)
        for start, stop in self._stretches(Severity.FREE):
            if not self.fits(start, stop):
                cuts.update(range(start, stop - 1))
        return cuts

    def _stretches(self, severity: Severity) -> list[tuple[int, int]]:
        """Spans between neighbouring cuts of this severity or milder."""
        borders = [i + 1 for i, kind in enumerate(self.severity) if kind <= severity]
        return list(zip([0, *borders], [*borders, self.size], strict=True))
