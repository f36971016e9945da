"""What was announced before a chunk begins: the caption of a table that goes on, the lead-in of a list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chunking.rules.lists import in_list
from chunking.rules.parts import Caption, Part
from chunking.units import Unit
from rubrica.model import ElementKind

_LONGEST_LEAD_IN = 160


def announced(text: str, units: Sequence[Unit], parts: Sequence[Part]) -> list[str | None]:
    """Per unit, what a chunk that starts there has to say of what was announced above it."""
    said: list[str | None] = [None] * len(units)
    for lead_in, item in _listed(parts):
        opening = units[lead_in.units[-1]]
        if opening.end - opening.start <= _LONGEST_LEAD_IN:
            _say(said, item.units, _one_line(text, opening.start, opening.end))
    for i, part in enumerate(parts):
        caption = _caption_of(parts, i) if part.kind is ElementKind.TABLE else None
        if caption is not None:
            above = caption.units.start < part.units.start
            element = caption.element
            # A chunk that starts with the first row says what was left in the chunk before.
            _say(said, part.units if above else part.units[1:], _one_line(text, element.start, element.end))
    return said


def _say(said: list[str | None], units: range, words: str) -> None:
    for unit in units:
        said[unit] = words


def _one_line(text: str, start: int, end: int) -> str:
    return " ".join(text[start:end].split())


def _listed(parts: Sequence[Part]) -> Iterator[tuple[Part, Part]]:
    """Items of lists, each with the innermost lead-in above it."""
    open_lists: list[Part] = []
    for part in parts:
        while open_lists and not in_list(open_lists[-1], part):
            open_lists.pop()
        if open_lists:
            yield open_lists[-1], part
        if part.leads_in:
            open_lists.append(part)


def _caption_of(parts: Sequence[Part], table: int) -> Part | None:
    before = table - 1
    while before > 0 and parts[before].unit_line:
        before -= 1
    if before >= 0 and parts[before].caption in {Caption.TABLE, Caption.OTHER}:
        return parts[before]
    after = table + 1
    if after < len(parts) and parts[after].caption is not None:
        return parts[after]
    return None
