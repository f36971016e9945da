"""Puts centred and right-aligned texts together whose every line was typed as a paragraph of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from extraction.flow.blocks import Block, Paragraph, Role
from extraction.flow.openings import Part, is_bare_caption, opening_of

_LONGEST = 3000
_DATE = re.compile(r"от\s+[\d«\"_]")  # of an act, below its kind
_ENDS = (".", ";", ":", "!", "?", ")")


def join_lines(blocks: Iterable[Block]) -> list[Block]:
    """Join lines that go on in small letters or behind a comma: «О ПОРЯДКЕ», «ведения перечня»."""
    joined: list[Block] = []
    for block in blocks:
        above = joined[-1] if joined else None
        if isinstance(above, Paragraph) and isinstance(block, Paragraph) and _goes_on(above, block):
            joined[-1] = replace(above, text=f"{above.text.rstrip()} {block.text.lstrip()}")
        else:
            joined.append(block)
    return joined


def _goes_on(above: Paragraph, block: Paragraph) -> bool:
    if above.role is not Role.BODY or block.role is not Role.BODY or block.label is not None:
        return False
    if not (_alike(above, block) and len(above.text) + len(block.text) <= _LONGEST):
        return False
    text, rest = above.text.strip(), block.text.strip()
    if not rest or _DATE.match(rest) or text.endswith(_ENDS) or not (text.endswith(",") or rest[0].islower()):
        return False
    opening = opening_of(text)
    return not (opening is not None and opening.part is Part.APPENDIX) and not is_bare_caption(text)


def _alike(above: Paragraph, block: Paragraph) -> bool:
    one, other = above.look, block.look
    in_lines = (one.centred and other.centred) or (one.right and other.right)
    return in_lines and above.style == block.style and one.size == other.size
