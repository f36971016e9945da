"""Joins what a page or column break has cut in two."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from extraction.pdf.layout import Line
from extraction.pdf.openings import (
    ends_hyphenated,
    ends_sentence,
    is_caption,
    is_contents_entry,
    is_list_item,
    opens_clause,
    states_more,
)
from extraction.pdf.text.blocks import Block, Style
from extraction.pdf.text.shapes import differs, is_short, is_tabular

# So many blocks at the foot of a page may stand between the two parts of a paragraph: an imprint, a table.
_MOST_BETWEEN = 6
_FEW_BOXES = 2
_FORMULA_NUMBER = re.compile(r"\(\d{1,3}(?:\.\d{1,3})*[а-яa-z]?\)")


def join_over_break(blocks: Sequence[Block], group: list[Block], style: Style) -> None:
    """Move the first block of a frame to the end of an earlier one, if it goes on there.

    Args:
        blocks: The blocks of the frames before.
        group: The blocks of the frame.
        style: The document's body style.
    """
    if not group or not group[0].lines or group[0].frame.aside:
        return
    for i, last in enumerate(_before(blocks)):
        if _goes_on(last, group[0], style) if i == 0 else _goes_on_past(last, group[0], style):
            last.lines += group.pop(0).lines
            if group:
                group[0].space_above = float("inf")
            return


def _before(blocks: Sequence[Block]) -> Iterator[Block]:
    """The last block before a break and, on its page, those above it, nearest first."""
    page: int | None = None
    seen = 0
    for block in reversed(blocks):
        if block.footnote or block.frame.aside:
            continue
        page = page or block.boxes[-1].page
        if block.boxes[-1].page != page or seen > _MOST_BETWEEN:
            return
        yield block
        seen += 1


def _goes_on(last: Block, block: Block, style: Style) -> bool:
    """Whether the first block of a frame is the rest of the last block before it."""
    if not last.lines or not _may_go_on(last, block, style):
        return False
    end, start = last.lines[-1], block.lines[0]
    opens = is_list_item(start.text) or opens_clause(start.text)
    if ends_hyphenated(end.text) or (states_more(end.text) and not is_list_item(start.text)):
        return True
    if opens or ends_sentence(end.text):
        return False
    indented = start.x0 - block.frame.left > 0.8 * start.size
    return start.text[:1].islower() or (not indented and _is_full(last, start))


def _goes_on_past(last: Block, block: Block, style: Style) -> bool:
    """Whether a block goes on in mid-sentence with one that others part it from."""
    if not last.lines or not _may_go_on(last, block, style) or not block.lines[0].text[:1].islower():
        return False
    end, start = last.lines[-1], block.lines[0]
    if ends_hyphenated(end.text):
        return True
    ended = ends_sentence(end.text) or is_list_item(start.text)
    return _is_full(last, start) and len(last.lines) > 1 and not ended


def _is_full(last: Block, following: Line) -> bool:
    """Whether the last line of a block reaches the margin; two or three lines do not tell where that is."""
    return len(last.frame.boxes) > _FEW_BOXES and not is_short(last.lines[-1], following, last.frame)


def _may_go_on(last: Block, block: Block, style: Style) -> bool:
    """Whether both blocks are running text in the same type."""
    end, start = last.lines[-1], block.lines[0]
    return not (
        differs(end, start)
        or last.centered
        or last.size > 1.12 * style.size
        or is_tabular(end)
        or is_tabular(start)
        or is_contents_entry(end.text)
        or is_caption(start.text)
        or is_caption(last.lines[0].text)
        or _FORMULA_NUMBER.fullmatch(end.text)
    )
