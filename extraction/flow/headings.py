"""Finds headings where styles do not mark them: by number, name and look, with care."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from extraction.flow.blocks import Block, Paragraph, Role
from extraction.flow.openings import (
    ACT_RANK,
    PLAIN_RANK,
    Opening,
    Part,
    is_address,
    is_approval,
    is_bare_caption,
    is_caps,
    is_contents_line,
    is_headline,
    opening_of,
)

_LARGER = 1.1
_MUCH_LARGER = 1.25
_HEADING_LENGTH = 700
_SENTENCE_LENGTH = 200
_LINE_LENGTH = 100


@dataclass(frozen=True, slots=True)
class Setting:
    """How most of a document is set; a look that most of it has tells nothing.

    Attributes:
        bold: Whether bold type stands out.
        centred: Whether a centred line stands out.
        size: Size of most of its type; ``None`` where unknown.
    """

    bold: bool
    centred: bool
    size: float | None

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> Setting:
        """Measure a document by the sentences among its paragraphs, of which headings are none."""
        body = [block for block in blocks if isinstance(block, Paragraph) and block.role is Role.BODY]
        sizes: Counter[float | None] = Counter()
        total = bold = centred = 0
        for block in body:
            letters = len(block.text)
            sizes[block.look.size] += letters
            if letters > _LINE_LENGTH or block.text.rstrip().endswith((".", ";", ":", ",")):
                total += letters
                bold += letters * block.look.bold
                centred += letters * block.look.centred
        size = sizes.most_common(1)[0][0] if sizes else None
        return cls(bold * 2 <= total, centred * 2 <= total, size)

    def is_bold(self, block: Paragraph) -> bool:
        """Whether a paragraph stands out by bold type."""
        return self.bold and block.look.bold

    def is_centred(self, block: Paragraph) -> bool:
        """Whether a paragraph stands out in the middle of the line."""
        return self.centred and block.look.centred

    def is_larger(self, block: Paragraph, factor: float = _LARGER) -> bool:
        """Whether a paragraph stands out by its size."""
        return bool(self.size and block.look.size and block.look.size >= factor * self.size)

    def stands_out(self, block: Paragraph) -> bool:
        """Whether a paragraph is set like a heading in any way."""
        return self.is_bold(block) or self.is_centred(block) or self.is_larger(block) or is_caps(block.text)


def is_styled_heading(block: Paragraph) -> bool:
    """Whether a paragraph with a heading's style is one: not blank, and no passage of text."""
    text = block.text.strip()
    if block.role is not Role.HEADING or not 0 < len(text) <= _HEADING_LENGTH or is_bare_caption(text):
        return False
    if is_address(text) and opening_of(text) is None:
        return False
    return not (len(text) > _SENTENCE_LENGTH and text.endswith((".", ";")))


def find_opening(block: Paragraph, setting: Setting) -> Opening | None:
    """The heading that a paragraph without a heading's style is by its words and look, if it is one."""
    if block.role is not Role.BODY or is_contents_line(block.text) or block.label == "":
        return None
    opening = opening_of(block.numbered)
    if opening is not None:
        right = opening.part is Part.APPENDIX and block.look.right
        return opening if opening.firm or right or setting.stands_out(block) else None
    if block.label is None and is_headline(block.text) and _is_plain_heading(block, setting):
        rank = ACT_RANK if is_caps(block.text) else PLAIN_RANK
        return Opening(Part.PLAIN, rank, firm=False, title=block.text)
    return None


def _is_plain_heading(block: Paragraph, setting: Setting) -> bool:
    if is_approval(block.text) or block.look.right:
        return False
    bold, caps = setting.is_bold(block), is_caps(block.text)
    if setting.is_centred(block):
        return bold or caps or setting.is_larger(block)
    return (bold and (caps or setting.is_larger(block))) or setting.is_larger(block, _MUCH_LARGER)
