"""Cuts text that is too long for one chunk: at word borders, an endless word between characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import regex

from chunking.units import Span

Fits = Callable[[str], bool]

_GRAPHEME = regex.compile(r"\X")
_LAST_WORD = re.compile(r"\s(?=\S*\Z)")
_LONGEST_CLUSTER = 64
_FIRST_STEP = 64


def fragment(text: str, span: Span, fits: Fits) -> Iterator[Span]:
    """Cut a span into stretches that fit.

    Each is as long as possible. A character is kept together with its combining marks, emoji sequences
    included, unless the sequence alone does not fit; a single code point is never cut, fit or not.

    Args:
        text: The document's text.
        span: What to cut.
        fits: Whether a text is short enough; true for prefixes of what is short enough, nearly always.

    Yields:
        Spans without blanks at their ends; they tile the non-blank text of ``span``.
    """
    position, end = _trim(text, *span)
    while position < end:
        stop = _prefix_end(text, position, end, fits)
        yield _trim(text, position, stop)
        position, _ = _trim(text, stop, end)


def _trim(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def _prefix_end(text: str, start: int, end: int, fits: Fits) -> int:
    longest = _longest_prefix(text, start, end, fits)
    if longest == end:
        return end
    for stop in _borders(text, start, longest, end):
        if fits(text[start:stop]):
            return stop
    return max(longest, start + 1)


def _longest_prefix(text: str, start: int, end: int, fits: Fits) -> int:
    """End of the longest prefix that fits: doubling, then bisection."""
    good, step = start, _FIRST_STEP
    while good < end and fits(text[start : min(start + step, end)]):
        good = min(start + step, end)
        step *= 2
    bad = min(start + step, end + 1)
    while bad - good > 1:
        middle = (good + bad) // 2
        if fits(text[start:middle]):
            good = middle
        else:
            bad = middle
    return good


def _borders(text: str, start: int, longest: int, end: int) -> Iterator[int]:
    """Good places to stop at or before ``longest``, best first."""
    if longest < end and text[longest].isspace():
        yield longest
    word = _LAST_WORD.search(text, start, longest)
    if word and text[start : word.start()].strip():
        yield word.start()
    yield from reversed(_grapheme_borders(text, start, longest, end))


def _grapheme_borders(text: str, start: int, longest: int, end: int) -> list[int]:
    reach = min(end, longest + _LONGEST_CLUSTER)
    ends = (match.end() for match in _GRAPHEME.finditer(text, start, reach))
    return [stop for stop in ends if start < stop <= longest]
