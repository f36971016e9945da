"""The headings of a flow and its title, those that styles mark and those that only look like ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from extraction.clauses import find_clause
from extraction.flow.blocks import Block, Paragraph, Role, Table
from extraction.flow.candidates import Candidate, find_candidates
from extraction.flow.headings import Setting
from extraction.flow.levels import find_levels
from extraction.flow.openings import Part, is_address

_BODY_LENGTH = 120
_FRONT_TABLE = 300
_FRONT_BLOCKS = 60


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading.

    Attributes:
        text: Its text, number included.
        level: Its level, 1 at the top.
        lines: How many paragraphs it is made of.
        clause: Its automatic number, where it has one.
    """

    text: str
    level: int
    lines: int = 1
    clause: str | None = None


@dataclass(frozen=True, slots=True)
class TitleLine:
    """A line of the document's title."""

    text: str
    lines: int = 1


def find_outline(blocks: Sequence[Block], captions: Mapping[int, int]) -> Mapping[int, Heading | TitleLine]:
    """Find the headings and title lines.

    Args:
        blocks: All blocks of a document.
        captions: How many blocks each caption is made of, by the index of its first.

    Returns:
        By the index of the first block that belongs to each.
    """
    candidates = find_candidates(blocks, Setting.of(blocks), _covered(captions))
    title = _title_lines(blocks, candidates)
    outline: dict[int, Heading | TitleLine] = {index: TitleLine(text) for index, text in title.items()}
    rest = [candidate for candidate in candidates if candidate.index not in title]
    for candidate, level in zip(rest, find_levels(rest, blocks), strict=True):
        outline[candidate.index] = Heading(
            candidate.text, level, candidate.lines, _clause(blocks[candidate.index])
        )
    return outline


def _covered(captions: Mapping[int, int]) -> frozenset[int]:
    return frozenset(index for start, count in captions.items() for index in range(start, start + count))


def _clause(block: Block) -> str | None:
    """The number of a heading that is numbered automatically, as the builder would find it if typed."""
    if not isinstance(block, Paragraph) or not block.label:
        return None
    return find_clause(f"{block.label.strip()} X", heading=True)


def _title_lines(blocks: Sequence[Block], candidates: Sequence[Candidate]) -> dict[int, str]:
    """The lines of the title by index: those in front of all else that stand out, and dates between them."""
    front = _front(blocks, candidates)
    lines = [c for c in candidates if c.index + c.lines <= front]
    if not lines or (len(lines) == 1 and _is_one_of_many(lines[0], candidates)):
        return {}
    first, end = lines[0].index, lines[-1].index + lines[-1].lines
    inside = {index for c in lines for index in range(c.index, c.index + c.lines)}
    return {
        index: block.numbered
        for index, block in enumerate(blocks[:end])
        if isinstance(block, Paragraph)
        and (index in inside or (index > first and block.look.centred and not is_address(block.text)))
    }


def _front(blocks: Sequence[Block], candidates: Sequence[Candidate]) -> int:
    """How many leading blocks come before the first part or passage of text."""
    parts = (c.index for c in candidates if not c.may_be_title)
    end = next(parts, len(blocks))
    for index, block in enumerate(blocks[: min(end, _FRONT_BLOCKS)]):
        if _is_body(block):
            return index
    return min(end, _FRONT_BLOCKS)


def _is_body(block: Block) -> bool:
    if isinstance(block, Table):
        return sum(len(cell) for row in block.rows for cell in row) > _FRONT_TABLE
    if not isinstance(block, Paragraph) or block.role is Role.TITLE or block.look.centred:
        return False
    return len(block.text) >= _BODY_LENGTH or block.role is Role.CONTENTS


def _is_one_of_many(line: Candidate, candidates: Sequence[Candidate]) -> bool:
    """Whether the only line in front looks like the headings further down, and so is one of them."""
    if line.title or any(other.part is not Part.PLAIN or other.styled is not None for other in candidates):
        return False
    return any(other is not line and other.look == line.look for other in candidates)
