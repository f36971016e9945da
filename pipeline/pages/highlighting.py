"""Words of a query found again in a text, and the stretch of the text that says most about them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from indexing.store.terms import stems

EXCERPT = 420
"""Characters of a hit that are shown."""

_TOKEN = re.compile("\\d+(?:[./\\-\N{EN DASH}\N{EM DASH}]\\d+)+|[^\\W_]+")
_BREAKS = re.compile(r"\s*\n\s*")
_LEAD = 90  # characters kept before the first word that was found
_SHORT = 2
_COMMON_WORDS = """
and are but for from has have how into its not that the their this was were what when where which
who why will with без был была были было быть где для если или как какая какие какой какова каков
когда кто куда над она они оно при про сколько так также там тем того тоже только чем что чтобы эта
эти это этот
"""
_COMMON = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of text, and whether it is a word that was asked for."""

    text: str
    found: bool = False


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What is shown of a text.

    Attributes:
        parts: In order; together they are the text shown.
        before: Whether text before it is left out.
        after: Whether text after it is left out.
    """

    parts: tuple[Part, ...]
    before: bool = False
    after: bool = False


def excerpt(text: str, query: str, length: int = EXCERPT) -> Excerpt:
    """The stretch of a text that holds most of the words of a query, with these words marked.

    Args:
        text: The text; its blank lines are left out.
        query: What was asked for.
        length: Most characters to show, roughly.
    """
    text = _BREAKS.sub("\n", text.strip())
    spans = _found(text, _wanted(query))
    if len(text) <= length + length // 4:
        return Excerpt(_parts(text, spans, 0, len(text)))
    start = _start(text, spans, length)
    end = _word_edge(text, min(len(text), start + length))
    return Excerpt(_parts(text, spans, start, end), start > 0, end < len(text))


def _wanted(query: str) -> set[str]:
    tokens = (match[0] for match in _TOKEN.finditer(query))
    return {term for token in tokens if (term := _term(token))}


def _term(token: str) -> str:
    """A word as it is compared; empty for one that says nothing by itself."""
    word = token.lower()
    if word in _COMMON or (len(word) <= _SHORT and not word[0].isdigit()):
        return ""
    found = stems(word)
    return found[0] if found else ""


def _found(text: str, wanted: set[str]) -> list[tuple[int, int]]:
    if not wanted:
        return []
    return [match.span() for match in _TOKEN.finditer(text) if _term(match[0]) in wanted]


def _start(text: str, spans: Sequence[tuple[int, int]], length: int) -> int:
    """Where the window begins that holds most different places; the first of equals."""
    if not spans:
        return 0
    best, most, first = 0, 0, 0
    for last, (_, end) in enumerate(spans):
        while first < last and end - spans[first][0] > length - _LEAD:
            first += 1
        if last - first + 1 > most:
            best, most = first, last - first + 1
    start = max(0, spans[best][0] - _LEAD)
    return 0 if start < _LEAD else _word_edge(text, start)


def _word_edge(text: str, position: int) -> int:
    """The next blank, if one is near."""
    for i in range(position, min(len(text), position + 30)):
        if text[i].isspace():
            return i
    return position


def _parts(text: str, spans: Sequence[tuple[int, int]], start: int, end: int) -> tuple[Part, ...]:
    parts: list[Part] = []
    at = start
    for left, right in spans:
        if start <= left and right <= end:
            parts += [Part(text[at:left]), Part(text[left:right], found=True)]
            at = right
    return tuple(part for part in [*parts, Part(text[at:end])] if part.text)
