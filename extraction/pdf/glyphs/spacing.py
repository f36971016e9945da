"""Decides which gaps between the letters of a line are spaces between words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

# A word is taken for spaced out when so many of its letters stand alone.
_LETTERS = 4
_EVEN = 1.5
_SLACK = 0.1
_SPACED = 0.04
_WIDEST = 1.6
# Capitals that would make words shorter than this, on average, are letters set apart.
_SHORT_WORDS = 2.6

_NUMBER_TORN = re.compile(r"(?<=\d) (?=\.\d)|(?<=\d[—–]) (?=\d)|(?<=\w) (?=,(?:\s|$))")
_CLAUSE_TORN = re.compile(r"^(\d{1,2}(?:\.\d{1,2})*\.) (\d{1,2})(?=\. [А-ЯЁA-Z])")
_CLAUSE_GLUED = re.compile(
    r"^(\d{1,2}(?:\.\d{1,3}){2,4}\.?|\d{1,2}\.\d{1,2}\.?(?=[А-ЯЁ][а-яё]{2}))(?=[А-ЯЁ](?:[а-яё]| [а-яё]))"
)


class Break(NamedTuple):
    """A place between two glyphs of a run that may be a space.

    Attributes:
        place: Index of the glyph behind it.
        gap: Its width in font sizes.
        drawn: Whether the file has a space character there.
    """

    place: int
    gap: float
    drawn: bool


def write_run(parts: Sequence[str], breaks: Sequence[Break], inner: float) -> str:
    """The text of glyphs that follow each other.

    Args:
        parts: The glyphs' texts.
        breaks: Where spaces may be.
        inner: The sum of the other gaps, in font sizes.
    """
    breaks = _without_kerning(parts, breaks, inner)
    if not breaks:
        return "".join(parts)
    edges = [0, *(each.place for each in breaks), len(parts)]
    words = ["".join(parts[start:end]) for start, end in pairwise(edges)]
    return write_words(words, [each.gap for each in breaks])


def _without_kerning(parts: Sequence[str], breaks: Sequence[Break], inner: float) -> Sequence[Break]:
    """Breaks without those that are no wider than the letters of the run are set apart anyway."""
    inside = len(parts) - 1 - len(breaks)
    implied = [each.gap for each in breaks if not each.drawn]
    if not implied:
        return breaks
    if inside >= max(3, len(implied)):
        usual = inner / inside
    elif _is_capitals(parts) and len(parts) < _SHORT_WORDS * len(breaks):
        usual = (inner + sum(implied)) / (inside + len(implied))
    else:
        return breaks
    if usual < _SPACED:
        return breaks
    least = _EVEN * usual + _SLACK
    return [each for each in breaks if each.drawn or each.gap >= least]


def _is_capitals(parts: Sequence[str]) -> bool:
    return len(parts) >= 2 * _LETTERS and "".join(parts).isupper()


def write_words(words: Sequence[str], gaps: Sequence[float]) -> str:
    """Words with spaces between them; what is spaced out letter by letter is closed up.

    Args:
        words: Words, or letters of spaced-out words («П Р И К А З»).
        gaps: The ``len(words) - 1`` gaps between them, in font sizes.
    """
    if sum(len(word) == 1 for word in words) < _LETTERS:
        return " ".join(words)
    return " ".join(_close_up(words, gaps))


def _close_up(words: Sequence[str], gaps: Sequence[float]) -> Iterator[str]:
    start = 0
    while start < len(words):
        end = start
        while end < len(words) and _is_letter(words[end]):
            end += 1
        if end - start < _LETTERS:
            end = max(end, start + 1)
            yield from words[start:end]
        else:
            yield from _spaced_out(words[start:end], gaps[start : end - 1])
        start = end


def _is_letter(word: str) -> bool:
    return len(word) == 1 and word.isalpha()


def _spaced_out(letters: Sequence[str], gaps: Sequence[float]) -> Iterator[str]:
    """The words that single letters make, parted where a gap is wider than usual."""
    widest = min(_EVEN * median(gaps) + _SPACED, _WIDEST)
    word = letters[0]
    for letter, gap in zip(letters[1:], gaps, strict=True):
        if gap > widest:
            yield word
            word = letter
        else:
            word += letter
    yield word


def tidy(text: str) -> str:
    """A line without the spaces that recognition puts into numbers, and with those it leaves out.

    «1 .2 Общие», «ГОСТ 27751— 88», «4.1.12В конце», «лицами , получившими».
    """
    if " " in text:
        text = _NUMBER_TORN.sub("", text)
    if text[:1].isdigit():
        text = _CLAUSE_TORN.sub(r"\1\2", text)
        text = _CLAUSE_GLUED.sub(r"\1 ", text)
    return text
