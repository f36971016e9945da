"""Reads through what scanning does to letters: spaces between them, Latin ones that look Cyrillic."""

from __future__ import annotations

import re

from extraction.text import word_set

_LATIN = "ABCEHKMOPTXYaceopxy"
_CYRILLIC = "АВСЕНКМОРТХУасеорху"
_TO_CYRILLIC = str.maketrans(_LATIN, _CYRILLIC)
_TO_LATIN = str.maketrans(_CYRILLIC, _LATIN)
_DASHES = re.compile(r"[\u2010-\u2015\u2212]")
_SPACED_WORD = re.compile(r"(?<!\w)(?:[^\W\d_] ){2,}[^\W\d_](?!\w)")
_SHORT_WORDS = word_set("и в на для с по из при от к или не до со об о без над под за а их № рф ту газ вод")
_LATIN_LETTER = re.compile("[A-Za-z]")
_CYRILLIC_LETTER = re.compile("[А-Яа-яЁё]")
_WORD = re.compile(r"[^\W_]+")


def dashed(text: str) -> str:
    """Text with every kind of dash and minus written as a hyphen."""
    return _DASHES.sub("-", text)


def key(text: str) -> str:
    """Letters and digits of a text, upper case, look-alikes Cyrillic: «С В О Д правил» is СВОДПРАВИЛ."""
    return "".join(_WORD.findall(text)).upper().replace("Ё", "Е").translate(_TO_CYRILLIC)


def is_latin(text: str) -> bool:
    """Whether most letters of a text are Latin."""
    letters = [char for char in text if char.isalpha()]
    return bool(letters) and sum(char.isascii() for char in letters) > 0.6 * len(letters)


def despaced(text: str) -> str:
    """Text in which words set with spaces between their letters («Ч а с т ь 4») are put together."""
    return _SPACED_WORD.sub(lambda word: word.group().replace(" ", ""), text)


def loose(word: str) -> str:
    """Pattern of a kind's name whose letters may be spaced, Latin look-alikes or, where small, capitals."""
    return r"\s?".join(_letter(char) for char in word if not char.isspace())


def _letter(char: str) -> str:
    variants = {each for form in (char, char.upper()) for each in (form, form.translate(_TO_LATIN))}
    return f"[{''.join(sorted(variants))}]"


def brokenness(text: str) -> tuple[int, int]:
    """How many words of a Russian text look like pieces of words, and how many words there are."""
    words = [word.strip(".,;()«»\"'").lower() for word in text.split()]
    pieces = sum(0 < len(word) <= 3 and word not in _SHORT_WORDS and not word.isdigit() for word in words)
    mixed = sum(bool(_CYRILLIC_LETTER.search(word)) and bool(_LATIN_LETTER.search(word)) for word in words)
    return pieces + mixed, len(words)


def is_upper(text: str) -> bool:
    """Whether most letters of a text are capitals."""
    letters = [char for char in text if char.isalpha()]
    return sum(char.isupper() for char in letters) > 0.6 * len(letters)
