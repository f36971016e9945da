"""Groups the lines of frames to blocks: paragraphs, headings, list items, entries of contents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from extraction.pdf.layout import Box, Frame, Line, TableRegion
from extraction.pdf.openings import (
    continues_capitals,
    ends_hyphenated,
    ends_sentence,
    is_caption,
    is_contents_entry,
    is_list_item,
    is_reference,
    is_rule,
    opens_clause,
    states_more,
)
from extraction.pdf.text.blocks import Block, Style, is_centered, measure
from extraction.pdf.text.breaks import join_over_break
from extraction.pdf.text.footnotes import join_footnotes, mark_footnotes
from extraction.pdf.text.shapes import (
    continues_at_margin,
    differs,
    is_row_part,
    is_short,
    is_tabular,
    opens_in_bold,
    parts_by_shape,
    usual_indent,
    wide_pitch,
)

__all__ = ["Block", "Style", "build_blocks", "is_centered", "measure"]

# Distances of lines in font sizes, beyond the usual pitch.
_EXTRA_PITCH = 0.3
_EXTRA_AFTER_SENTENCE = 0.2
_TITLE_PITCH = 2.0
_PUNCTUATION_PITCH = 2.5
_SAME_SIZE = 0.2
_CLOSING = re.compile(r"[.,;)\]»]+(?:$|\s*[a-zа-яё\d.,;])")
_ONLY_MARKS = re.compile(r"[.,;)\]»\s]+")
_DOTTED = re.compile(r"\d{1,3}(?:\.\d{1,3})+(?:-\d{1,3})?\.?\s+[^\W\d_a-zа-яё]")
_DASHED = re.compile(r"[-–—]\s")


def build_blocks(frames: Sequence[Frame], style: Style) -> list[Block]:
    """Group the lines of every frame and join what a page or column break has cut in two."""
    blocks: list[Block] = []
    for frame in frames:
        group = list(_group(frame, style))
        mark_footnotes(group, style)
        join_over_break(blocks, group, style)
        join_footnotes(blocks, group)
        blocks += group
    return blocks


def _group(frame: Frame, style: Style) -> Iterator[Block]:
    block: Block | None = None
    previous: Box | None = None
    indent = usual_indent(frame.boxes)
    style = replace(style, pitch=wide_pitch(frame.boxes, style.pitch))
    for box in frame.boxes:
        if isinstance(box, Line) and is_rule(box.text):
            continue
        if isinstance(box, TableRegion):
            if block:
                yield block
                block = None
            yield Block(frame, tables=[box])
        elif block is None:
            block = Block(frame, lines=[box], space_above=_space(previous, box))
        elif _parts(block, box, style, indent):
            yield block
            block = Block(frame, lines=[box], space_above=_space(previous, box))
        else:
            block.lines.append(box)
        previous = box
    if block:
        yield block


def _space(above: Box | None, line: Line) -> float:
    return float("inf") if above is None else (line.top - above.bottom) / max(line.size, 1.0)


def _parts(block: Block, line: Line, style: Style, indent: float | None) -> bool:
    """Whether a line opens a new block after the lines of ``block``."""
    last = block.lines[-1]
    if _belongs(block, line, style):
        return False
    if _stands_apart(block, line, style):
        return True
    if ends_hyphenated(last.text) or continues_capitals(last.text, line.text):
        return False
    if is_reference(line.text) and is_reference(block.lines[0].text):
        return abs(line.x0 - block.lines[0].x0) < 0.5 * line.size and not states_more(last.text)
    return (
        _opens_item(line, block, style)
        or (opens_in_bold(last, line) and not style.bold)
        or parts_by_shape(block, line, indent, style.size)
    )


def _belongs(block: Block, line: Line, style: Style) -> bool:
    """Whether a line is part of the row above, of its last word, or ends its sentence behind a formula."""
    last = block.lines[-1]
    if is_row_part(block, line, style.pitch_at(line.size)) and not is_contents_entry(last.text):
        return True
    step = (line.bottom - last.bottom) / max(line.size, 1.0)
    if ends_hyphenated(last.text) and line.text[:1].islower() and step <= _widest_pitch(block, line, style):
        return abs(last.size - line.size) <= _SAME_SIZE * line.size  # recognition sees bold type in scans
    near = line.bottom - last.bottom < _PUNCTUATION_PITCH * style.pitch * style.size
    if not near or not _CLOSING.match(line.text):
        return False
    return _ONLY_MARKS.fullmatch(line.text) is not None or not ends_sentence(last.text)


def _stands_apart(block: Block, line: Line, style: Style) -> bool:
    """Whether a line cannot belong to the block by its type, its distance or what it is."""
    last = block.lines[-1]
    step = (line.bottom - last.bottom) / max(line.size, 1.0)
    return (
        differs(last, line)
        or is_contents_entry(last.text)
        or (is_caption(line.text) and not states_more(last.text))
        or step > _widest_pitch(block, line, style)
        or ((is_tabular(last) or is_tabular(line)) and not is_contents_entry(line.text))
    )


def _widest_pitch(block: Block, line: Line, style: Style) -> float:
    """Widest distance between two lines of one block; a large title in the middle is set wider."""
    if line.size > 1.12 * style.size and block.centered and line.x0 > block.frame.left + line.size:
        return _TITLE_PITCH
    widest = style.pitch_at(line.size) * (1 + _EXTRA_PITCH) + 0.05
    if len(block.lines) > 1 and ends_sentence(block.lines[-1].text):
        own = (block.lines[-1].bottom - block.lines[-2].bottom) / max(line.size, 1.0)
        widest = min(widest, own + _EXTRA_AFTER_SENTENCE)
    return widest


def _opens_item(line: Line, block: Block, style: Style) -> bool:
    """Whether a line opens a clause or list item, rather than going on with a number."""
    text, last = line.text, block.lines[-1]
    listed = is_list_item(text)
    if not (listed or opens_clause(text)):
        return False
    if states_more(last.text):
        return listed and _is_sibling(block.lines[0], line)
    if is_short(last, line, block.frame):
        return True
    if ends_sentence(last.text):
        return bool(_DOTTED.match(text) or listed) or not continues_at_margin(block, line)
    moved = abs(line.x0 - last.x0) > 0.8 * style.size
    if continues_at_margin(block, line) or _DASHED.match(text):
        return False
    aligned = line.x0 <= block.lines[0].x0 + 2
    return moved or (aligned and bool(_DOTTED.match(text) or listed))


def _is_sibling(first: Line, line: Line) -> bool:
    """Whether two lines open items of the same list."""
    if not is_list_item(first.text) or abs(first.x0 - line.x0) > 0.5 * line.size:
        return False
    return first.text[0] == line.text[0] or first.text[0].isalnum() == line.text[0].isalnum()
