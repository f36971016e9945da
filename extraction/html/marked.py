"""Puts right what pages mark up as headings that are none, or that are only parts of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from extraction.html.blocks import Block
from extraction.html.candidates import HEADING_LENGTH, find_named
from rubrica.model import ElementKind


def mend_marked(blocks: Sequence[Block]) -> list[Block]:
    """The blocks of a page with the headings of its markup as their reader would see them.

    Word processors save a letterhead and a signature, set at the right in plain type, as headings, and
    a title of three lines as three of them.
    """
    mended: list[Block] = []
    for block in blocks:
        if block.kind is ElementKind.HEADING and _is_letterhead(block):
            mended.append(replace(block, kind=ElementKind.PARAGRAPH, level=None))
        elif mended and _goes_on(mended[-1], block):
            mended[-1] = replace(mended[-1], text=f"{mended[-1].text}\n{block.text}")
        else:
            mended.append(block)
    return mended


def _is_letterhead(block: Block) -> bool:
    text = " ".join(block.text.split())
    return block.look.align == "right" and not block.look.bold and not find_named(text, strong=True)


def _goes_on(above: Block, block: Block) -> bool:
    """Whether a heading breaks off in the middle of a phrase that the next one ends."""
    if above.kind is not ElementKind.HEADING or block.kind is not ElementKind.HEADING:
        return False
    alike = above.level == block.level and above.look == block.look
    is_open = above.text.rstrip().endswith(",") or above.text.count("«") > above.text.count("»")
    broken = is_open or block.text.strip()[:1].islower()
    return alike and broken and len(above.text) + len(block.text) <= HEADING_LENGTH
