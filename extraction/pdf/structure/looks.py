"""Judges from its type and its place whether a block looks like a heading."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from extraction.pdf.openings import is_caption, is_list_item
from extraction.pdf.text.paragraphs import Block, Style

LARGER = 1.08
MUCH_LARGER = 1.15
_LONGEST = 250
_MOST_LINES = 5
_LONGEST_UNNUMBERED = 160
_WIDEST_GAP = 6.0  # font sizes
_SENTENCE_WORDS = 9
_SHORTEST_STATEMENT = 7
_PAGE_TEXT = 600  # characters
_PAGE_SHARE = 0.6
_LARGEST_PAGE = 1.2

_ENDS_OPEN = re.compile(r"[.,;:–—-]$")
_SENTENCE_INSIDE = re.compile(r"(?<![А-ЯЁA-Z\d])(?<!\s[а-яёa-z])(?<!\s[а-яёa-z]{2})[.!?;]\s+[«\"(]?[А-ЯЁA-Z]")
_VERB = re.compile(
    r"\b(?:долж(?:ен|на|но|ны)|следует|необходимо|допускается|является|являются|может|могут|называ[ею]тся"
    r"|устанавлива[ею]т|принима[ею]т(?:ся)?|применя[ею]т(?:ся)?|приводят|указывают|составля[ею]т"
    r"|shall|must|should|is|are|was|were)\b"
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_CODE = re.compile(r"[_={}|\\<>]|\(\)|;$|://")
_NO_HEADING = re.compile(
    r"(?:п\s?р\s?и\s?м\s?е\s?ч\s?а\s?н\s?и\s?[ея]|п\s?р\s?и\s?м\s?е\s?р\s?ы?|note|notes|example|examples)(?:\s*\d+)?\s*[.:–—-]*"
    r"(?:$|(?<=[.:–—-])\s)"
    r"|(?:дата (?:введения|сохранения)|издание официальное|группа [а-я]\d|удк\s|окс\s|мкс\s|isbn\b|©|г\.\s)"
    r"|(?:где|где:|if|else|then|end)\b|\*{3}",
    re.IGNORECASE,
)


def is_distinct(block: Block, style: Style) -> bool:
    """Whether a block is set in larger or, unlike the body, bold type."""
    return block.size >= LARGER * style.size or (block.bold and not style.bold)


def page_styles(blocks: Sequence[Block], style: Style) -> dict[int, Style]:
    """The body style of the pages whose text is set, or scanned, larger than that of the document."""
    sizes: dict[int, Counter[float]] = defaultdict(Counter)
    for line in (line for block in blocks for line in block.lines):
        sizes[line.page][round(line.size * 2) / 2] += line.weight
    styles = {}
    for page, counts in sizes.items():
        size, weight = counts.most_common(1)[0]
        much = counts.total() >= _PAGE_TEXT and weight >= _PAGE_SHARE * counts.total()
        if much and style.size < size <= _LARGEST_PAGE * style.size:
            styles[page] = replace(style, size=size)
    return styles


def is_sentence(text: str) -> bool:
    """Whether a text reads as a sentence rather than as a title."""
    if _SENTENCE_INSIDE.search(text):
        return True
    words = len(text.split())
    if words >= _SHORTEST_STATEMENT and _VERB.search(text):
        return True
    return text.endswith((".", ";", ":")) and words > _SENTENCE_WORDS and not text.isupper()


def may_be_heading(block: Block, text: str) -> bool:
    """Whether a block is short enough and says enough to head anything."""
    letters = sum(char.isalpha() for char in text)
    return (
        bool(block.lines)
        and not block.footnote
        and len(text) <= _LONGEST
        and len(block.lines) <= _MOST_LINES
        and letters >= 2
        and letters >= 0.4 * len(text.replace(" ", ""))
        and not is_caption(text)
        and not _NO_HEADING.match(text)
        and max(line.gap for line in block.lines) <= _WIDEST_GAP
    )


def is_prominent(block: Block, text: str, style: Style) -> bool:
    """Whether a numbered block looks like a heading by its type, and is no sentence."""
    if not may_be_heading(block, text) or is_sentence(text) or text.endswith((";", ",")):
        return False
    words = "".join(char for char in text if char.isalpha())
    return is_distinct(block, style) or (words.isupper() and len(words) > 3)


def stands_out(i: int, blocks: Sequence[Block], texts: Sequence[str], style: Style) -> bool:
    """Whether an unnumbered block heads what follows, by its type and place."""
    block, text = blocks[i], texts[i]
    if not _reads_as_title(text) or is_list_item(text) or _leads_in(i, texts):
        return False
    if block.size >= MUCH_LARGER * style.size:
        return True
    if i + 1 < len(blocks) and block.size < 0.9 * style.size:
        return False
    apart = block.space_above > 0.8 * style.pitch or block.centered
    if is_distinct(block, style):
        return apart or len(block.lines) == 1
    return text.isupper() and len(text) > 5 and apart and block.centered


def _reads_as_title(text: str) -> bool:
    return (
        (text[0].isupper() or text[0] in '«"“')
        and len(text) <= _LONGEST_UNNUMBERED
        and not _ENDS_OPEN.search(text)
        and not is_sentence(text)
        and _WORD.search(text) is not None
        and not _CODE.search(text)
    )


def _leads_in(i: int, texts: Sequence[str]) -> bool:
    """Whether the next block goes on with this one's sentence, as after a bold lead-in."""
    return i + 1 < len(texts) and texts[i + 1][:1].islower()
