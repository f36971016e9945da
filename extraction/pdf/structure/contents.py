"""Finds tables of contents, with leaders or without."""

from __future__ import annotations

import re
from collections.abc import Sequence

from extraction.pdf.openings import is_contents_entry
from extraction.pdf.text.paragraphs import Block

_HEADING = re.compile(
    r"(?:содержание|оглавление|(?:table of )?contents|inhaltsverzeichnis|inhalt|sommaire|[ií]ndice"
    r"|table des mati[eè]res)\.?",
    re.IGNORECASE,
)
_PAGE_AT_END = re.compile(r"(?:\D\s|^)(?:\d{1,4}|[ivxl]{1,6})\s*$")
# Entries on two lines, and parts without a page number of their own, stand between those that have one.
_LONGEST_GAP = 3
_LONGEST = 300


def is_contents_heading(text: str) -> bool:
    """Whether a text is the heading of a table of contents."""
    return _HEADING.fullmatch("".join(text.split()) if _is_spaced(text) else text.strip()) is not None


def find_contents(blocks: Sequence[Block], texts: Sequence[str]) -> set[int]:
    """Indices of the blocks that are lines of tables of contents."""
    found = {i for i, text in enumerate(texts) if is_contents_entry(text)}
    for start, text in enumerate(texts):
        if is_contents_heading(text):
            found.update(range(start + 1, _end(blocks, texts, start)))
    return found


def _end(blocks: Sequence[Block], texts: Sequence[str], start: int) -> int:
    """Index after the last line of the table of contents that is headed by ``start``."""
    end = start + 1
    for i in range(start + 1, len(texts)):
        if i - end >= _LONGEST_GAP or blocks[i].tables or len(texts[i]) > _LONGEST:
            break
        if is_contents_heading(texts[i]):
            break
        if is_contents_entry(texts[i]) or _PAGE_AT_END.search(texts[i]):
            end = i + 1
    return end


def _is_spaced(text: str) -> bool:
    words = text.split()
    return len(words) > 4 and all(len(word) <= 2 for word in words)
