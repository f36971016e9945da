"""Groups the lines of frames to blocks: paragraphs, headings, list items, entries of contents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

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
    is_starred,
    opens_clause,
    opens_footnote,
    states_more,
)

# A gap of so many font sizes inside a short line parts labels and values, not words.
_WIDE_GAP = 4.0
_SHORT_LINE = 45


@dataclass(frozen=True, slots=True)
class Style:
    """What is usual in a document.

    Attributes:
        size: Font size of its body text.
        pitch: Distance between lines of a paragraph, in font sizes.
        bold: Whether the body text is bold.
    """

    size: float
    pitch: float
    bold: bool


@dataclass(slots=True)
class Block:
    """Lines that belong together, or the pieces of one table.

    Attributes:
        lines: Lines of text, in order.
        tables: Pieces of a table, one a page.
        frame: Frame that it begins in.
        space_above: Distance to what is above it in the frame, in font sizes; infinite at the top.
        footnote: Whether it stands at the foot of its frame and explains a mark.
    """

    frame: Frame
    lines: list[Line] = field(default_factory=list)
    tables: list[TableRegion] = field(default_factory=list)
    space_above: float = float("inf")
    footnote: bool = False

    @property
    def boxes(self) -> Sequence[Box]:
        """Its lines or tables."""
        return self.lines or self.tables

    @property
    def size(self) -> float:
        """Font size of most of its text."""
        return max(self.lines, key=lambda line: line.weight).size if self.lines else 0.0

    @property
    def bold(self) -> bool:
        """Whether all its lines are bold."""
        return bool(self.lines) and all(line.bold for line in self.lines)

    @property
    def centered(self) -> bool:
        """Whether it stands in the middle of its frame, away from both sides."""
        middle = (self.frame.left + self.frame.right) / 2
        return bool(self.lines) and all(_is_centered(line, middle, self.frame) for line in self.lines)


def measure(frames: Sequence[Frame]) -> Style:
    """Find the body style of a document."""
    sizes: Counter[float] = Counter()
    weights: Counter[bool] = Counter()
    pitches: list[float] = []
    lines = [[box for box in frame.boxes if isinstance(box, Line)] for frame in frames]
    for line in (line for group in lines for line in group):
        sizes[round(line.size * 2) / 2] += line.weight
        weights[line.bold] += line.weight
    if not sizes:
        return Style(size=10.0, pitch=1.2, bold=False)
    size = sizes.most_common(1)[0][0]
    for above, below in (pair for group in lines for pair in pairwise(group)):
        step = (below.bottom - above.bottom) / max(size, 1.0)
        if abs(above.size - size) <= 0.5 and abs(below.size - size) <= 0.5 and 0.7 < step < 3:
            pitches.append(step)
    return Style(size=size, pitch=_common(pitches), bold=weights[True] > weights[False])


def _common(pitches: list[float]) -> float:
    """The most frequent distance; the lower one where two are nearly as frequent."""
    if not pitches:
        return 1.2
    counts = Counter(round(pitch * 20) / 20 for pitch in pitches)
    most = counts.most_common(1)[0][1]
    return min(pitch for pitch, count in counts.items() if count >= 0.6 * most)


def build_blocks(frames: Sequence[Frame], style: Style) -> list[Block]:
    """Group the lines of every frame and join what a page or column break has cut in two."""
    blocks: list[Block] = []
    for frame in frames:
        group = list(_group(frame, style))
        _mark_footnotes(group, style)
        _join_over_break(blocks, group, style)
        blocks += group
    return blocks


def _group(frame: Frame, style: Style) -> Iterator[Block]:
    block: Block | None = None
    previous: Box | None = None
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
        elif _parts(block, box, style):
            yield block
            block = Block(frame, lines=[box], space_above=_space(previous, box))
        else:
            block.lines.append(box)
        previous = box
    if block:
        yield block


def _space(above: Box | None, line: Line) -> float:
    return float("inf") if above is None else (line.top - above.bottom) / max(line.size, 1.0)


def _parts(block: Block, line: Line, style: Style) -> bool:
    """Whether a line opens a new block after the lines of ``block``."""
    last = block.lines[-1]
    if _stands_apart(block, line, style):
        return True
    if ends_hyphenated(last.text):
        return False
    if is_reference(line.text) and is_reference(block.lines[0].text):
        return abs(line.x0 - block.lines[0].x0) < 2 and not states_more(last.text)
    return _opens_item(line, block, style) or _parts_by_shape(block, line)


def _stands_apart(block: Block, line: Line, style: Style) -> bool:
    """Whether a line cannot belong to the block by its type, its distance or what it is."""
    last = block.lines[-1]
    step = (line.bottom - last.bottom) / max(line.size, 1.0)
    return (
        _differs(last, line)
        or is_contents_entry(last.text)
        or is_caption(line.text)
        or step > _widest_pitch(block, line, style)
        or ((_is_tabular(last) or _is_tabular(line)) and not is_contents_entry(line.text))
    )


def _is_tabular(line: Line) -> bool:
    """Whether a line is a row of labels and values; in running text a gap may hold a drawn formula."""
    return line.gap > _WIDE_GAP and (line.weight < _SHORT_LINE or line.gap > 2 * _WIDE_GAP)


def _widest_pitch(block: Block, line: Line, style: Style) -> float:
    """Widest distance between two lines of one block; a large title in the middle is set wider."""
    title = line.size > 1.12 * style.size and block.centered and line.x0 > block.frame.left + line.size
    return 2.0 if title else style.pitch * 1.3 + 0.05


def _differs(last: Line, line: Line) -> bool:
    """Whether two lines are set in different type."""
    if min(last.weight, line.weight) < 3:
        return False
    if abs(last.size - line.size) > 0.12 * max(last.size, line.size):
        return True
    return last.bold != line.bold and (last.bold_weight == 0 or line.bold_weight == 0)


def _opens_item(line: Line, block: Block, style: Style) -> bool:
    """Whether a line opens a clause or list item, rather than going on with a number."""
    text, last = line.text, block.lines[-1]
    if not (is_list_item(text) or opens_clause(text)):
        return False
    if states_more(last.text):
        return False
    indented = abs(line.x0 - last.x0) > 0.8 * style.size or line.x0 <= block.lines[0].x0 + 2
    return indented or ends_sentence(last.text) or _is_short(last, line, block.frame)


def _parts_by_shape(block: Block, line: Line) -> bool:
    frame, last = block.frame, block.lines[-1]
    if continues_capitals(last.text, line.text):
        return False
    middle = (frame.left + frame.right) / 2
    centered = [_is_centered(each, middle, frame) for each in (last, line)]
    if centered[0] != centered[1] and len(block.lines) > 1:
        return True
    if all(centered):
        return False
    goes_on = line.text[:1].islower() and not ends_sentence(last.text)
    if goes_on and centered[1]:
        return False
    if _is_indented(block, line):
        return True
    return _is_short(last, line, frame) and not goes_on


def _is_centered(line: Line, middle: float, frame: Frame) -> bool:
    return (
        abs(line.center - middle) < 0.6 * line.size
        and line.x0 - frame.left > 2 * line.size
        and frame.right - line.x1 > 2 * line.size
    )


def _is_indented(block: Block, line: Line) -> bool:
    """Whether a line stands in from the lines before it, as the first of a paragraph does."""
    last = block.lines[-1]
    if line.x0 - last.x0 < 0.8 * line.size:
        return False
    hanging = len(block.lines) == 1 and (is_list_item(last.text) or opens_clause(last.text))
    return not hanging or ends_sentence(last.text)


def _is_short(last: Line, line: Line, frame: Frame) -> bool:
    """Whether the first word of ``line`` would have fitted at the end of ``last``."""
    return frame.right - last.x1 > line.first_width + 0.8 * line.size


def _mark_footnotes(blocks: Sequence[Block], style: Style) -> None:
    """Mark footnotes: opened by a mark and, where that is a mere number, small at the end of a frame."""
    for block in blocks[1:]:
        if block.lines and is_starred(block.lines[0].text):
            marked = block.lines[0].text.startswith("<")
            block.footnote = marked or block.size <= 0.93 * style.size
    for i in range(len(blocks) - 1, 0, -1):
        block = blocks[i]
        small = bool(block.lines) and block.size <= 0.93 * style.size
        if not small:
            return
        if opens_footnote(block.lines[0].text):
            for each in blocks[i:]:
                each.footnote = True


def _join_over_break(blocks: Sequence[Block], group: list[Block], style: Style) -> None:
    """Move the first block of a frame to the end of the last one before it, if it goes on there."""
    if not group or not group[0].lines or group[0].frame.aside:
        return
    last = next((block for block in reversed(blocks) if not (block.footnote or block.frame.aside)), None)
    if last is None or not last.lines:
        return
    if _goes_on(last, group[0], style):
        last.lines += group.pop(0).lines
        if group:
            group[0].space_above = float("inf")


def _goes_on(last: Block, block: Block, style: Style) -> bool:
    """Whether the first block of a frame is the rest of the last block before it."""
    end, start = last.lines[-1], block.lines[0]
    if not _may_go_on(last, block, style):
        return False
    opens = is_list_item(start.text) or opens_clause(start.text)
    if ends_hyphenated(end.text) or (states_more(end.text) and not is_list_item(start.text)):
        return True
    if opens or ends_sentence(end.text):
        return False
    indented = start.x0 - block.frame.left > 0.8 * start.size
    return start.text[:1].islower() or (not indented and not _is_short(end, start, last.frame))


def _may_go_on(last: Block, block: Block, style: Style) -> bool:
    """Whether both blocks are running text in the same type."""
    end, start = last.lines[-1], block.lines[0]
    return not (
        _differs(end, start)
        or last.centered
        or last.size > 1.12 * style.size
        or _is_tabular(end)
        or _is_tabular(start)
        or is_contents_entry(end.text)
        or is_caption(start.text)
        or is_caption(last.lines[0].text)
    )
