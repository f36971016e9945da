"""Joins the lines of a paragraph and undoes hyphenation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SOFT = "\N{SOFT HYPHEN}"
_HYPHENS = "-\N{HYPHEN}"
_LAST_PART = re.compile(r"([^\W\d_]+)$")
_FIRST_PART = re.compile(r"^([^\W\d_]+)")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
# «инженерно-геологический», «физико-химический»: a compound, unless its first part makes closed ones.
_COMPOUND = re.compile(r".*(?:[бвгджзклмнпрстфхцчшщ]н|ск|ик|[лт]ь?н)о$")
_CLOSED = re.compile(
    r"одно|верно|равно|разно|полно|трудно|легко|крупно|мелко|близко|низко|высоко|много|мало|само|ново"
    r"|общественно|внутренно|собственно|возможно|особенно|обязательно|действительно"
)
_NOUN_ENDING = re.compile(r"ст(?:ь|и|ью|ей|ям|ями|ях|ный|ная|ное|ные)$")
_PARTICLES = frozenset({"то", "либо", "нибудь", "таки"})
_BEFORE_PARTICLE = re.compile(
    r"(?:кто|что|как|где|куда|когда|чей|чья|чьё|кого|кому|чего|чему|како\w+|какая|какие|каким\w*|все|так)$"
)
_INNER_SOFT = re.compile(rf"(?<=\d){_SOFT}|{_SOFT}(?=\d)")


class LineJoiner:
    """Joins lines, keeping the hyphens that belong to words.

    A hyphen at the end of a line belongs to the word when the document writes the word with it
    elsewhere, or when it is one of a compound («инженерно-геологические»); next to a digit or a
    capital letter it always stays.

    Args:
        lines: All lines of the document, whose words decide.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self._words: frozenset[str] | None = None

    def join(self, lines: Sequence[str]) -> str:
        """One line of text."""
        if not lines:
            return ""
        parts = [lines[0]]
        for line in lines[1:]:
            parts[-1], glue = self._end(parts[-1], line)
            parts += [glue, line] if glue else [line]
        return _without_soft("".join(parts))

    def _end(self, last: str, following: str) -> tuple[str, str]:
        """The end of a line as it reads before the next one, and what goes between."""
        if last.endswith(_SOFT):
            bare = last.rstrip(_SOFT)
            return (bare + "-", "") if bare[-1:].isdigit() else (bare, "")
        if last[-1:] not in _HYPHENS or not last[-2:-1].isalnum():
            return last, " "
        if self._belongs(last, following):
            return last, ""
        return last[:-1], ""

    def _belongs(self, last: str, following: str) -> bool:
        left, right = _LAST_PART.search(last[:-1]), _FIRST_PART.match(following)
        if not left or not right or not right[1][0].islower():
            return True
        first, second = left[1].casefold(), right[1].casefold()
        if first + second in self._known:
            return False
        if f"{first}-{second}" in self._known:
            return True
        if second in _PARTICLES:
            return _BEFORE_PARTICLE.match(first) is not None
        if _is_compound(first, second):
            return True
        return min(len(first), len(second)) >= 4 and first in self._known and second in self._known

    @property
    def _known(self) -> frozenset[str]:
        """Words of the document that no line end has cut, in lower case."""
        if self._words is None:
            words: set[str] = set()
            for line in self._lines:
                cut = line[-1:] in _HYPHENS + _SOFT
                inner = _WORD.findall(line.casefold().replace(_SOFT, ""))
                words.update(inner[1:-1] if cut else inner[1:])
            self._words = frozenset(words)
        return self._words


def _is_compound(first: str, second: str) -> bool:
    if len(second) < 5 or _CLOSED.fullmatch(first) or _NOUN_ENDING.match(second):
        return False
    return _COMPOUND.match(first) is not None


def _without_soft(text: str) -> str:
    """Text without soft hyphens; one beside a digit stands for a hyphen («11-02-96»)."""
    return _INNER_SOFT.sub("-", text).replace(_SOFT, "") if _SOFT in text else text
