"""Finds how deep headings stand: by their numbers, their names, and their type among the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from extraction.clauses import find_name, find_roman

_DEEPEST = 9
_FEWEST_NUMBERED = 2
_OVER = 1.15
# Names of parts, from the outermost to the innermost; Roman numerals stand between.
_NAMES = (
    ("часть", "part"),
    ("раздел",),
    ("подраздел",),
    ("roman",),
    ("letter",),
    ("глава", "chapter"),
    ("параграф", "§"),
    ("статья", "article", "section", "clause"),
)
_APPENDICES = frozenset(("приложение", "appendix", "annex"))

Look = tuple[float, bool, bool]
"""Size of type, whether it is bold, whether it is in capitals."""


class Rank(Enum):
    """What a heading's depth depends on."""

    APPENDIX = auto()
    NAMED = auto()
    NUMBERED = auto()
    KEYWORD = auto()
    PLAIN = auto()


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading whose depth is looked for.

    Attributes:
        text: Its text.
        look: Its type.
        clause: Number of the clause that it opens; empty where it opens none.
        keyword: Whether its words alone make it a main heading: «Введение», "References".
        lettered: Whether a letter counts it: "B. Results".
    """

    text: str
    look: Look
    clause: str = ""
    keyword: bool = False
    lettered: bool = False

    @property
    def rank(self) -> Rank:
        """What its depth depends on."""
        if self.lettered:
            return Rank.NAMED
        if not self.clause:
            return Rank.KEYWORD if self.keyword else Rank.PLAIN
        if self.name in _APPENDICES:
            return Rank.APPENDIX
        return Rank.NAMED if self.name else Rank.NUMBERED

    @property
    def name(self) -> str:
        """First word of the name, in lower case; "roman", "letter" for what counts; empty for a number."""
        if self.lettered:
            return "letter"
        named = find_name(self.clause)
        if named:
            return named.clause.split()[0].casefold()
        return "roman" if find_roman(f"{self.clause}. x") else ""


@dataclass(slots=True)
class _Open:
    """The headings that are open while a document is read."""

    named: int = 0  # depth of the innermost named part
    label: str = ""  # its number
    prefixed: bool = False  # whether numbers begin with that of their part
    section: int = 0  # depth of the innermost numbered or named heading
    over: int = 0  # depth of the unnumbered heading in larger type that it stands below
    plain: list[tuple[Look, int]] = field(default_factory=list)  # unnumbered ones below it


def find_levels(headings: Sequence[Heading]) -> list[int]:
    """Depth of every heading, 1 at the top, in reading order."""
    depths = _name_depths(headings)
    numbered = [h for h in headings if h.rank in (Rank.NUMBERED, Rank.NAMED, Rank.APPENDIX)]
    plain = [h for h in headings if h.rank is Rank.PLAIN]
    alike = {h.look for h in plain} - {h.look for h in numbered}
    headings = [replace(h, keyword=h.keyword and h.look not in alike) for h in headings]
    structured = len(numbered) >= _FEWEST_NUMBERED and 4 * len(numbered) >= len(plain)
    if not structured:  # a stray number says nothing of depth
        weak = (Rank.NUMBERED, Rank.KEYWORD)
        headings = [replace(h, clause="", keyword=False) if h.rank in weak else h for h in headings]
    largest = max((h.look[0] for h in numbered), default=0.0) if structured else float("inf")
    seen = _Open()
    return [min(_level(heading, seen, depths, largest), _DEEPEST) for heading in headings]


def _level(heading: Heading, seen: _Open, depths: dict[str, int], largest: float) -> int:
    """Depth of one heading in a document with numbered or named parts; notes that it is open."""
    rank = heading.rank
    if rank is Rank.PLAIN:
        return _plain_level(heading, seen, largest)
    if rank is Rank.KEYWORD:
        seen.named, seen.label, seen.section, level = 0, "", 1, 1
    elif rank is Rank.NUMBERED:
        level = seen.section = _numbered_level(heading, seen)
    else:
        level = depths.get(heading.name, 1)
        seen.named = seen.section = level
        seen.label = heading.clause.split()[-1] if heading.clause else ""
    seen.over = seen.over if rank is Rank.NUMBERED else 0
    seen.plain = [entry for entry in seen.plain if entry[1] < level]
    return level


def _numbered_level(heading: Heading, seen: _Open) -> int:
    """Depth of «3.1»: below the part that is open; «Глава 3» is the first part of that number already."""
    parts = heading.clause.split(".")
    if seen.named and parts[0].casefold() == seen.label.casefold():
        seen.prefixed = True
        return seen.named + len(parts) - 1
    if seen.named and seen.prefixed and len(parts) > 1:  # the heading of its chapter is lost
        return seen.named + len(parts) - 1
    return max(seen.named, seen.over) + len(parts)


def _plain_level(heading: Heading, seen: _Open, largest: float) -> int:
    """Depth of an unnumbered heading: below the numbered one that is open, unless its type is larger."""
    over = heading.look[0] >= _OVER * largest
    if over:
        seen.named = seen.section = 0
        seen.label = ""
    while seen.plain and seen.plain[-1][0] < heading.look:
        seen.plain.pop()
    if seen.plain:
        look, level = seen.plain[-1]
        level += look > heading.look
    else:
        level = seen.section + 1
    if not seen.plain or seen.plain[-1][0] > heading.look:
        seen.plain.append((heading.look, level))
    if over:
        seen.over = level
    return level


def _name_depths(headings: Iterable[Heading]) -> dict[str, int]:
    """Depth of «Раздел», «Глава», «Статья» in this document, from those that it has."""
    words = {heading.name for heading in headings if heading.clause or heading.lettered}
    present = [names for names in _NAMES if words & set(names)]
    return {name: depth for depth, names in enumerate(present, start=1) for name in names}
