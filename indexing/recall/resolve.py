"""Where golden passages stand in the documents as they are now.

A label outlives another extraction, another chunker and small edits. It never moves to another passage in
silence: what is not found again with its numbers unchanged is stale, which is told apart from a drop in
recall.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace

from rapidfuzz.distance import Indel

from indexing.recall.folding import Folded, fold
from indexing.recall.fuzzy import Match, nearly
from indexing.recall.model import CharSpan, GoldenSpan
from indexing.recall.texts import IndexedText

_MOST_PLACES = 2_000
_CONTEXT_LETTERS = 40
_SHORT = 20
"""Letters below which a quote could stand anywhere: it needs its context, where one is known."""
_LEAST_CONTEXT = 0.6

_WHOLE_QUOTE_GONE = "the quote does not stand in the document any more"


@dataclass(frozen=True, slots=True)
class Resolved:
    """Where a passage stands, or why it is not found.

    Attributes:
        span: Offsets in the document's text; ``None`` where the label is stale.
        stale: Why; empty where it resolves.
        exact: Whether its letters and digits are all as they were.
        alike: Places that the label fits equally well, of which the first was taken.
    """

    span: CharSpan | None
    stale: str = ""
    exact: bool = True
    alike: int = 1


def resolve(label: GoldenSpan, document: IndexedText) -> Resolved:
    """Find a passage.

    The quote is looked for by its letters and digits (``folding``); where it does not stand so, a place
    that differs in at most one letter of ten, but in no number, is taken. Of several places the one is
    taken that has the prefix and suffix around it, that is on the page, that is nearest to where it stood,
    that comes first, in this order.

    Args:
        label: The passage.
        document: The document that holds it.
    """
    if label.quote.strip():
        return _by_quote(label, document)
    length = len(document.text)
    if label.start is not None and label.end is not None:
        if 0 <= label.start < label.end <= length:
            return Resolved((label.start, label.end))
        return Resolved(None, f"the document ends at {length}, before {label.start}–{label.end}")
    span = (0, length) if label.page is None else document.page_span(label.page)
    if span is None or not document.text.strip():
        return Resolved(
            None, f"there is no text on page {label.page}" if label.page else "the document is empty"
        )
    return Resolved(span)


def _by_quote(label: GoldenSpan, document: IndexedText) -> Resolved:
    text, quote = document.folded, fold(label.quote)
    if not quote:
        return _by_marks(label, document)
    exact = [Match(place, len(quote), 1.0) for place in _places(text.letters, quote)]
    places = _standing(label, text, exact, quote)
    if places:
        return _best(label, document, places)
    if exact and len(quote) < _SHORT:
        return Resolved(None, f"{_WHOLE_QUOTE_GONE} with these words around it")
    near = nearly(text.letters, quote)
    if near:
        return replace(_best(label, document, near), exact=False)
    return Resolved(None, _WHOLE_QUOTE_GONE)


def _by_marks(label: GoldenSpan, document: IndexedText) -> Resolved:
    """A quote without a letter (a formula's sign, say) is looked for as it is."""
    quote = unicodedata.normalize("NFC", label.quote).strip()
    start = document.text.find(quote)
    return Resolved((start, start + len(quote))) if start >= 0 else Resolved(None, _WHOLE_QUOTE_GONE)


def _places(text: str, wanted: str) -> list[int]:
    places: list[int] = []
    place = text.find(wanted)
    while place >= 0 and len(places) < _MOST_PLACES:
        places.append(place)
        place = text.find(wanted, place + 1)
    return places


def _standing(label: GoldenSpan, text: Folded, exact: list[Match], quote: str) -> list[Match]:
    """Those of the places where the quote stands as words of its own and, if short, with its context."""
    whole = [match for match in exact if _whole_words(text, match)]
    if len(quote) >= _SHORT:
        return whole or exact
    if not (fold(label.prefix) or fold(label.suffix)):
        return whole
    return [match for match in whole or exact if _context(label, text, match) >= _LEAST_CONTEXT]


def _whole_words(text: Folded, match: Match) -> bool:
    return text.opens_word(match.place) and text.ends_word(match.place + match.length - 1)


def _context(label: GoldenSpan, text: Folded, match: Match) -> float:
    """How much the letters around a place are those of the label, 0…1."""
    before, after = fold(label.prefix)[-_CONTEXT_LETTERS:], fold(label.suffix)[:_CONTEXT_LETTERS]
    if not before and not after:
        return 1.0
    end = match.place + match.length
    around = (
        text.letters[max(0, match.place - len(before)) : match.place],
        text.letters[end : end + len(after)],
    )
    same = [
        Indel.normalized_similarity(*pair) * len(pair[0])
        for pair in zip((before, after), around, strict=True)
    ]
    return sum(same) / (len(before) + len(after))


def _best(label: GoldenSpan, document: IndexedText, places: list[Match]) -> Resolved:
    def distance(match: Match) -> tuple[float, float, int, int]:
        start, _ = document.folded.span(match.place, match.length)
        return (
            -round(_context(label, document.folded, match), 1),
            -round(match.similarity, 2),
            _pages_away(label.page, document.pages_at(start)),
            abs(start - label.start) if label.start is not None and label.page is None else 0,
        )

    distances = [distance(match) for match in places]
    nearest = min(distances)
    best = [match for match, far in zip(places, distances, strict=True) if far == nearest]
    first = min(best, key=lambda match: match.place)
    return Resolved(document.folded.span(first.place, first.length), alike=len(best))


def _pages_away(page: int | None, pages: CharSpan) -> int:
    first, last = pages
    if page is None or not first:
        return 0
    return max(first - page, page - last, 0)
