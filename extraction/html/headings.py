"""Headings that a page only sets as such: by type, by place, by class or by their words.

Legal databases and word processors print «Статья 5. Название» or a centred bold line as a paragraph.
What the markup calls a heading stays one; looks are asked only as far as the markup is silent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from extraction.html.blocks import Block
from extraction.html.candidates import (
    APPENDIX,
    APPENDIX_TITLE,
    HEADING_LENGTH,
    UNNAMED,
    UNNAMED_LENGTH,
    Body,
    Candidate,
    find_candidate,
    find_named,
)
from extraction.html.marked import mend_marked
from rubrica.model import ElementKind

_TITLE_LINES = 15
_LETTERHEAD = 4  # blocks in front of the title: a table with marks of registration
_UNNAMED_LEVELS = 3
_TITLE_LENGTH = 300
_LIST_RUN = 4  # so many headings without text between them are a table of contents


def with_headings(blocks: Sequence[Block]) -> list[Block]:
    """Turn the paragraphs of a page that are headings, and those that are its title, into such."""
    blocks = mend_marked(blocks)
    body = Body.of(blocks)
    candidates = [find_candidate(block, body) for block in blocks]
    _drop_contents(blocks, candidates)
    marked = [block.level or 1 for block in blocks if block.kind is ElementKind.HEADING]
    titles = frozenset[int]() if marked else _title_lines(blocks, candidates, body)
    for index in titles:
        candidates[index] = None
    _rank_unnamed(blocks, candidates, is_marked=sum(level > 1 for level in marked) >= 2)
    levels = _Levels(blocks, candidates)
    return list(_joined(blocks, candidates, levels, titles))


def _drop_contents(blocks: Sequence[Block], candidates: list[Candidate | None]) -> None:
    """Take out what is listed without text between: a table of contents, lines of a letterhead."""
    last_places = {block.text.strip(): index for index, block in enumerate(blocks)}
    for start, end in _runs(blocks, candidates):
        ranks = Counter(item.rank for item in candidates[start:end] if item and item.rank != UNNAMED)
        if ranks and max(ranks.values()) >= _LIST_RUN - 1 and end - start >= _LIST_RUN:
            # The last one may open the text itself, unless the text has it again.
            again = last_places[blocks[end - 1].text.strip()] >= end
            candidates[start : end - 1 + again] = [None] * (end - 1 + again - start)


def _runs(blocks: Sequence[Block], candidates: Sequence[Candidate | None]) -> Iterator[tuple[int, int]]:
    start = 0
    for index in range(len(blocks) + 1):
        if index == len(blocks) or candidates[index] is None:
            if index > start:
                yield start, index
            start = index + 1


def _rank_unnamed(blocks: Sequence[Block], candidates: list[Candidate | None], *, is_marked: bool) -> None:
    """Rank the title of an appendix, and drop other lines without a name where they are the exception.

    In a law with chapters and articles, a bold line between them is the title of a table or an emphasis.
    """
    others: list[int] = []
    in_appendix = False
    for index, candidate in enumerate(candidates):
        if candidate is None:
            in_appendix = in_appendix and len(blocks[index].text) < UNNAMED_LENGTH
        elif candidate.rank != UNNAMED:
            in_appendix = candidate.rank == APPENDIX
        elif in_appendix:
            candidates[index] = replace(candidate, rank=APPENDIX_TITLE)
        elif not _continues(blocks, candidates, index):
            others.append(index)
    named = sum(item is not None and item.rank != UNNAMED for item in candidates)
    exceptional = is_marked or 2 <= named >= len(others)
    for index in others:
        if exceptional or not _has_text_below(blocks, candidates, index):
            candidates[index] = None


def _has_text_below(blocks: Sequence[Block], candidates: Sequence[Candidate | None], index: int) -> bool:
    """Whether a heading has anything to head."""
    below = range(index + 1, len(blocks))
    return any(candidates[i] is None for i in below[:_TITLE_LINES])


def _continues(blocks: Sequence[Block], candidates: Sequence[Candidate | None], index: int) -> bool:
    """Whether a line goes on with the heading above it, in the same type."""
    before = candidates[index - 1] if index else None
    return before is not None and (before.bare or _same_look(blocks[index - 1], blocks[index]))


def _same_look(one: Block, other: Block) -> bool:
    return one.look == other.look and one.look.align == "center"


def _title_lines(
    blocks: Sequence[Block], candidates: Sequence[Candidate | None], body: Body
) -> frozenset[int]:
    """Which of the first blocks are the lines of the document's title, set apart from its text."""
    lines: list[int] = []
    for index, (block, candidate) in enumerate(zip(blocks[:_TITLE_LINES], candidates, strict=False)):
        apart = body.is_centred(block) or (body.is_bold(block) and block.text.strip().isupper())
        is_line = block.kind is ElementKind.PARAGRAPH and apart and len(block.text) <= _TITLE_LENGTH
        if is_line and (candidate is None or candidate.rank == UNNAMED):
            lines.append(index)
        elif lines or index >= _LETTERHEAD or (block.kind is ElementKind.PARAGRAPH and not is_line):
            break
    return frozenset(lines)


