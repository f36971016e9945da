"""Joins the lines of a paragraph and undoes hyphenation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from extraction.pdf.text.compounds import is_compound, is_english_compound, is_typical, takes_particle
from extraction.text import word_set

_SOFT = "\N{SOFT HYPHEN}"
_HYPHENS = "-\N{HYPHEN}"
# What stands between two words without spaces: «2018–23», «м/с», «and/or».
_GLUED = frozenset("–—/")
_NOT_IN_CAPITALS = frozenset("%/_@")
_LAST_PART = re.compile(r"([^\W\d_]+)$")
_FIRST_PART = re.compile(r"^([^\W\d_]+)")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_INNER_SOFT = re.compile(rf"(?<=\d){_SOFT}|{_SOFT}(?=\d)")
_SHORTEST_WORD = 4
# Ends of Russian words that are no words.
_TAILS = word_set("е й х ы ь ю ся сь ие ия ий ию ии ые ый ых ым ого ему ость ости ение ения")


class LineJoiner:
    """Joins lines, keeping the hyphens that belong to words.

    A hyphen at the end of a line belongs to the word when the document writes the word with it
    elsewhere, or when it is one of a compound («инженерно-геологические»); next to a digit or a
    capital letter, and between alphabets («web-сервер»), it always stays. A soft hyphen goes, unless
    it stands for the hyphen of a compound.

    Args:
        lines: All lines of the document, whose words decide.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self._words: frozenset[str] | None = None
        self._firsts: frozenset[str] = frozenset()

    def join(self, lines: Sequence[str]) -> str:
        """One line of text."""
        if not lines:
            return ""
        parts = [lines[0]]
        for line in lines[1:]:
            parts[-1], glue = self._end(parts[-1], line)
            parts += [glue, line] if glue else [line]
        return _without_soft("".join(parts))

    def join_cell(self, lines: Sequence[str]) -> str:
        """One line of text from a cell of a table, where narrow columns cut words without a hyphen."""
        whole: list[str] = []
        for line in lines:
            if whole and self._cuts_word(whole[-1], line):
                whole[-1] += line
            else:
                whole.append(line)
        return self.join(whole)

    def _cuts_word(self, last: str, following: str) -> bool:
        """Whether two lines are parts of a word that the document writes elsewhere."""
        parts = _parts(last, following)
        if parts is None:
            return False
        if parts[1] in _TAILS and len(parts[0]) >= _SHORTEST_WORD:
            return True
        if "".join(parts) not in self._known:
            return False
        return parts[0] not in self._known or parts[1] not in self._known

    def _end(self, last: str, following: str) -> tuple[str, str]:
        """The end of a line as it reads before the next one, and what goes between."""
        if last.endswith(_SOFT):
            bare = last.rstrip(_SOFT)
            keeps = bare[-1:].isdigit() or self._hides_hyphen(bare, following)
            return (bare + "-" if keeps else bare), ""
        if last[-1:] in _GLUED and last[-2:-1].isalnum() and last[-2].isdigit() == following[:1].isdigit():
            return last, ""
        if last[-1:] not in _HYPHENS or not last[-2:-1].isalnum():
            return last, "" if last.endswith("://") else " "
        return (last if self._belongs(last, following) else last[:-1]), ""

    def _belongs(self, last: str, following: str) -> bool:
        """Whether the hyphen at the end of a line is one of the word's own."""
        parts = _parts(last[:-1], following)
        if parts is None:
            return True
        first, second = parts
        if first.isascii() != second.isascii():
            return True
        written = self._written(first, second)
        if written is None:
            written = takes_particle(first, second)
        if written is not None:
            return written
        before = last[-len(first) - 2 : -len(first) - 1]
        if is_compound(first, second) or is_english_compound(first, second, hyphen_before=before == "-"):
            return True
        known = first in self._known and second in self._known
        return known and min(len(first), len(second)) >= _SHORTEST_WORD

    def _hides_hyphen(self, last: str, following: str) -> bool:
        """Whether a soft hyphen stands where the word has a hyphen of its own.

        Recognised text has soft hyphens at the ends of all cut words, those of compounds included.
        """
        parts = _parts(last, following)
        if parts is None:
            return False
        first, second = parts
        written = self._written(first, second)
        if written is not None:
            return written
        return (is_typical(first) or first in self._firsts) and is_compound(first, second)

    def _written(self, first: str, second: str) -> bool | None:
        """Whether the document writes a word with a hyphen elsewhere; ``None`` if it does not have it."""
        if first + second in self._known:
            return False
        return True if f"{first}-{second}" in self._known else None

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
            self._firsts = frozenset(word.partition("-")[0] for word in words if "-" in word)
        return self._words


def _parts(last: str, following: str) -> tuple[str, str] | None:
    """The two parts of a cut word, in lower case; ``None`` where no word can be cut.

    Before a capital letter none can, save in a line of capitals, where the case tells nothing.
    """
    left, right = _LAST_PART.search(last), _FIRST_PART.match(following)
    if not left or not right:
        return None
    first, second = left[1], right[1]
    capitals = min(len(first), len(second)) > 1 and second.isupper() and last.isupper()
    capitals = capitals and _NOT_IN_CAPITALS.isdisjoint(last)
    return (first.casefold(), second.casefold()) if second[0].islower() or capitals else None


def _without_soft(text: str) -> str:
    """Text without soft hyphens; one beside a digit stands for a hyphen («11-02-96»)."""
    return _INNER_SOFT.sub("-", text).replace(_SOFT, "") if _SOFT in text else text
