"""Marks that all languages share: footnotes cited behind a full stop, points numbered in running text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RarePattern:
    """A pattern that few texts hold, behind a quick one that shows wherever it matches.

    Attributes:
        pattern: What is looked for.
        sign: Is found in every text that ``pattern`` matches in; begins with a character or a set of them,
            for then the search skips all others.
    """

    pattern: re.Pattern[str]
    sign: re.Pattern[str]

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches in a text."""
        return self.pattern.finditer(text) if self.sign.search(text) else iter(())


_CITATION = r"\[\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*\]"
_SUPERSCRIPT = "[¹²³⁰⁴-⁹]{1,3}"
_OPENS = r"[«\"“(]?[A-ZА-ЯЁ]"
# «готова.¹ Крыша», «готова. [1] Крыша», "holds.1 It".
CITED = RarePattern(
    re.compile(
        rf"(?:(?<=[.!?…»”\")])(?:{_SUPERSCRIPT}|\s?{_CITATION})|(?<=[^\W\d_]{{4}}[.!?])\d{{1,2}})\s+(?={_OPENS})"
    ),
    re.compile(r"[.!?\[¹²³⁰⁴-⁹](?:(?<=[¹²³⁰⁴-⁹])|(?:(?<=\[)|(?<=[^\W\d_][.!?]))\d)"),
)
_CITATION_AHEAD = re.compile(rf"\s*{_CITATION}(?=\s*(?:$|{_OPENS}))|\s*{_SUPERSCRIPT}(?=\s|$)")
POINT = RarePattern(
    re.compile(rf"(?:(?<=\s)|^)(\d{{1,2}})([.)])\s+(?={_OPENS})"), re.compile(r"[.)](?<=\d[.)])\s")
)
_LAST_WORD = re.compile(r"[^\W\d_]+(?=[»”\")\]%]{0,2}\s*$)")
_ENDED = re.compile(r"[.!?…;:]\W{0,2}$")
_LOOK_BEHIND = 40
_SHORT = 3
_NUMBERED_NOUNS = re.compile(
    r"(?:формул|таблиц|рисун|пункт|раздел|стат|част|глав|прил|прим|вариант|мен|бол|равн|тип|класс|групп|этап"
    r"|шаг|уров|верси|вопрос|пример|столб|строк|лист|страниц|шкал|том"
    r"|figure|table|section|clause|type|class|step|level|item|part|chapter|equal|version|than|note|page|line"
    r"|column|row|case|example|phase|stage|appendix|annex|volume|paragraph|number|article|question)\w*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Points:
    """Where points of a running enumeration («Примечания: 1. … 2. …») begin.

    Attributes:
        starts: Offsets of the numbers that begin a sentence.
        texts: Offsets behind the numbers, where no sentence ends.
    """

    starts: set[int] = field(default_factory=set)
    texts: set[int] = field(default_factory=set)


def find_points(text: str) -> Points:
    """The points of enumerations: a number at the start or after a colon, and those that count on."""
    points = Points()
    expected: tuple[int, str] | None = None
    for match in POINT.finditer(text):
        number, style = int(match[1]), match[2]
        before = text[max(0, match.start() - _LOOK_BEHIND) : match.start()].rstrip()
        if expected == (number, style) and _may_end(before):
            points.starts.add(match.start())
        elif before and not (number == 1 and before.endswith(":")):
            continue
        points.texts.add(match.end())
        expected = (number + 1, style)
    return points


def _may_end(before: str) -> bool:
    """Whether a point may have ended there: a number often belongs to the word before it."""
    if _ENDED.search(before):
        return True
    word = _LAST_WORD.search(before)
    return word is not None and len(word[0]) > _SHORT and not _NUMBERED_NOUNS.fullmatch(word[0])


def cited_ends(text: str) -> Iterator[tuple[int, int]]:
    """Marks behind a full stop: where each begins, and where the next sentence does."""
    for match in CITED.finditer(text):
        yield match.start(), match.end()


def citation_ahead(text: str, cut: int) -> bool:
    """Whether a mark that belongs to the sentence before ``cut`` comes next."""
    return bool(_CITATION_AHEAD.match(text, cut, cut + _LOOK_BEHIND))
