"""Levels of headings: as their styles have them, else by the order of parts that the document keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from extraction.flow.blocks import Block, Paragraph
from extraction.flow.candidates import Candidate
from extraction.flow.openings import (
    ACT_RANK,
    APPENDIX_RANK,
    DECIMAL_RANK,
    PLAIN_RANK,
    Part,
    is_end_matter,
)

_NEAR = 15  # blocks between «Приложение N 1» and the title below it
_SHORT = 300


def find_levels(candidates: Sequence[Candidate], blocks: Sequence[Block]) -> list[int]:
    """The level of each heading, 1 at the top."""
    styled = sum(candidate.styled is not None for candidate in candidates)
    if styled:
        return _Styled(candidates, blocks).levels()
    ranks: list[tuple[int, bool]] = []
    return [_nest(ranks, candidate) for candidate in candidates]


def _rank(candidate: Candidate) -> int:
    if candidate.opening is None:
        return ACT_RANK if candidate.caps else PLAIN_RANK
    return candidate.opening.rank


def _nest(open_: list[tuple[int, bool]], candidate: Candidate) -> int:
    """Close what a heading ends, open it, and tell how deep it stands.

    Args:
        open_: Ranks of the open headings, and whether others stand below them.
        candidate: The heading.
    """
    rank = APPENDIX_RANK if is_end_matter(candidate.text) else _rank(candidate)
    while open_ and (open_[-1][0] >= rank or not open_[-1][1]):
        open_.pop()
    open_.append((rank, candidate.part is not Part.KEYWORD))
    return len(open_)


class _Styled:
    """Levels where styles give most of them; the others are fitted in."""

    def __init__(self, candidates: Sequence[Candidate], blocks: Sequence[Block]) -> None:
        self._candidates = candidates
        self._blocks = blocks
        self._known = _learn(candidates)
        self._last = 0
        self._shift_below: int | None = None  # headings deeper than this stand one deeper than styled

    def levels(self) -> list[int]:
        """Levels in order."""
        found = []
        above: Candidate | None = None
        for candidate in self._candidates:
            self._last = self._level(candidate, above)
            found.append(self._last)
            above = candidate
        return found

    def _level(self, candidate: Candidate, above: Candidate | None) -> int:
        if candidate.styled is not None:
            if self._shift_below is not None and candidate.styled <= self._shift_below:
                self._shift_below = None
            return candidate.styled + self._shift
        if candidate.part is Part.PLAIN:
            return self._plain(candidate, above)
        if candidate.part in (Part.APPENDIX, Part.KEYWORD):
            return 1
        return self._fitted(candidate)

    @property
    def _shift(self) -> int:
        return int(self._shift_below is not None)

    def _plain(self, candidate: Candidate, above: Candidate | None) -> int:
        if candidate.approved is not None:
            return candidate.approved
        if above is not None and above.part is Part.APPENDIX and self._is_near(above, candidate):
            self._shift_below = self._last
            return self._last + 1
        return self._last + 1 if above is None or above.part is not Part.PLAIN else self._last

    def _is_near(self, above: Candidate, candidate: Candidate) -> bool:
        between = self._blocks[above.index + above.lines : candidate.index]
        return len(between) <= _NEAR and all(
            isinstance(block, Paragraph) and len(block.text) <= _SHORT for block in between
        )

    def _fitted(self, candidate: Candidate) -> int:
        """Level of a numbered heading among those whose levels are known."""
        rank = _rank(candidate)
        if rank in self._known:
            return self._known[rank] + self._shift
        if candidate.part is Part.DECIMAL:
            decimals = [known for known in self._known if known >= DECIMAL_RANK]
            if not decimals:
                return (self._shift_below or 0) + self._shift + rank - DECIMAL_RANK + 1
            nearest = min(decimals, key=lambda known: abs(known - rank))
            return max(self._known[nearest] + rank - nearest, 1) + self._shift
        higher = [known for known in self._known if known < rank]
        return (
            self._known[max(higher)] + 1 + self._shift
            if higher
            else (self._shift_below or 0) + self._shift + 1
        )


def _learn(candidates: Sequence[Candidate]) -> dict[int, int]:
    """The level that headings of each rank mostly have by their styles."""
    counts: dict[int, Counter[int]] = {}
    for candidate in candidates:
        if candidate.styled is not None and candidate.opening is not None:
            counts.setdefault(candidate.opening.rank, Counter())[candidate.styled] += 1
    return {rank: levels.most_common(1)[0][0] for rank, levels in counts.items()}
