"""A PDF's blocks as their numbers see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from extraction.clauses import find_number, find_roman
from extraction.numbering import Passage
from extraction.pdf.openings import is_caption
from extraction.pdf.structure.draft import Draft, is_keyword
from extraction.pdf.structure.looks import is_distinct, is_prominent, may_be_heading, stands_out
from extraction.pdf.structure.margins import find_counted

_SHORTEST_LIST = 3


def passages_of(draft: Draft) -> list[Passage]:
    """The blocks as their numbers see them."""
    counted = find_counted(draft.blocks)
    passages = []
    for i, (block, text) in enumerate(zip(draft.blocks, draft.texts, strict=True)):
        silent = i in draft.contents or i in counted or not block.lines or block.footnote or is_caption(text)
        heading = not silent and _stands_alone(i, draft)
        passages.append(Passage(text, heading=heading, silent=silent))
    for i in _listed(passages):
        passages[i] = replace(passages[i], heading=False)
    return passages


def _listed(passages: Sequence[Passage]) -> set[int]:
    """Numbered passages that follow each other with nothing between them: a list, however it is set."""
    listed: set[int] = set()
    run: list[int] = []
    last = 0
    for i, passage in enumerate(passages):
        opening = None if passage.silent else find_number(passage.text)
        number = opening.number[0][0] if opening is not None and len(opening.number) == 1 else 0
        run = [*run, i] if number and number == last + 1 and run else [i] if number else []
        last = number
        if len(run) >= _SHORTEST_LIST:
            listed.update(run)
    return listed


def _stands_alone(i: int, draft: Draft) -> bool:
    """Whether a block is set apart from the text around it."""
    block, text = draft.blocks[i], draft.texts[i]
    if not may_be_heading(block, text):
        return False
    if is_keyword(text) or is_prominent(block, text, draft.style_of(i)):
        return True
    if find_roman(text) is not None:
        return block.centered or is_distinct(block, draft.style_of(i))
    return text[0].isalpha() and stands_out(i, draft.blocks, draft.texts, draft.style_of(i))
