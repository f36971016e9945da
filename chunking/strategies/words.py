"""Words as units."""

from __future__ import annotations

import regex

from chunking.units import Span

# Chinese and Japanese write no blanks between words: there a few characters stand for one.
_CJK = r"[\p{Han}\p{Hiragana}\p{Katakana}]"
# What ``str.isspace`` calls a blank.
_OTHER = rf"(?!{_CJK})[^\s\x1c-\x1f]"
_WORD = regex.compile(rf"(?:{_CJK}\p{{M}}*){{1,8}}(?:{_OTHER})*|(?:{_OTHER})+")


def split_words(text: str, language: str, *, newline_ends: bool) -> list[Span]:  # noqa: ARG001 - a protocol
    """Split a text into words, as a ``SentenceSplitter`` would into sentences.

    Args:
        text: The text of one element.
        language: Not looked at.
        newline_ends: Not looked at; a newline is a blank.

    Returns:
        Spans ``(start, end)`` in code points; every character that is not blank lies in exactly one.
    """
    return [match.span() for match in _WORD.finditer(text)]
