"""The language of a text, by script and by its commonest words."""

from __future__ import annotations

import re

from extraction.text import word_set

UNDETERMINED = "und"

_SAMPLE = 20_000
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_NOT_RUSSIAN = re.compile("[іїєґўђјљњћџѓќѕәғқңөұүһ]", re.IGNORECASE)
_ONLY_RUSSIAN = re.compile("[ыэё]", re.IGNORECASE)
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = word_set(
    "a the of and to in is that for it as was with be by on not he his are this which or from an at have had"
    " they you were there been their has would will what if can all when who we one no do into than them"
    " only some could time these two may then its any such must shall should where each other"
)
_OTHERS = word_set(
    "der die das und ist nicht ein eine mit auf für von zu den dem des sich auch"  # German
    " le la les des et est une dans que qui pour sur pas du au ce il"  # French
    " el los las y es un una por con para del se lo como más"  # Spanish
    " il di che è per non sono della gli dei nel"  # Italian
    " o os um uma não em da dos ao"  # Portuguese
    " het een van niet op te dat zijn voor"  # Dutch
    " nie się jest na z do w jak"  # Polish
)


def detect_language(text: str) -> str:
    """Tell Russian and English from everything else.

    Args:
        text: A paragraph or a whole document, of which the beginning is looked at.

    Returns:
        "ru", "en", or "und" where it is neither or cannot be told.
    """
    sample = text[:_SAMPLE]
    cyrillic = len(_CYRILLIC.findall(sample))
    latin = len(_LATIN.findall(sample))
    if cyrillic == latin == 0:
        return UNDETERMINED
    # Russian technical prose is full of Latin names, English prose has hardly any Cyrillic.
    if cyrillic * 3 >= latin:
        return _cyrillic_language(sample)
    return _latin_language(sample)


def _cyrillic_language(text: str) -> str:
    foreign = len(_NOT_RUSSIAN.findall(text))
    return UNDETERMINED if foreign > len(_ONLY_RUSSIAN.findall(text)) else "ru"


def _latin_language(text: str) -> str:
    words = [word.lower() for word in _WORD.findall(text)]
    english = sum(word in _ENGLISH for word in words)
    others = sum(word in _OTHERS for word in words)
    if english == others == 0:
        return "en" if text.isascii() and len(words) >= 2 else UNDETERMINED
    return "en" if english > others else UNDETERMINED
