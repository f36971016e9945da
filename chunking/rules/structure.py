"""All rules together: a severity, a standing and a clause for every cut and unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from chunking.rules.announced import announced
from chunking.rules.clauses import clause_blocks, clause_memberships, continued_clause
from chunking.rules.lists import list_blocks
from chunking.rules.parts import Part, element_parts
from chunking.rules.severity import CutRules, Severity
from chunking.rules.standing import FRAGMENT, fixed_standing, parts_code
from chunking.rules.together import glued
from chunking.units import Unit
from rubrica.model import Document, ElementKind


def free_rules(units: Sequence[Unit]) -> CutRules:
    """Every cut allowed: for sentences without structure."""
    cuts = range(1, len(units))
    standing = [FRAGMENT if units[i].fragment else None for i in cuts]
    members = list(clause_memberships(units))
    continued = [continued_clause(member) for member in members]
    numbers = [member.number for member in members]
    return CutRules([Severity.FREE for _ in cuts], standing, numbers, continued, [None] * len(units))


def structure_rules(document: Document, units: Sequence[Unit], offsets: Sequence[int], room: int) -> CutRules:
    """What headings, clauses, tables, code, lists, captions and notes say about the cuts.

    Args:
        document: The document.
        units: Its units.
        offsets: Tokens before each unit, and in all; ``[len(units) + 1]``.
        room: Most tokens of text in one chunk.
    """
    text = document.text
    severity = [_inner_severity(text, *pair) for pair in pairwise(units)]
    parts = element_parts(text, units)
    for together, part in zip(glued(text, parts), parts[1:], strict=False):
        if together:
            cut = part.units.start - 1
            severity[cut] = max(severity[cut], Severity.GLUED)
    captions = (part.units for part in parts if part.caption is not None)
    for block in (*captions, *list_blocks(parts, offsets, room)):
        _raise(severity, block, Severity.GLUED)
    members = list(clause_memberships(units))
    for block in (*clause_blocks(members), *_lined_blocks(parts)):
        _protect(severity, units, block, offsets, room)
    return CutRules(
        severity,
        [fixed_standing(text, *pair) for pair in pairwise(units)],
        [member.number for member in members],
        [continued_clause(member) for member in members],
        announced(text, units, parts),
    )


def _inner_severity(text: str, left: Unit, right: Unit) -> Severity:
    if left.heading and left.element is not right.element:
        return Severity.HEADING
    if left.element is right.element and _parts_header(left, right):
        return Severity.TORN
    return Severity.GLUED if parts_code(text, left, right) else Severity.FREE


def _parts_header(left: Unit, right: Unit) -> bool:
    """Whether a cut would leave header rows of a table alone."""
    if left.element.kind is not ElementKind.TABLE or right.fragment:
        return False
    return left.row is not None and left.row < left.element.header_rows


# --- Blocks that want to stay whole --------------------------------------------------------------


def _protect(
    severity: list[Severity], units: Sequence[Unit], block: range, offsets: Sequence[int], room: int
) -> None:
    """Forbid cuts in a block that fits; let a clause that does not fit start a chunk."""
    if offsets[block.stop] - offsets[block.start] <= room:
        _raise(severity, block, Severity.TORN)
    elif units[block.start].element.clause and units[block.start].opens:
        start = _chain_start(units, block.start)
        if start:
            severity[start - 1] = Severity.FORCED


def _raise(severity: list[Severity], block: range, least: Severity) -> None:
    for cut in block[:-1]:
        severity[cut] = max(severity[cut], least)


def _chain_start(units: Sequence[Unit], unit: int) -> int:
    """First of the headings directly before ``unit``."""
    while unit and units[unit - 1].heading:
        unit -= 1
    return unit


def _lined_blocks(parts: Sequence[Part]) -> Iterator[range]:
    """Tables and code, as ranges of units."""
    return (part.units for part in parts if part.kind in {ElementKind.TABLE, ElementKind.CODE})
