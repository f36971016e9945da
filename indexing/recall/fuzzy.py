"""Places where a quote stands almost as it was: a few letters differ, no number does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

_LETTERS_PER_EDIT = 10
"""One letter of ten may differ: OCR that is worse reads nothing that anybody would find."""
_SHORTEST_PIECE = 5
_MOST_PER_PIECE = 500
_MOST_VERIFIED = 40
_DIGITS = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Match:
    """A stretch of folded letters.

    Attributes:
        place: Of its first letter.
        length: Letters.
        similarity: To the quote, 0…1.
    """

    place: int
    length: int
    similarity: float


def nearly(text: str, quote: str) -> list[Match]:
    """The places where a quote stands with few letters changed, most similar first.

    A quote with at most ``e`` edits, cut into ``e + 1`` pieces, has one piece that is whole (Wu and Manber
    1992, "partitioning into exact search"); so pieces are looked for exactly, and only where some agree on
    a place is it compared in full. A document of a million letters takes milliseconds.

    Args:
        text: Folded letters of the document.
        quote: Folded letters of the quote.

    Returns:
        Matches within one edit in ten letters whose digits are all the same.
    """
    edits = len(quote) // _LETTERS_PER_EDIT
    if not edits:
        return []
    found: dict[int, Match] = {}
    for place in _likely(text, quote, edits):
        match = _aligned(text, quote, place, edits)
        if match is not None:
            found.setdefault(match.place, match)
    return sorted(found.values(), key=lambda match: (-match.similarity, match.place))


def _likely(text: str, quote: str, edits: int) -> Iterator[int]:
    """Places that pieces of the quote agree on, those of most pieces first."""
    votes: Counter[int] = Counter()
    width = edits + 1
    for start, piece in _pieces(quote, width):
        place = text.find(piece)
        for _ in range(_MOST_PER_PIECE):
            if place < 0:
                break
            votes[(place - start) // width] += 1
            place = text.find(piece, place + 1)
    # Sorted by place too, so that equal votes are always looked at in the same order.
    ranked = sorted(votes.items(), key=lambda item: (-item[1], item[0]))
    return (max(0, bucket * width) for bucket, _ in ranked[:_MOST_VERIFIED])


def _pieces(quote: str, count: int) -> Iterator[tuple[int, str]]:
    size = max(_SHORTEST_PIECE, len(quote) // count)
    for start in range(0, len(quote) - size + 1, size):
        yield start, quote[start : start + size]


def _aligned(text: str, quote: str, place: int, edits: int) -> Match | None:
    """The stretch around a place that is most like the quote, if it is like enough."""
    start = max(0, place - 2 * edits)
    window = text[start : place + len(quote) + 3 * edits + 1]
    rough = fuzz.partial_ratio_alignment(quote, window)
    if rough is None or len(window) < len(quote) - edits:
        return None
    first, last = _edges(quote, window, rough.dest_start, rough.dest_end, edits)
    stretch = window[first:last]
    distance = Levenshtein.distance(quote, stretch, score_cutoff=edits)
    if distance > edits or _DIGITS.findall(quote) != _DIGITS.findall(stretch):
        return None
    return Match(start + first, last - first, 1 - distance / len(quote))


def _edges(quote: str, window: str, first: int, last: int, edits: int) -> tuple[int, int]:
    """Move the ends of a rough match, which is as long as the quote, to where the edits are fewest."""
    lasts = range(max(first + 1, last - edits), min(len(window), last + edits) + 1)
    last = min(lasts, key=lambda end: (Levenshtein.distance(quote, window[first:end]), abs(end - last)))
    firsts = range(max(0, first - edits), min(last - 1, first + edits) + 1)
    return min(firsts, key=lambda at: (Levenshtein.distance(quote, window[at:last]), abs(at - first))), last
