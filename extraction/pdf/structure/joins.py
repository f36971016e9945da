"""Puts together what is set as several blocks but read as one: stacked headings, labels and their titles."""

from __future__ import annotations

import re
from collections.abc import Sequence

from extraction.clauses import find_name, find_number, names_part
from extraction.pdf.openings import ends_sentence, is_caption, is_caption_label, is_list_item, opens_clause
from extraction.pdf.structure.looks import is_distinct
from extraction.pdf.text.paragraphs import Block, Style

_MOST_LINES = 6
_LONGEST = 250
_CLOSE = 0.9
_TIGHT = 0.35
_STATUS = re.compile(
    r"\(?\s*(?:обязательн|рекомендуем|рекомендательн|справочн|информационн|информативн|normative|informative)\w*\s*\)?\.?",
    re.IGNORECASE,
)


def join_headings(blocks: Sequence[Block], style: Style) -> list[Block]:
    """Join the lines of headings that are set apart from each other.

    These are large or centred headings on several lines; «Приложение А» with «(обязательное)» and its
    title; «Глава 2» with its title; «Таблица 1» with its title.

    Args:
        blocks: All blocks of a document; those that go on take over the lines of the next.
        style: The document's body style.
    """
    joined: list[Block] = []
    for i, block in enumerate(blocks):
        above = joined[-1] if joined else None
        following = blocks[i + 1] if i + 1 < len(blocks) else None
        if above is not None and _belong(above, block, following, style):
            above.lines += block.lines
        else:
            joined.append(block)
    return joined


def _belong(above: Block, block: Block, following: Block | None, style: Style) -> bool:
    if not (above.lines and block.lines) or above.footnote or block.footnote:
        return False
    if above.lines[-1].page != block.lines[0].page or above.frame.aside != block.frame.aside:
        return False
    first, second = _text(above), _text(block)
    if len(above.lines) + len(block.lines) > _MOST_LINES or len(first) + len(second) > _LONGEST:
        return False
    return (
        _entitles(first, second, block, style)
        or _captions(first, second, block, following)
        or _is_stacked(above, block, first, second, style)
    )


def _text(block: Block) -> str:
    return " ".join(line.text for line in block.lines)


def _entitles(first: str, second: str, block: Block, style: Style) -> bool:
    """Whether a block is the status or the title of the named part above it."""
    name = find_name(first)
    if name is None or not names_part(name):
        return False
    status = _STATUS.fullmatch(name.rest) is not None
    if name.rest.strip(".") and not status:
        return False
    if _STATUS.fullmatch(second):
        return not status
    return _is_title(second, block, style)


def _is_title(text: str, block: Block, style: Style) -> bool:
    """Whether a block looks like a title: it stands out or in the middle, and says no sentence."""
    if text.endswith((".", ";", ":")) or is_list_item(text) or is_caption(text):
        return False
    if find_number(text) or find_name(text) or not text[:1].isupper():
        return False
    return block.centered or text.isupper() or is_distinct(block, style)


def _captions(first: str, second: str, block: Block, following: Block | None) -> bool:
    """Whether a block is the title of the table or figure whose label stands above it."""
    if not is_caption_label(first) or not second[:1].isupper() or opens_clause(second):
        return False
    if is_caption(second) or is_list_item(second):
        return False
    before_table = following is not None and bool(following.tables)
    return before_table or (block.centered and not ends_sentence(second))


def _is_stacked(above: Block, block: Block, first: str, second: str, style: Style) -> bool:
    """Whether two blocks are lines of one heading: in the same distinct type, close, both centred."""
    if block.space_above > _CLOSE or not _is_alike(above, block, first, second):
        return False
    if ends_sentence(first) or opens_clause(second) or is_list_item(second) or is_caption(first + second):
        return False
    if find_name(first) is not None and not find_name(first).rest:  # type: ignore[union-attr]
        return False
    if not (is_distinct(above, style) or (first.isupper() and second.isupper())):
        return False
    tight = block.space_above <= _TIGHT and first.isupper() and is_distinct(above, style)
    return tight or _share_middle(above, block) or (second[:1].islower() and is_distinct(block, style))


def _share_middle(above: Block, block: Block) -> bool:
    """Whether two blocks stand in the middle of the same column."""
    if above.centered and block.centered:
        return True
    upper, lower = above.lines[-1], block.lines[0]
    return abs(upper.center - lower.center) < 0.6 * lower.size and abs(upper.x0 - lower.x0) > lower.size


def _is_alike(above: Block, block: Block, first: str, second: str) -> bool:
    return (
        abs(above.size - block.size) <= 0.06 * above.size
        and above.bold == block.bold
        and first.isupper() == second.isupper()
    )
