r"""Judges a text layer: a wrong Unicode map or recognition in a wrong language gives plausible nonsense.

Two things tell nonsense from language. Letters follow each other as in no known language
(``extraction.letters``), and words have odd shapes: «M]heh\guc», «ЕМСТ1$Н», «Heo6xoquMmocts». Neither
is enough: code has odd words, forms and abbreviations have surprising letters. The limits stand between
what was measured on 930 pages of real PDFs, 1,200 pieces of other documents and 300 of source code, and on
26 pages of nonsense of both kinds. Honest ones with letters enough stay below a surprise of 4.4 bits but
for one page of formulas at 4.44; nonsense begins at 4.42, and at 4.87 with its odd words added.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

from extraction.letters import surprise
from extraction.text import word_set

_LEAST_LETTERS = 60
_LEAST_LETTERS_OF_PAGE = 100
_SURPRISE = 4.4
_SURPRISE_AND_SHAPE = 4.75
# A short page of a good document needs more: formulas and figures come close.
_PAGE_MARGIN = 0.1
_MANY_LETTERS = 400
_ODD_WEIGHT = 2.0
_FOREIGN = 0.15
# Longer ones are keys, links and encoded data.
_LONGEST_WORD = 40
_LINK = re.compile(r"://|/\w+/|^www\.|@|\w\.\w+\.\w")
_PLACEHOLDER = re.compile(r"(\w)\1{3}", re.IGNORECASE)

# Words of three scripts and more, where Japanese counts as one; a language has none.
_MIXED = 0.3
_LEAST_WORDS = 5
_OF_FORMULAS = word_set(
    "GREEK MATHEMATICAL DOUBLE-STRUCK BLACK-LETTER SCRIPT MODIFIER SUPERSCRIPT SUBSCRIPT MICRO OHM KELVIN"
    " ANGSTROM PLANCK FEMININE MASCULINE"
)
_EAST_ASIAN = frozenset(
    {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "BOPOMOFO", "FULLWIDTH"}
)

_NUMBER = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
_PUNCTUATION = "«»\"'()[]{}<>.,;:!?…“”„‘’*•·/|-–—_=+"
_SYMBOL_INSIDE = re.compile(r"[\\^`\[\]{}|~<>$!%#*\"?;]")
_CASE_CHANGE = re.compile(r"[a-zà-ÿа-яё][A-ZÀ-ÞА-ЯЁ]")
_DIGIT_INSIDE = re.compile(r"[а-яё]\d|\d[а-яё]{2}", re.IGNORECASE)
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")


class Shape(Enum):
    """What a word looks like."""

    COMMON = 0
    ODD = 1
    MIXED = 2


@dataclass(slots=True)
class TextQuality:
    """What is known about the words of a page, or of several.

    Attributes:
        words: Different words, and the shape of each.
    """

    words: dict[str, Shape] = field(default_factory=dict)

    def add(self, text: str) -> None:
        """Take in some text.

        Each word counts once, whatever its numbers, so that a table full of «SAMPLE» or a list of
        «199-ФЗ, 232-ФЗ …» weighs little.
        """
        for token in text.split():
            word = _NUMBER.sub("0", token.strip(_PUNCTUATION))
            if word not in self.words and _is_judged(word):
                self.words[word] = _shape(word)

    def update(self, other: TextQuality) -> None:
        """Take in what another page holds."""
        self.words.update(other.words)

    def is_nonsense(self, *, page: bool = False) -> bool:
        """Whether this is no language.

        Args:
            page: Judge a single page of a document that is good as a whole.
        """
        if len(self.words) >= _LEAST_WORDS and self._share(Shape.MIXED) >= _MIXED:
            return True
        runs = [run for word in self.words for run in _LETTERS.findall(word) if len(run) > 1]
        bits, letters = surprise(runs)
        if letters < (_LEAST_LETTERS_OF_PAGE if page else _LEAST_LETTERS):
            return False
        if letters < (1 - _FOREIGN) * sum(len(run) + 1 for run in runs):
            return False  # another alphabet, or a language with letters of its own
        margin = _PAGE_MARGIN if page and letters < _MANY_LETTERS else 0.0
        odd = self._share(Shape.ODD) + self._share(Shape.MIXED)
        return bits >= _SURPRISE + margin and bits + _ODD_WEIGHT * odd >= _SURPRISE_AND_SHAPE + margin

    def _share(self, shape: Shape) -> float:
        return sum(found is shape for found in self.words.values()) / len(self.words)


def quality_of(texts: Iterable[str]) -> TextQuality:
    """The quality of some texts together."""
    quality = TextQuality()
    for text in texts:
        quality.add(text)
    return quality


def _is_judged(word: str) -> bool:
    """Whether a word is one of a language: no number, placeholder, link or path."""
    if len(word) > _LONGEST_WORD or sum(map(str.isalpha, word)) < 2:
        return False
    return _PLACEHOLDER.search(word) is None and _LINK.search(word) is None


def _shape(word: str) -> Shape:
    """Tell words that no writer would write: letters of several scripts, symbols or digits among letters."""
    word = unicodedata.normalize("NFC", word)
    if not word.isascii() and len({_script(char) for char in word if char.isalpha()}) > 2:
        return Shape.MIXED
    cyrillic = _CYRILLIC.search(word) is not None
    if cyrillic and (_LATIN.search(word) or _DIGIT_INSIDE.search(word)):
        return Shape.ODD
    odd = _CASE_CHANGE.search(word) or _SYMBOL_INSIDE.search(word)
    return Shape.ODD if odd else Shape.COMMON


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    name = unicodedata.name(letter, "").partition(" ")[0]
    if name in _OF_FORMULAS:
        return "LATIN"
    return "EAST" if name in _EAST_ASIAN else name
