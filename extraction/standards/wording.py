"""Joins the lines of a title, and picks the spelling that scanning has left whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from extraction.standards.letters import brokenness, is_upper, key
from extraction.text import word_set

_ALIKE = 0.94
# What a title goes on with as a part of its own.
_PART = re.compile(
    r"(?:ОБЩИЕ|ОСНОВНЫЕ|ТЕХНИЧЕСКИЕ|МЕТОДЫ?|ПРАВИЛА|НОРМЫ|ТРЕБОВАНИЯ|ТЕРМИНЫ|КЛАССИФИКАЦИЯ|ЧАСТЬ|ТИПЫ|РАЗМЕРЫ|СОРТАМЕНТ"
    r"|НОМЕНКЛАТУРА|ОБОЗНАЧЕНИЯ)\b",
    re.IGNORECASE,
)
_JOINING = word_set("и в на для с по из при от к или о об")
_HYPHENATED = re.compile(r"[а-яё]-$")


def join_title(lines: Sequence[str]) -> str:
    """Lines of a title in one."""
    joined = ""
    for before, line in pairwise(["", *lines]):
        if not joined:
            joined = line
        elif _HYPHENATED.search(joined) and line[0].islower():
            joined = joined[:-1] + line
        else:
            joined += (". " if _starts_part(before, line) else " ") + line
    return unquoted(joined.strip(" .,;"))


def unquoted(title: str) -> str:
    """A title without the quotation marks around all of it."""
    pairs = ('""', "«»", "“”", "<>")
    around = len(title) > 1 and title[0] + title[-1] in pairs
    return title[1:-1] if around and not set(title[1:-1]) & {title[0], title[-1]} else title


def _starts_part(before: str, line: str) -> bool:
    if before.endswith((".", ",", ":", "-", "(", "«")) or not line[0].isupper():
        return False
    return is_upper(before) != is_upper(line) or (bool(_PART.match(line)) and _is_whole(before))


def _is_whole(line: str) -> bool:
    """Whether a line does not break off at a word that something must follow."""
    return line.rsplit(maxsplit=1)[-1].casefold() not in _JOINING


def clearest(title: str, others: Iterable[str]) -> str:
    """The spelling of a title with the fewest broken words among those that agree with it."""
    wanted = key(title)
    same = [title, *(other for other in others if _agree(key(other), wanted))]
    return min(same, key=lambda each: (*brokenness(each), -each.count(". ")))


def _agree(one: str, other: str) -> bool:
    """Whether two titles differ in no more than a few misread letters."""
    if abs(len(one) - len(other)) > 0.05 * len(other):
        return False
    return one == other or SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE
