"""Finds what may be numbers of clauses, and where a numbering may start."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto

from extraction.clauses import Opening, find_misprinted, find_name, find_number, find_roman, names_part
from extraction.numbering.passages import Candidate, Passage

LONGEST_TITLE = 80
_MISPRINT = 0.45
# What a number still weighs after the word «Пример», until the next heading.
_EXAMPLE_SHARE = 0.3
# An appendix that holds a sample document says so in its first lines.
_FIRST_LINES = 4

_IMPRINT = re.compile(
    r"(?:РАЗРАБОТАН|ПОДГОТОВЛЕН|ВНЕС[ЕЁ]Н|ПРИНЯТ|УТВЕРЖД[ЕЁ]Н|ВВЕД[ЕЁ]Н|ВЗАМЕН|ИЗДАНИЕ|ПЕРЕИЗДАНИЕ|СОГЛАСОВАН"
    r"|ЗАРЕГИСТРИРОВАН|ИЗМЕНЕНИЕ|ПОПРАВКА|ИСПОЛНИТЕЛ|ИНФОРМАЦИЯ|ИДЕНТИЧЕН)"
)
_FOREWORD = re.compile(r"предисловие|сведения о (?:стандарте|своде правил)|foreword", re.IGNORECASE)
_LISTING = re.compile(
    r"(?:приложение\s+\w+\s+)?(?:библиография|литература|references|bibliography|works cited"
    r"|список (?:использованн\w+ |цитируем\w+ )?(?:литературы|источников))[.:]?",
    re.IGNORECASE,
)
_SAMPLE = re.compile(r"(?:пример|образец|example|sample)\w{0,2}(?:\s|$)", re.IGNORECASE)
_EXAMPLE = re.compile(
    r"(?:п\s?р\s?и\s?м\s?е\s?р\s?ы?|example|например)s?(?:\s+\d+)?\s*(?:[.:–—-]|$)", re.IGNORECASE
)
_NOTES = re.compile(r"п\s?р\s?и\s?м\s?е\s?ч\s?а\s?н\s?и\s?я\s*:?|notes\s*:?", re.IGNORECASE)
_PAGE = re.compile(r"\s+\d{1,4}$")
_STATUS = re.compile(r"^\s*\([^)]*\)\s*")
_ENACTS = re.compile(
    r"(?:постановля|приказыва|реша|распоряжа|обязыва|предлага)\w+\W*$|^утвержд[её]н\w*(?:\s|$)"
    r"|п\s?о\s?с\s?т\s?а\s?н\s?о\s?в\s?л\s?я\s?[ею]\s?т\W*$|п\s?р\s?и\s?к\s?а\s?з\s?ы\s?в\s?а\s?ю\W*$",
    re.IGNORECASE,
)


class _Region(Enum):
    """What a stretch of a document holds, where that bears on its numbers."""

    BODY = auto()
    FOREWORD = auto()
    LISTING = auto()
    SAMPLE = auto()
    EXAMPLE = auto()
    NOTES = auto()


_UNNUMBERED = frozenset({_Region.SAMPLE, _Region.LISTING})
_UNTIL_HEADING = frozenset({_Region.EXAMPLE, _Region.NOTES, _Region.LISTING})


class Scan:
    """Reads the passages of a document once, in order.

    Attributes:
        names: Names of parts and Roman numerals, by the index of their passage.
        borders: Indices of passages that a numbering may start behind.
        candidates: Numbers that may open a clause.
    """

    def __init__(self, passages: Sequence[Passage]) -> None:
        """Read the passages."""
        self.names: dict[int, str] = {}
        self.borders: set[int] = set()
        self.candidates: list[Candidate] = []
        self._named = 0
        self._titles: set[tuple[str, str]] = set()  # of named parts, page numbers at their ends aside
        self._region = _Region.BODY
        self._sample_until = -1
        for i, passage in enumerate(passages):
            text = passage.text.strip()
            if text and not passage.silent and not self._name(i, passage, text):
                self._number(i, passage, text)

    def _name(self, index: int, passage: Passage, text: str) -> bool:
        """Take in a named part or a Roman numeral, if the passage opens one."""
        name = find_name(text)
        if name and names_part(name):
            if self._is_running(name):
                return True
            self._region = _Region.BODY
            self._sample_until = index + _FIRST_LINES if _is_appendix(name) else -1
            if self._sample_until > 0 and _SAMPLE.match(_STATUS.sub("", name.rest)):
                self._region = _Region.SAMPLE
        else:
            name = find_roman(text) if passage.heading else None
            if name is None:
                return False
        self.names[index] = name.clause
        self.borders.add(index)
        self._named += 1
        return True

    def _is_running(self, name: Opening) -> bool:
        """Whether a name is that of a part seen before with another page number: a header left over."""
        title = _PAGE.sub("", name.rest)
        key = (name.clause, title)
        if title and title != name.rest and key in self._titles:
            return True
        self._titles.add(key)
        return False

    def _number(self, index: int, passage: Passage, text: str) -> None:
        self._enter(index, passage, text)
        found = list(self._candidates(index, passage, text))
        self.candidates += found
        if self._region is _Region.NOTES and any(len(c.number) > 1 for c in found):
            self._region = _Region.BODY
        if not (found and found[0].opening.exact):
            self._border(index, passage, text)

    def _enter(self, index: int, passage: Passage, text: str) -> None:
        """Note that an example or notes begin here, or end with a heading."""
        if index <= self._sample_until and _SAMPLE.match(text):
            self._region = _Region.SAMPLE
        elif passage.heading and self._region in _UNTIL_HEADING and not _LISTING.fullmatch(text):
            self._region = _Region.BODY
        elif self._region is _Region.BODY and _NOTES.fullmatch(text):
            self._region = _Region.NOTES
        elif self._region is _Region.BODY and _EXAMPLE.match(text):
            self._region = _Region.EXAMPLE

    def _border(self, index: int, passage: Passage, text: str) -> None:
        """Note that a numbering may start behind a passage without number, and what it heads."""
        if _FOREWORD.fullmatch(text):
            self._region = _Region.FOREWORD
        elif _LISTING.fullmatch(text):
            self._region = _Region.LISTING
        elif passage.heading and self._region is not _Region.SAMPLE:
            self._region = _Region.BODY
        enacts = is_enacting(text)
        if passage.heading or enacts:
            self.borders.add(index)
            self._named += enacts

    def _candidates(self, index: int, passage: Passage, text: str) -> Iterator[Candidate]:
        if self._region in _UNNUMBERED or passage.known:
            return
        printed = find_number(text)
        for opening in (*([printed] if printed else []), *find_misprinted(text)):
            weight = 0.0 if self._is_other(opening, passage) else _weight(opening, heading=passage.heading)
            if self._region is _Region.EXAMPLE:
                weight *= _EXAMPLE_SHARE
            if weight:
                yield Candidate(index, opening, weight, passage.heading, self._named, len(self.borders))

    def _is_other(self, opening: Opening, passage: Passage) -> bool:
        """Whether a number certainly is that of a list item, a note or a remark of the foreword."""
        if _IMPRINT.match(opening.rest):
            return True
        if len(opening.number) > 1:
            return False
        if passage.listed or self._region is _Region.NOTES:
            return True
        remark = len(opening.rest) > LONGEST_TITLE or opening.rest.endswith(".")
        return self._region is _Region.FOREWORD and remark and not passage.heading


def is_enacting(text: str) -> bool:
    """Whether the points of an act follow a text: «постановляет:», «Утверждены …»."""
    return _ENACTS.search(text) is not None


def _is_appendix(name: Opening) -> bool:
    return name.clause.casefold().startswith(("прил", "app", "annex"))


def _weight(opening: Opening, *, heading: bool) -> float:
    """How much a number by itself looks like that of a clause; 0 if not at all."""
    first = opening.rest[:1]
    capital = first.isupper() or first in '«"“('
    if not opening.exact:
        return _MISPRINT if capital else 0.0
    if heading and capital and first:
        return 1.5
    return (
        _dotted_weight(first, capital=capital) if len(opening.number) > 1 else _plain_weight(opening, first)
    )


def _dotted_weight(first: str, *, capital: bool) -> float:
    """Weight of «5.2.1»."""
    if not first:
        return 0.4
    return 1.0 if capital else 0.6 if first.isalpha() else 0.3


def _plain_weight(opening: Opening, first: str) -> float:
    """Weight of «5» or «5.» in running text."""
    if not first.isalpha() and first not in '«"“(':
        return 0.0
    if not opening.dotted:
        return 0.0 if first.islower() else 0.4
    if opening.rest.endswith(";"):
        return 0.3
    return 0.5 if first.islower() else 0.7
