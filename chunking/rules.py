"""Structure rules: which cuts the layout of a document asks for, and which it forbids.

Where rules pull apart, the order is: token limit > table row > heading with the first unit after it >
clause, table and code block whole > lead-in with its list, caption with its table > ``min_tokens`` >
score. A cut carries the severity of the strongest rule that it breaks; a rule that asks for the whole of
something holds only where that fits into one chunk, for otherwise cutting it is no fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

from chunking.units import Unit
from rubrica.model import Document, Element, ElementKind

_LISTED = frozenset({ElementKind.LIST_ITEM, ElementKind.TABLE, ElementKind.CODE, ElementKind.FORMULA})
_BULLET = ("-", "–", "—", "•", "*")

# Standing of cuts that no scorer is asked about, in spreads of the document's scores around their centre.
_FRAGMENT = 3.0
_TABLE_ROW = 0.0
_CODE_LINE = 2.0
_CODE_DEDENTED = 0.5
_CODE_BLANK = -0.5
_CODE_BLANK_DEDENTED = -2.0


class Severity(IntEnum):
    """What a cut does to the structure; higher is worse."""

    FORCED = -1
    FREE = 0
    GLUED = 1
    TORN = 2
    HEADING = 3


@dataclass(frozen=True, slots=True)
class CutRules:
    """What the structure says about every cut; cut ``i`` lies between unit ``i`` and ``i + 1``.

    Attributes:
        severity: Per cut, what it does to the structure.
        standing: Per cut its fixed standing, in spreads around the centre of the document's scores;
            ``None`` where the scorer decides.
        clauses: Per unit the number of the clause that it belongs to.
    """

    severity: list[Severity]
    standing: list[float | None]
    clauses: list[str | None]


def free_rules(units: Sequence[Unit]) -> CutRules:
    """Every cut allowed: for sentences without structure."""
    cuts = range(1, len(units))
    standing = [_FRAGMENT if units[i].fragment else None for i in cuts]
    clauses = [number for number, _ in _clause_openings(units)]
    return CutRules([Severity.FREE for _ in cuts], standing, clauses)


def structure_rules(document: Document, units: Sequence[Unit], offsets: Sequence[int], room: int) -> CutRules:
    """What headings, clauses, tables, code, lists and captions say about the cuts.

    Args:
        document: The document.
        units: Its units.
        offsets: Tokens before each unit, and in all; ``[len(units) + 1]``.
        room: Most tokens of text in one chunk.
    """
    severity = [_local_severity(document.text, *pair) for pair in pairwise(units)]
    openings = list(_clause_openings(units))
    for block in (*_clause_blocks(openings), *_element_blocks(units)):
        _protect(severity, units, block, offsets, room)
    standing = [_standing(document.text, *pair) for pair in pairwise(units)]
    return CutRules(severity, standing, [number for number, _ in openings])


def _protect(
    severity: list[Severity], units: Sequence[Unit], block: range, offsets: Sequence[int], room: int
) -> None:
    """Forbid cuts in a block that fits; let a clause that does not fit start a chunk."""
    if offsets[block.stop] - offsets[block.start] <= room:
        for cut in block[:-1]:
            severity[cut] = max(severity[cut], Severity.TORN)
    elif units[block.start].element.clause and units[block.start].opens:
        start = _chain_start(units, block.start)
        if start:
            severity[start - 1] = Severity.FORCED


def _chain_start(units: Sequence[Unit], unit: int) -> int:
    """First of the headings directly before ``unit``."""
    while unit and units[unit - 1].heading:
        unit -= 1
    return unit


# --- Local rules ---------------------------------------------------------------------------------


def _local_severity(text: str, left: Unit, right: Unit) -> Severity:
    if left.element is right.element:
        return Severity.TORN if _parts_header(left, right) else Severity.FREE
    if left.heading:
        return Severity.HEADING
    if _captioned(left.element, right.element) or _introduced(text, left, right):
        return Severity.GLUED
    return Severity.FREE


def _parts_header(left: Unit, right: Unit) -> bool:
    """Whether a cut would leave header rows of a table alone."""
    if left.element.kind is not ElementKind.TABLE or right.fragment:
        return False
    return left.row is not None and left.row < left.element.header_rows


def _captioned(left: Element, right: Element) -> bool:
    return {left.kind, right.kind} == {ElementKind.CAPTION, ElementKind.TABLE}


def _introduced(text: str, left: Unit, right: Unit) -> bool:
    if text[left.end - 1] != ":" or left.element.kind not in {ElementKind.PARAGRAPH, ElementKind.LIST_ITEM}:
        return False
    return right.element.kind in _LISTED or text.startswith(_BULLET, right.start)


# --- Blocks that want to stay whole --------------------------------------------------------------


def _element_blocks(units: Sequence[Unit]) -> Iterator[range]:
    """Tables and code, as ranges of units."""
    start = 0
    for i in range(1, len(units) + 1):
        if i == len(units) or units[i].element is not units[start].element:
            if units[start].row is not None:
                yield range(start, i)
            start = i


def _clause_openings(units: Sequence[Unit]) -> Iterator[tuple[str | None, bool]]:
    """Per unit: the number of its clause, and whether it opens that clause.

    A clause reaches from its number up to the next one, or to a heading that ends the part of the document
    it stands in; headings without a number right before the next one belong to what they announce.
    """
    opening: Element | None = None
    for unit, announces in zip(units, _announcing(units), strict=True):
        opens = unit.opens and unit.element.clause is not None
        if opens:
            opening = unit.element
        elif unit.opens and opening and _ends(opening, unit.element):
            opening = None
        yield (None, False) if announces or opening is None else (opening.clause, opens)


def _ends(opening: Element, element: Element) -> bool:
    """Whether an element without a number stands outside the part of the document that a clause opened in."""
    above = opening.heading_path
    if element.kind is opening.kind is ElementKind.HEADING and (element.level or 1) <= (opening.level or 1):
        return True
    return element.heading_path[: len(above)] != above


def _announcing(units: Sequence[Unit]) -> list[bool]:
    """Per unit: whether it is an unnumbered heading in a row of such right before a clause."""
    flags = [False] * len(units)
    ahead = False
    for i in reversed(range(len(units))):
        numbered = units[i].element.clause is not None
        flags[i] = ahead and units[i].heading and not numbered
        ahead = flags[i] or (numbered and units[i].opens)
    return flags


def _clause_blocks(openings: Sequence[tuple[str | None, bool]]) -> Iterator[range]:
    """Clauses, as ranges of units."""
    start: int | None = None
    for i, (number, opens) in enumerate(openings):
        if start is not None and (opens or number is None):
            yield range(start, i)
            start = None
        if opens:
            start = i
    if start is not None:
        yield range(start, len(openings))


# --- Standing of cuts that are not scored --------------------------------------------------------


def _standing(text: str, left: Unit, right: Unit) -> float | None:
    if right.fragment:
        return _FRAGMENT
    if left.element is not right.element or left.row is None:
        return None
    return _TABLE_ROW if left.element.kind is ElementKind.TABLE else _code_standing(text, left, right)


def _code_standing(text: str, left: Unit, right: Unit) -> float:
    """Code is best cut before a definition: after a blank line, at the outer indentation."""
    gap = text[left.end : right.start]
    blank = gap.count("\n") > 1
    dedented = not gap.rpartition("\n")[2]
    if blank:
        return _CODE_BLANK_DEDENTED if dedented else _CODE_BLANK
    # A closing bracket at the margin ends a definition; it does not open one.
    opens = dedented and text[right.start].isalpha()
    return _CODE_DEDENTED if opens else _CODE_LINE
