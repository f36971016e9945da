"""Ends of Russian sentences: razdel's, mended for norms and manuals.

Behind every mark where razdel may cut, rules of two kinds come first: what joins (abbreviations before what
they shorten, labels before their title, a date before its subject), and what cuts («2,5 т. Кран», «до оси А.
Найдите», «мм.Шаг»). Where none speaks, razdel decides.
"""

from __future__ import annotations

from functools import cache

from razdel.segmenters.sentenize import SentSegmenter, SentSplit  # type: ignore[import-untyped]
from razdel.segmenters.sokr import SOKRS  # type: ignore[import-untyped]

from chunking.languages import english_words
from chunking.languages import russian_patterns as at
from chunking.languages import russian_words as words
from chunking.languages.marks import Points, citation_ahead, cited_ends, find_points

_LOOK_BEHIND = 60
_LOOK_AHEAD = 40
_LONGEST_OPENING = 60
_NUMBERED = words.NUMBERED | english_words.NUMBERED
_SHORTENED = SOKRS | words.NUMBERED | words.CONTINUED


def russian_cuts(text: str) -> set[int]:
    """Offsets at which a new sentence begins."""
    points = find_points(text)
    cuts = _sentence_ends(text, points)
    for mark, end in cited_ends(text):
        if not _shortened(text[max(0, mark - _LOOK_BEHIND) : mark]):
            cuts.add(end)
    return cuts | points.starts


def _sentence_ends(text: str, points: Points) -> set[int]:
    """Walks over razdel's candidates, in linear time.

    ``sentenize`` copies the sentence so far at every delimiter, which a page of dot leaders turns
    quadratic; its own rules look at no more than the first characters of that copy.
    """
    segmenter = _razdel()
    parts = segmenter.split(text)
    position = len(next(parts))
    start = 0
    cuts = set()
    for split in parts:
        split.buffer = text[start : min(position, start + _LOOK_BEHIND)]
        position += len(split.delimiter)
        if _ends(text, start, position, split, points):
            start = position
            cuts.add(position)
        position += len(next(parts))
    return cuts


@cache
def _razdel() -> SentSegmenter:
    return SentSegmenter()


def _ends(text: str, start: int, cut: int, split: SentSplit, points: Points) -> bool:
    """Whether the sentence that began at ``start`` ends at ``cut``."""
    following = text[cut : cut + _LOOK_AHEAD]
    ahead = following.lstrip()
    if not ahead:
        return False
    behind = text[max(start, cut - _LOOK_BEHIND) : cut]
    if len(ahead) == len(following):
        return _glue_ends(behind, ahead)
    if ahead[0] in at.NEVER_NEXT or (citation_ahead(text, cut) and not text.startswith("[")):
        return False
    if cut + len(following) - len(ahead) in points.texts:
        return False
    own = None
    if split.delimiter == ".":
        opening = text[start:cut].strip() if cut - start <= _LONGEST_OPENING else ""
        own = _stop_ends(opening, behind, following)
    elif _continues(split.delimiter, behind, ahead):
        own = False
    return not _razdel_joins(split) if own is None else own


def _continues(mark: str, behind: str, ahead: str) -> bool:
    """Whether a semicolon before a number, or dots in place of a word, leave the sentence open."""
    if mark == ";":
        return bool(at.SEPARATED.match(ahead))
    return mark == "…" and behind[-2:-1].isspace() and ahead[0].islower()


def _razdel_joins(split: SentSplit) -> bool:
    """Whether razdel's rules see no end there."""
    return bool(_razdel().join(split))


# --- A full stop and a blank ---------------------------------------------------------------------


def _stop_ends(opening: str, behind: str, following: str) -> bool | None:
    """Whether a full stop ends its sentence; ``None`` where the rules do not know."""
    if at.LABEL.fullmatch(opening) or at.IMPRINT_NEXT.match(following):
        return False
    ahead = following.lstrip()
    word = at.LAST_WORD.search(behind)
    if word is not None and _word_joins(word[1].lower(), behind, ahead):
        return False
    if not at.CAPITAL_NEXT.match(ahead):
        return None
    if at.YEAR.search(behind):
        return _year_ends(opening, ahead)
    return True if _capital_ends(opening, behind, ahead) else None


def _word_joins(last: str, behind: str, ahead: str) -> bool:
    """Whether the last word is shortened, and what comes next belongs to it."""
    if at.NUMBER_NEXT.match(ahead):
        return last in _NUMBERED or bool(at.UNSPOKEN.search(behind))
    if last in words.LETTERED and at.LETTER_NEXT.match(ahead):
        return True
    if last in words.CONTINUED or (last in words.SUFFIXES and behind[-len(last) - 2 :][:1] == "-"):
        return not _starts(ahead)
    return False


def _year_ends(opening: str, ahead: str) -> bool | None:
    word = at.WORD_NEXT.match(ahead)
    if word is None:
        return None
    if word[1].lower() in words.STARTERS:
        return True
    return not (at.DATE.fullmatch(opening) or at.AGENT.fullmatch(word[1].lower()))


def _capital_ends(opening: str, behind: str, ahead: str) -> bool:
    """Whether a stop that razdel takes for an abbreviation's ends a sentence before a capital letter."""
    if at.UNIT.search(behind):
        return not at.SEE.search(behind)
    if at.WHOLE_WORD.search(behind):
        return True
    word = at.WORD_NEXT.match(ahead)
    if word is None:
        return False
    if at.NAMED.search(behind) or at.LATIN.search(behind):
        return True
    surname = bool(at.SURNAME.fullmatch(word[1]))
    if at.CODE.search(behind) or at.FULL_NAME.search(opening or behind):
        return not surname or _starts(ahead)
    return bool(at.LETTER.search(behind)) and (_starts(ahead) or bool(at.VERB.fullmatch(word[1].lower())))


def _starts(ahead: str) -> bool:
    word = at.WORD_NEXT.match(ahead)
    return word is not None and word[1].lower() in words.STARTERS


def _shortened(behind: str) -> bool:
    word = at.LAST_WORD.search(behind)
    return word is not None and word[1].lower() in _SHORTENED


# --- A full stop without a blank -----------------------------------------------------------------


def _glue_ends(behind: str, ahead: str) -> bool:
    if not at.GLUED_NEXT.match(ahead):
        return False
    if at.UNIT.search(behind) or at.YEAR.search(behind):
        return True
    word = at.GLUED_WORD.search(behind)
    if word is not None:
        return word[1] not in _SHORTENED
    return bool(at.GLUED_SIGN.search(behind))
