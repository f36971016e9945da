"""How much the letters of a text look like a language: a model of letter pairs.

Counted over Russian and English technical prose and, at a lower weight, over three other Slavic
languages in Cyrillic and thirty in Latin script; ``training/letter_pairs.py`` tells how.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюяієїј"
LATIN = "abcdefghijklmnopqrstuvwxyz"
EDGE = " "
_KEPT = "йї"
_STEPS_PER_BIT = 3


@lru_cache(maxsize=4096)
def _fold(char: str) -> str:
    lower = char.lower()
    if lower in _KEPT:
        return lower
    return "".join(c for c in unicodedata.normalize("NFKD", lower) if not unicodedata.combining(c))


def fold(text: str) -> str:
    """Lower case, without accents, ligatures undone; «ё» is «е», «й» stays."""
    return "".join(map(_fold, text))


def surprise(words: Iterable[str]) -> tuple[float, int]:
    """How badly letters follow each other in known languages.

    Args:
        words: Runs of letters. Those in other alphabets than the Russian and the Latin one count for
            nothing.

    Returns:
        Bits that a letter surprises by on average, and from how many letters. Technical prose has 3.3
        to 4.1 bits, other languages up to 4.4, letters in random order 5 to 6.
    """
    total, count = 0, 0
    for word in map(fold, words):
        costs = _costs(word)
        if costs is not None:
            total += costs
            count += len(word) + 1
    return (total / _STEPS_PER_BIT / count if count else 0.0), count


@lru_cache(maxsize=65536)
def _costs(word: str) -> int | None:
    table = _tables().get(word[:1])
    if table is None:
        return None
    try:
        return sum(table[pair] for pair in zip(EDGE + word, word + EDGE, strict=True))
    except KeyError:
        return None


@cache
def _tables() -> dict[str, dict[tuple[str, str], int]]:
    """The pairs of each letter's alphabet."""
    from extraction.letter_pairs import CYRILLIC_PAIRS, LATIN_PAIRS  # noqa: PLC0415 - their writer imports this module

    return {
        letter: table
        for alphabet, rows in ((CYRILLIC, CYRILLIC_PAIRS), (LATIN, LATIN_PAIRS))
        for table in (_table(alphabet, rows),)
        for letter in alphabet
    }


def _table(alphabet: str, rows: Sequence[str]) -> dict[tuple[str, str], int]:
    letters = alphabet + EDGE
    return {
        (first, second): int(cost, 36)
        for first, row in zip(letters, rows, strict=True)
        for second, cost in zip(letters, row, strict=True)
    }