class _Levels:
    """The levels of headings: each stands one below the nearest one above that is of a higher rank."""

    def __init__(self, blocks: Sequence[Block], candidates: Sequence[Candidate | None]) -> None:
        looks = {
            _order(block)
            for block, item in zip(blocks, candidates, strict=True)
            if item is not None and item.rank == UNNAMED
        }
        self._looks = {look: place for place, look in enumerate(sorted(looks), start=1)}
        self._stated: dict[float, int] = {}  # rank → level, from the markup's own named headings
        self._ranks: list[float] = []
        self._marked = 0  # level of the last heading of the markup
        self._above = 0  # level of the last heading that has a rank or is one of the markup

    def follow(self, block: Block) -> None:
        """Take note of a heading of the markup."""
        self._above = self._marked = block.level or 1
        self._ranks.clear()
        named = find_named(" ".join(block.text.split()), strong=True)
        if named:
            self._stated[named.rank] = self._marked

    def of(self, block: Block, rank: float) -> int:
        """The level of the next heading."""
        if rank == UNNAMED:
            return self._above + min(self._looks[_order(block)], _UNNAMED_LEVELS)
        while self._ranks and self._ranks[-1] >= rank:
            self._ranks.pop()
        self._ranks.append(rank)
        self._above = self._stated.get(rank) or self._marked + len(self._ranks)
        return self._above


def _order(block: Block) -> tuple[float, bool]:
    """Larger type stands higher, then what is centred."""
    return -block.look.size, block.look.align != "center"


def _joined(
    blocks: Sequence[Block],
    candidates: Sequence[Candidate | None],
    levels: _Levels,
    titles: frozenset[int],
) -> Iterator[Block]:
    """The blocks with their headings, those of several lines in one."""
    heading: Block | None = None
    for index, (block, candidate) in enumerate(zip(blocks, candidates, strict=True)):
        if heading is not None and _goes_on(heading, blocks, candidates, index):
            heading = replace(heading, text=f"{heading.text}\n{block.text}")
            continue
        if heading is not None:
            yield heading
            heading = None
        if candidate is not None:
            heading = replace(block, kind=ElementKind.HEADING, level=levels.of(block, candidate.rank))
            continue
        if block.kind is ElementKind.HEADING:
            levels.follow(block)
        yield replace(block, kind=ElementKind.TITLE) if index in titles else block
    if heading is not None:
        yield heading


def _goes_on(
    heading: Block, blocks: Sequence[Block], candidates: Sequence[Candidate | None], index: int
) -> bool:
    """Whether a block is the next line of a heading."""
    block, candidate = blocks[index], candidates[index]
    if block.kind is not ElementKind.PARAGRAPH or len(heading.text) + len(block.text) > HEADING_LENGTH:
        return False
    if candidate is None:  # the rest of a title that is broken in the middle of a sentence
        return block.text.strip()[:1].islower() and _same_look(blocks[index - 1], block)
    return candidate.rank in (UNNAMED, APPENDIX_TITLE) and _continues(blocks, candidates, index)
