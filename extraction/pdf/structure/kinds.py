"""Writes down what each block of a PDF is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from extraction.pdf.openings import is_caption, is_list_item
from extraction.pdf.structure.draft import Draft, is_keyword
from extraction.pdf.structure.items import Item
from extraction.pdf.structure.levels import Heading, find_levels
from extraction.pdf.text.paragraphs import Block
from rubrica.model import ElementKind

_LONGEST_CAPTION = 300
_LETTERED = re.compile(r"[A-ZА-Я][.)]\s+[A-ZА-ЯЁ]")


def items_of(draft: Draft) -> Sequence[Item]:
    """Every block with its kind, level and clause."""
    levels = _levels(draft)
    margins = _Indents()
    items = []
    for i, (block, text) in enumerate(zip(draft.blocks, draft.texts, strict=True)):
        kind, level = _kind(i, draft), levels.get(i)
        if kind is ElementKind.LIST_ITEM:
            level = 1 if i in draft.contents else margins.level(block)
        elif kind is not ElementKind.FOOTNOTE:
            margins = _Indents()
        clause = draft.clauses.get(i, "")
        items.append(Item(block, kind, text, level, clause=clause, contents=i in draft.contents))
    return items


def _levels(draft: Draft) -> dict[int, int]:
    order = sorted(draft.headings)
    headings = []
    for i in order:
        block, text = draft.blocks[i], draft.texts[i]
        look = (round(block.size * 2) / 2, block.bold, text.isupper())
        lettered = i not in draft.clauses and _LETTERED.match(text) is not None
        headings.append(Heading(text, look, draft.clauses.get(i, ""), is_keyword(text), lettered))
    return dict(zip(order, find_levels(headings), strict=True))


def _kind(i: int, draft: Draft) -> ElementKind:
    if draft.blocks[i].tables:
        return ElementKind.TABLE
    if i == draft.title:
        return ElementKind.TITLE
    if i in draft.headings:
        return ElementKind.HEADING
    return ElementKind.LIST_ITEM if i in draft.contents else _kind_of_text(i, draft)


def _kind_of_text(i: int, draft: Draft) -> ElementKind:
    text = draft.texts[i]
    if i in draft.clauses:
        return ElementKind.PARAGRAPH
    if is_caption(text) and len(text) <= _LONGEST_CAPTION:
        return ElementKind.CAPTION
    if draft.blocks[i].footnote:
        return ElementKind.FOOTNOTE
    return ElementKind.LIST_ITEM if is_list_item(text) else ElementKind.PARAGRAPH


class _Indents:
    """Left edges of the lists that are open, outermost first."""

    def __init__(self) -> None:
        self._edges: list[float] = []

    def level(self, block: Block) -> int:
        """Depth of a list item, from how far it stands in."""
        edge = block.lines[0].x0 - block.frame.left
        while self._edges and self._edges[-1] > edge + 3:
            self._edges.pop()
        if not self._edges or edge > self._edges[-1] + 3:
            self._edges.append(edge)
        return len(self._edges)
