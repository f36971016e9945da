"""Spreads the units of a document over windows that a language model reads one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chunking.plan import Plan
from chunking.units import Span
from rubrica.identity import digest

MOST_UNITS = 60
"""Units of one window: models lose count in longer lists."""

# A window ends in the second half of its room.
_EARLIEST = 2


def windows(plan: Plan, most_tokens: int) -> list[Span]:
    """Spans of units, in order, that tile the document.

    A window ends before a heading where there is one in the second half of its room, else before the
    unit with the lowest digest: a place that depends on nothing but the text around it, so that an edit
    moves only the windows near by and the answers about all others are still in the cache.

    Args:
        plan: The document.
        most_tokens: Tokens of a window's text; a single unit may have more.
    """
    ranks = list(_ranks(plan))
    spans = []
    start, size = 0, plan.layout.size
    while start < size:
        stop = _furthest(plan, start, most_tokens)
        if stop < size:
            stop = _best_end(ranks, start, stop)
        spans.append((start, stop))
        start = stop
    return spans


def _furthest(plan: Plan, start: int, most_tokens: int) -> int:
    """End of the longest window that begins at ``start``."""
    stop = start + 1
    last = min(plan.layout.size, start + MOST_UNITS)
    while stop < last and plan.layout.tokens(start, stop + 1) <= most_tokens:
        stop += 1
    return stop


def _best_end(ranks: Sequence[tuple[bool, str]], start: int, stop: int) -> int:
    earliest = start + max(1, (stop - start) // _EARLIEST)
    return min(range(earliest, stop + 1), key=lambda end: ranks[end])


def _ranks(plan: Plan) -> Iterator[tuple[bool, str]]:
    """Per unit, how well a window ends before it; lower is better."""
    text = plan.document.text
    chained = False
    for unit in plan.units:
        opens_section = unit.heading and not chained
        chained = unit.heading
        yield not opens_section, digest(text[unit.start : unit.end])
