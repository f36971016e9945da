"""Tells footnotes from the text above them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from extraction.pdf.openings import ends_sentence, is_starred, opens_footnote
from extraction.pdf.text.blocks import Block, Style

_SMALL = 0.93
_STAR_IN_TEXT = re.compile(r"[^\s*]\*{1,4}(?![*\w])")


def mark_footnotes(blocks: Sequence[Block], style: Style) -> None:
    """Mark footnotes: opened by a mark and, where that is a mere number, small at the end of a frame.

    Args:
        blocks: The blocks of one frame.
        style: The document's body style.
    """
    referred = False
    for i, block in enumerate(blocks):
        if i and block.lines and is_starred(block.lines[0].text):
            marked = block.lines[0].text.startswith("<")
            block.footnote = marked or block.size <= _SMALL * style.size or (referred and _is_last(blocks, i))
        referred = referred or any(_STAR_IN_TEXT.search(line.text) for line in block.lines)
    _mark_small(blocks, style)


def _is_last(blocks: Sequence[Block], index: int) -> bool:
    """Whether nothing but other starred blocks and an imprint of a few words follows."""
    rest = blocks[index + 1 :]
    return all(block.lines and (is_starred(block.lines[0].text) or len(block.lines) == 1) for block in rest)


def _mark_small(blocks: Sequence[Block], style: Style) -> None:
    first: int | None = None
    for i in range(len(blocks) - 1, 0, -1):
        block = blocks[i]
        if not block.lines or block.size > _SMALL * style.size:
            break
        if opens_footnote(block.lines[0].text) or (first == i + 1 and block.lines[0].text[:1].islower()):
            first = i
    if first is not None:
        for block in blocks[first:]:
            block.footnote = True


def join_footnotes(blocks: Sequence[Block], group: list[Block]) -> None:
    """Move the rest of a footnote, at the foot of the next frame, to its beginning."""
    note = next((block for block in group if block.footnote), None)
    before = next((block for block in reversed(blocks) if block.footnote), None)
    if note is None or before is None or not note.lines or not before.lines:
        return
    near = 0 <= note.lines[0].page - before.lines[-1].page <= 1
    if near and note.lines[0].text[:1].islower() and not ends_sentence(before.lines[-1].text):
        before.lines += note.lines
        group.remove(note)
