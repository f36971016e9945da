"""Finds the lines that name tables and figures."""

from __future__ import annotations

from collections.abc import Sequence

from extraction.flow.blocks import Block, Paragraph, Role, Table
from extraction.flow.openings import is_caption

_MOST_LINES = 8
_LONGEST = 300


def find_captions(blocks: Sequence[Block]) -> dict[int, int]:
    """Find captions: «Таблица 1», with the lines that stand between it and its table.

    Returns:
        How many blocks each is made of, by the index of its first.
    """
    found: dict[int, int] = {}
    end = 0
    for index, block in enumerate(blocks):
        if index < end or not isinstance(block, Paragraph):
            continue
        if block.role is Role.CAPTION:
            found[index] = 1
        elif block.role in (Role.BODY, Role.HEADING) and is_caption(block.numbered):
            end = _end(index, blocks)
            found[index] = end - index
    return found


def _end(start: int, blocks: Sequence[Block]) -> int:
    """The index after the last line of a caption."""
    for index in range(start + 1, min(start + _MOST_LINES + 1, len(blocks))):
        block = blocks[index]
        if isinstance(block, Table):
            return index
        if not isinstance(block, Paragraph) or not _may_go_on(block):
            break
    return start + 1


def _may_go_on(block: Paragraph) -> bool:
    look = block.look
    return len(block.text) <= _LONGEST and (look.centred or look.right or look.bold)
