"""Clauses: which units belong to which, and where each begins and ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunking.units import Unit
from rubrica.model import Element, ElementKind


@dataclass(frozen=True, slots=True)
class Membership:
    """Where a unit stands among the clauses.

    Attributes:
        opening: The element that opened its clause; ``None`` outside clauses.
        opens: Whether the unit opens that clause.
    """

    opening: Element | None = None
    opens: bool = False

    @property
    def number(self) -> str | None:
        """Number of the clause."""
        return self.opening.clause if self.opening else None


def clause_memberships(units: Sequence[Unit]) -> Iterator[Membership]:
    """Per unit: its clause, and whether it opens that clause.

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
        yield Membership() if announces or opening is None else Membership(opening, opens)


def clause_blocks(members: Sequence[Membership]) -> Iterator[range]:
    """Clauses, as ranges of units."""
    start: int | None = None
    for i, member in enumerate(members):
        if start is not None and (member.opens or member.opening is None):
            yield range(start, i)
            start = None
        if member.opens:
            start = i
    if start is not None:
        yield range(start, len(members))


def continued_clause(member: Membership) -> str | None:
    """The number that a chunk starting there must say; a heading above says its own."""
    opening = member.opening
    if opening is None or member.opens or opening.kind is ElementKind.HEADING:
        return None
    return opening.clause


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
