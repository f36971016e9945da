"""Finds a document's title."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from extraction.pdf.structure.items import Item
from extraction.pdf.text.paragraphs import Block, Style
from extraction.text import clean_line
from rubrica.model import ElementKind

_LARGER = 1.15
# So many headings in type as large as the title's are of a kind with it.
_MOST_ALIKE = 2
_SAME = 0.5
_LOOK_AHEAD = 40
_SHARE = 0.6
_WORD = re.compile(r"\w{3,}")
_JUNK = re.compile(
    r"^(?:microsoft word|untitled|без имени|без названия|document\d*|документ\d*|\(?anonymous\)?|unspecified"
    r"|powerpoint)|\.(?:docx?|pdf|rtf|txt|xlsx?|indd|dvi|tex|pmd|qxd|exe|html?)$",
    re.IGNORECASE,
)
# What is printed large on the first page of a norm beside its title.
_NO_TITLE = re.compile(
    r"(?:ГОСТ|СП|СНиП|СанПиН|ОСТ|РД|ТУ|ВСН)\b[\sРСП]*(?:[\d.]|$)|.*(?:СТАНДАРТ|СВОД ПРАВИЛ|НОРМЫ И ПРАВИЛА)"
    r"|издание|документ предоставлен|дата|содержание|оглавление|contents|предисловие|введение|abstract"
    r"|introduction",
    re.IGNORECASE,
)


def find_title(
    blocks: Sequence[Block], texts: Sequence[str], headings: set[int], style: Style, *, numbered: set[int]
) -> int | None:
    """Index of the heading that is the title: on the first page, in the largest type of all.

    Args:
        blocks: All blocks of a document.
        texts: The text of each.
        headings: Indices of the headings.
        style: The document's body style.
        numbered: Indices of the blocks that open a clause.
    """
    body = min(numbered, default=len(blocks))
    first = [
        i
        for i in sorted(headings)
        if blocks[i].lines[0].page == blocks[0].boxes[0].page and not _NO_TITLE.match(texts[i]) and i < body
    ]
    if not first:
        return None
    best = max(first, key=lambda i: (round(blocks[i].size), -i))
    size = blocks[best].size
    others = (i for i in headings if i not in first and not _NO_TITLE.match(texts[i]))
    alike = sum(blocks[i].size >= size - 0.5 for i in others)
    if size >= _LARGER * style.size and alike <= _MOST_ALIKE:
        return best
    return first[0] if first[0] == _first_text(blocks) and _is_alone(first[0], blocks, headings) else None


def _first_text(blocks: Sequence[Block]) -> int:
    """Index of the first block of text."""
    return next((i for i, block in enumerate(blocks) if block.lines), -1)


def _is_alone(title: int, blocks: Sequence[Block], headings: set[int]) -> bool:
    """Whether the heading that a document begins with is set like none of the others."""
    others = [blocks[i] for i in headings if i != title]
    size, bold = blocks[title].size, blocks[title].bold
    return len(others) > 1 and not any(abs(o.size - size) < _SAME and o.bold == bold for o in others)


def stated_title(stated: Any) -> str:
    """The title in a file's properties, or nothing where it is a program's or file's name."""
    title = clean_line(stated).removeprefix("Скачать ") if isinstance(stated, str) else ""
    return "" if _JUNK.search(title) or len(title) < 5 or "\ufffd" in title else title


def choose_title(items: Sequence[Item], stated: str) -> str:
    """The stated title if the document's beginning bears it out, else the printed one, else the stated.

    Args:
        items: Classified blocks.
        stated: Title in the file's properties.
    """
    words = {word.casefold() for word in _WORD.findall(stated)}
    begin = {word.casefold() for item in items[:_LOOK_AHEAD] for word in _WORD.findall(item.text)}
    if words and len(words & begin) >= _SHARE * len(words):
        return stated
    printed = next((item.text for item in items if item.kind is ElementKind.TITLE), "")
    return clean_line(printed) or stated
