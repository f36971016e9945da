"""Paragraphs that may be headings, those that go on from line to line put together."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from extraction.flow.blocks import Block, Look, Paragraph, Role
from extraction.flow.headings import Setting, find_opening, is_styled_heading
from extraction.flow.openings import Opening, Part, is_approval, is_caps, opening_of
from extraction.flow.styles import is_title_style

_LONGEST = 500
_KIND_OF_APPENDIX = re.compile(
    r"\((?:обязательн|рекомендуем|справочн|informative|normative)\w*\)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A heading before its level is known.

    Attributes:
        index: Position of its first block.
        lines: How many blocks it is made of.
        text: Its text, number included.
        look: How its first line is set.
        styled: Level that its style gives it.
        opening: What its words make of it.
        title: Whether it is set in a style for titles.
        approved: Level that the style gives the line «Утверждено» above it.
    """

    index: int
    lines: int
    text: str
    look: Look
    styled: int | None
    opening: Opening | None
    title: bool = False
    approved: int | None = None

    @property
    def part(self) -> Part:
        """The kind of heading that it is by its words."""
        return Part.PLAIN if self.opening is None else self.opening.part

    @property
    def caps(self) -> bool:
        """Whether it is set in capitals."""
        return is_caps(self.text)

    @property
    def may_be_title(self) -> bool:
        """Whether it could belong to the document's title rather than open a part of it."""
        return self.part is Part.PLAIN and (self.title or self.styled is None)


def find_candidates(blocks: Sequence[Block], setting: Setting, captions: Collection[int]) -> list[Candidate]:
    """Find all headings and lines of titles, in order."""
    found: list[Candidate] = []
    approved: int | None = None
    for index, block in enumerate(blocks):
        if not isinstance(block, Paragraph) or index in captions:
            continue
        if block.role is Role.HEADING and is_approval(block.text):
            approved = block.level
            continue
        candidate = _candidate(index, block, setting)
        above = found[-1] if found and found[-1].index + found[-1].lines == index else None
        if above is not None and _goes_on(above, block, candidate, blocks):
            found[-1] = replace(above, lines=above.lines + 1, text=f"{above.text} {block.numbered.strip()}")
        elif candidate is not None:
            found.append(replace(candidate, approved=approved))
            approved = None
    return found


def _candidate(index: int, block: Paragraph, setting: Setting) -> Candidate | None:
    text = block.numbered.strip()
    if is_styled_heading(block):
        title = is_title_style(block.style)
        return Candidate(index, 1, text, block.look, block.level, opening_of(text), title)
    if block.role is Role.TITLE and text:
        return Candidate(index, 1, text, block.look, None, opening_of(text), title=True)
    opening = find_opening(block, setting)
    return None if opening is None else Candidate(index, 1, text, block.look, None, opening)


def _goes_on(
    above: Candidate, block: Paragraph, candidate: Candidate | None, blocks: Sequence[Block]
) -> bool:
    """Whether a paragraph is a further line of the heading above it."""
    if len(above.text) + len(block.text) > _LONGEST:
        return False
    if above.part is Part.APPENDIX and _KIND_OF_APPENDIX.fullmatch(block.text.strip()):
        return True
    if candidate is None or candidate.part is not Part.PLAIN or candidate.styled is not None:
        return False
    last = blocks[above.index + above.lines - 1]
    same_style = isinstance(last, Paragraph) and last.style == block.style
    if candidate.title or above.title:
        return candidate.title and above.title and same_style
    text = block.text.strip()
    if above.styled is not None and not (text[:1].islower() and above.look.bold == block.look.bold):
        return False
    return _looks_alike(above, candidate, text)


def _looks_alike(above: Candidate, candidate: Candidate, text: str) -> bool:
    if above.look.centred != candidate.look.centred or above.look.right:
        return False
    nameless = above.opening is not None and above.part is not Part.PLAIN and not above.opening.title
    if nameless or text[:1].islower():
        return True
    alike = above.look.bold == candidate.look.bold and above.look.size == candidate.look.size
    return alike and above.caps and candidate.caps and above.part is not Part.KEYWORD
