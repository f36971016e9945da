"""How likely a text is that bytes were decoded to, in bits: the rules by which encodings are told apart."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

from extraction.letters import surprise

_WORD = re.compile(r"[^\W\d_]+")
_SIGN = re.compile(r"[^\w\s\x00-\x7f]|[\x80-\xa0]")
# Signs where no sign stands are letters of another encoding: a closing quotation mark or a dash at the
# start of a word, an opening one or a symbol at its end, three signs in a row.
_MISPLACED = re.compile(
    r"(?<![\w.,;:!?)…])[”’»‰†‡—–…](?=[^\W\d_])|(?<=[^\W\d_])[«“„‘€§©®№±°¥¢£¤¦¬µ¶]"
    r"|[«“„‘](?=[\s,.;:)!?«»]|$)|[€§©®±°¥¢£¤¦¬µ¶](?=[^\W\d_]{2})|(?<![\w\s\x00-\x7f])[^\w\s\x00-\x7f](?=[^\w\s\x00-\x7f])"
)
_TYPOGRAPHY = frozenset("«»—–„“”‘’…№§°©®±·×•¹²³½¼¾€£¡¿ªº™")
_TYPOGRAPHIC = 5.0
_NO_BREAK = 4.0
_STRANGE = 12.0  # a sign or letter that texts in this script hardly ever have
_CONTROL = 16.0
_LOST = 20.0  # a byte that the encoding does not have
_OWN_LETTER = 7.0  # of a script without a model
_ACCENTED = 4.5  # among plain Latin letters
_ACCENTED_ALONE = 9.0  # where most of the word is accented
_JOINT = 6.0  # Cyrillic and Latin letters in one word
_CAPITAL = 1.5
_ALL_CAPITALS = 4.0
_CAPITAL_INSIDE = 12.0
_ABBREVIATION = 4  # letters of a word in capitals up to which it follows no rule
_ABBREVIATED = 5.5


def unlikeliness(text: str) -> float:
    """How unlikely what is not ASCII in a text is.

    Args:
        text: Bytes decoded in one of several encodings.

    Returns:
        Bits, summed over the text; the right decoding of some bytes has the least. A letter of Russian
        prose has about 4, of the same bytes in a wrong Cyrillic encoding 6 and more.
    """
    words = sum(_word_bits(word) for word in _WORD.findall(text) if not word.isascii())
    signs = sum(_sign_bits(sign) for sign in _SIGN.findall(text))
    return words + signs + _CAPITAL_INSIDE * len(_MISPLACED.findall(text))


@lru_cache(maxsize=65536)
def _word_bits(word: str) -> float:
    scripts = {_script(char) for char in word}
    if scripts == {"CYRILLIC"}:
        return _cyrillic_bits(word) + _case_bits(word)
    foreign = sum(char > "\x7f" for char in word)
    if scripts == {"LATIN"}:
        mostly_plain = foreign * 2 <= len(word) and len(word) > 1
        return foreign * (_ACCENTED if mostly_plain else _ACCENTED_ALONE) + _case_bits(word)
    joints = sum(_script(one) != _script(other) for one, other in pairwise(word))
    return foreign * _OWN_LETTER + joints * _JOINT + _case_bits(word)


def _cyrillic_bits(word: str) -> float:
    mean, count = surprise([word])
    if count and word.isupper() and len(word) <= _ABBREVIATION:
        return min(mean * count, _ABBREVIATED * len(word))
    if count:
        return mean * count
    known = sum(surprise([char])[1] > 0 for char in word)
    return known * _OWN_LETTER + (len(word) - known) * _STRANGE


def _case_bits(word: str) -> float:
    if word.islower():
        return 0.0
    if word.isupper():
        return _ALL_CAPITALS if len(word) > 1 else _CAPITAL
    inside = sum(before.islower() and char.isupper() for before, char in pairwise(word))
    return _CAPITAL + inside * _CAPITAL_INSIDE


def _sign_bits(sign: str) -> float:
    if sign == "\N{REPLACEMENT CHARACTER}":
        return _LOST
    if sign == "\u00a0":
        return _NO_BREAK
    if "\x80" <= sign < "\xa0":
        return _CONTROL
    return _TYPOGRAPHIC if sign in _TYPOGRAPHY else _STRANGE


@lru_cache(maxsize=4096)
def _script(char: str) -> str:
    return unicodedata.name(char, "?").partition(" ")[0]
