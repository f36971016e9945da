"""Sentences of a paragraph, as spans.

Cyrillic text is split by razdel, other text by Punkt, both mended by rules for norms and manuals; see
``chunking.languages``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from chunking.languages.english import english_cuts
from chunking.languages.russian import russian_cuts

Span = tuple[int, int]

_NEWLINE = re.compile(r"\n+")
_BLANK_LINE = re.compile(r"\n(?:[^\S\n]*\n)+")
_CYRILLIC = re.compile(r"[\u0400-\u052f]+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+")


def split_sentences(text: str, language: str, *, newline_ends: bool) -> list[Span]:
    """Split one paragraph into sentences.

    Args:
        text: The text of one element.
        language: ISO 639-1 code to fall back on; the script of the text itself goes first.
        newline_ends: Whether a newline ends a sentence. A blank line always does.

    Returns:
        Spans ``(start, end)`` in code points, in order, without blanks at their ends; every
        character that is not blank lies in exactly one.
    """
    cyrillic = _is_cyrillic(text, language)
    breaks = (_NEWLINE if newline_ends else _BLANK_LINE).finditer(text)
    spans: list[Span] = []
    for block, block_end in _spans(text, {match.end() for match in breaks}):
        body = text[block:block_end]
        cuts = russian_cuts(body) if cyrillic else english_cuts(body, language)
        if cuts:
            spans += [(block + start, block + end) for start, end in _spans(body, cuts)]
        else:
            spans.append((block, block_end))  # without blanks at its ends
    return spans


def _is_cyrillic(text: str, language: str) -> bool:
    cyrillic = 0 if text.isascii() else _length(_CYRILLIC, text)
    if cyrillic:
        return cyrillic >= _length(_LATIN, text)
    return language in {"ru", "uk", "be", "bg"} and not _LATIN.search(text)


def _length(runs: re.Pattern[str], text: str) -> int:
    """Characters in all runs."""
    return sum(map(len, runs.findall(text)))


def _spans(text: str, cuts: set[int]) -> Iterator[Span]:
    edges = [0, *sorted(cuts), len(text)]
    for left, right in pairwise(edges):
        piece = text[left:right]
        start = left + len(piece) - len(piece.lstrip())
        end = left + len(piece.rstrip())
        if start < end:
            yield start, end
