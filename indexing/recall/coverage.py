"""Which chunks hold a passage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from indexing.recall.model import CharSpan


def overlap(one: CharSpan, other: CharSpan) -> int:
    """Characters that two spans share."""
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def share(span: CharSpan, chunk: CharSpan) -> float:
    """Part of a passage's characters that a chunk holds, 0…1."""
    return overlap(span, chunk) / (span[1] - span[0])


def united(spans: Iterable[CharSpan]) -> list[CharSpan]:
    """The same characters as spans in order that neither overlap nor touch."""
    joined: list[CharSpan] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def union_share(span: CharSpan, chunks: Iterable[CharSpan]) -> float:
    """Part of a passage's characters that some chunks hold together."""
    return sum(share(span, part) for part in united(chunks))


def fits_one(span: CharSpan, chunks: Iterable[CharSpan], covered: float) -> bool:
    """Whether one of a document's chunks holds enough of a passage by itself."""
    return any(share(span, chunk) >= covered for chunk in chunks)


def found_at(span: CharSpan, ranked: Sequence[CharSpan | None], covered: float, *, alone: bool) -> int | None:
    """Rank, from 1, at which a passage is found.

    Args:
        span: The passage.
        ranked: Chunks in the order of the search; ``None`` for one of another document.
        covered: Part of the passage's characters that must be held.
        alone: Whether one chunk must hold it; else what is above counts together, as for a passage that is
            longer than any chunk.

    Returns:
        The rank, or ``None`` where it is not found.
    """
    seen: list[CharSpan] = []
    for rank, chunk in enumerate(ranked, 1):
        if chunk is None:
            continue
        seen.append(chunk)
        if (share(span, chunk) if alone else union_share(span, seen)) >= covered:
            return rank
    return None


def holders(span: CharSpan, chunks: Sequence[CharSpan], covered: float) -> list[int]:
    """Ordinals of the chunks that are right answers for a passage.

    They are those that hold enough of it by themselves; where none does, the fewest that do so together,
    those with most of it first.
    """
    alone = [i for i, chunk in enumerate(chunks) if share(span, chunk) >= covered]
    if alone:
        return alone
    chosen: list[int] = []
    held = 0.0
    for part, i in sorted(((share(span, chunk), -i) for i, chunk in enumerate(chunks)), reverse=True):
        if held >= covered or not part:
            break
        chosen.append(-i)
        held += part
    return sorted(chosen)
