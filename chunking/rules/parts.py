"""Elements as the rules see them: the units of each, and what its words say it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property

from chunking.units import HEADINGS, Unit
from rubrica.model import Element, ElementKind

_LONGEST_CAPTION = 300
_HEAD = 40
_TAIL = 120
_NUMBER = r"\s?(?:№|N|No\.?)?\s?(?:[A-ZА-ЯЁ]\.?)?(?:\d+(?:[.-]\d+)*|[A-ZА-ЯЁ]|\.{2,})"
_TABLE_CAPTION = re.compile(
    rf"(?:(?:продолжение|окончание)\s+табл|continu(?:ed|ation)\b.{{0,9}}\btable|табл(?:ица|\.){_NUMBER}(?!\w)"
    rf"|table{_NUMBER}(?!\w)|таблица\s*$)",
    re.IGNORECASE,
)
_FIGURE_CAPTION = re.compile(
    rf"(?:рис(?:унок|\.)|черт(?:[её]ж|\.)|схема|график|fig(?:ure|\.)|chart|plate){_NUMBER}\s*(?:[.:—–-]|$|\(|рис|fig)",
    re.IGNORECASE,
)
# «В миллиметрах» between a caption and its table.
_UNIT_LINE = re.compile(
    r"(?:размеры\s)?в\s(?:милли|санти|кило|мега|мм\b|см\b|кг\b|процент|тыс|млн|руб)[\w.\s]*|(?:dimensions\s)?in\s(?:milli|inch)\w*",
    re.IGNORECASE,
)
_NOTE = re.compile(
    r"(?:примечани[ея]|примеч\.|прим\.|пояснени[ея]\s*[:—–]|notes?(?:\s\d+|\s?[:.—–-]|\s*$))(?!\w)",
    re.IGNORECASE,
)
_STARRED = re.compile(r"\*+\s?\w")
_NUMBERED_NOTE = re.compile(r"\d{1,2}[.)]?\s")
_NOTES_HEAD = re.compile(r"(?:примечани[ея]|notes?)\s*[:.]?", re.IGNORECASE)
_EXPLAINS = re.compile(r"(?:где|здесь|where|in which)\b|Здесь\s\S{1,8}\s[—–-]")
_TERM = re.compile(r"\S{1,12}(?:[,;]\s\S{1,12}){0,3}\s*[—–-]\s|\S{1,12}\s(?:is|are)\sthe\s")
_BULLET = re.compile(
    r"(?P<dash>[-–—•*·▪○])\s?|\(?(?:(?P<digit>\d{1,3})|(?P<letter>[a-zа-яё]))\)|(?P<point>\d{1,3})\.\s"
)
_ENDED = re.compile(r"[.!?…:;»”\")\]}|]\W*$")


class Caption(Enum):
    """What a caption names."""

    TABLE = auto()
    FIGURE = auto()
    OTHER = auto()


@dataclass(frozen=True)
class Part:
    """One element, by its units.

    Attributes:
        element: The element.
        units: Its units, as a range of their positions.
        head: Its first characters.
        tail: Its last characters.
        length: Characters in all.
    """

    element: Element
    units: range
    head: str
    tail: str
    length: int

    @property
    def kind(self) -> ElementKind:
        """Kind of the element."""
        return self.element.kind

    @property
    def heading(self) -> bool:
        """Whether it announces what follows."""
        return self.kind in HEADINGS

    @property
    def prose(self) -> bool:
        """Whether it is a paragraph or an item of a list."""
        return self.kind in {ElementKind.PARAGRAPH, ElementKind.LIST_ITEM}

    @cached_property
    def caption(self) -> Caption | None:
        """What it is a caption of; a short paragraph worded like one counts."""
        if self.kind is not ElementKind.CAPTION and not (self.prose and self.length <= _LONGEST_CAPTION):
            return None
        if _TABLE_CAPTION.match(self.head):
            return Caption.TABLE
        if _FIGURE_CAPTION.match(self.head):
            return Caption.FIGURE
        return Caption.OTHER if self.kind is ElementKind.CAPTION else None

    @cached_property
    def unit_line(self) -> bool:
        """Whether it is a line such as «В миллиметрах» above a table."""
        return self.length <= _HEAD and bool(_UNIT_LINE.fullmatch(self.head.strip(" .,")))

    @cached_property
    def note(self) -> bool:
        """Whether it is a note to what stands above it."""
        if self.kind in {ElementKind.PARAGRAPH, ElementKind.FOOTNOTE} and _STARRED.match(self.head):
            return True
        return not self.heading and self.element.clause is None and bool(_NOTE.match(self.head))

    @cached_property
    def notes_head(self) -> bool:
        """Whether it is the mere word «Примечания» above numbered notes."""
        return self.note and bool(_NOTES_HEAD.fullmatch(self.head.strip()))

    @cached_property
    def numbered_note(self) -> bool:
        """Whether it may be one of the numbered notes under such a word."""
        return self.prose and self.element.clause is None and bool(_NUMBERED_NOTE.match(self.head))

    @cached_property
    def explains(self) -> bool:
        """Whether it explains the symbols of a formula: «где q — нагрузка»."""
        return self.prose and bool(_EXPLAINS.match(self.head))

    @cached_property
    def term(self) -> bool:
        """Whether it may go on with such an explanation."""
        return self.prose and self.element.clause is None and bool(_TERM.match(self.head))

    @cached_property
    def bullet(self) -> str | None:
        """Kind of the bullet that it opens with."""
        match = _BULLET.match(self.head)
        return match.lastgroup if match else None

    @cached_property
    def item(self) -> bool:
        """Whether it is an item of a list: by its kind, its bullet or a small letter at its start."""
        if self.kind is ElementKind.LIST_ITEM:
            return True
        bulleted = self.bullet is not None or self.head[:1].islower()
        return self.kind is ElementKind.PARAGRAPH and self.element.clause is None and bulleted

    @property
    def leads_in(self) -> bool:
        """Whether it announces what follows with a colon."""
        return self.prose and self.tail.endswith(":")

    @property
    def unfinished(self) -> bool:
        """Whether its last sentence goes on elsewhere: no mark ends it."""
        return self.prose and not _ENDED.search(self.tail)

    @property
    def goes_on(self) -> bool:
        """Whether it begins in the middle of a sentence."""
        return self.kind is ElementKind.PARAGRAPH and self.bullet is None and self.head[:1].islower()


def element_parts(text: str, units: Sequence[Unit]) -> list[Part]:
    """The elements of a document, in order, as far as they have units."""
    parts = []
    start = 0
    for i in range(1, len(units) + 1):
        if i == len(units) or units[i].element is not units[start].element:
            begin, end = units[start].start, units[i - 1].end
            head = text[begin : min(begin + _HEAD, end)]
            tail = text[max(begin, end - _TAIL) : end]
            parts.append(Part(units[start].element, range(start, i), head, tail, end - begin))
            start = i
    return parts
