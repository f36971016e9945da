"""Finds a document's title."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from extraction.clauses import find_clause
from extraction.pdf.items import Item
from extraction.pdf.paragraphs import Block, Style
from extraction.text import clean_line
from rubrica.model import ElementKind

_LARGER = 1.2
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
    r"(?:ГОСТ|СП|СНиП|СанПиН|ОСТ|РД|ТУ|ВСН)\b[\sРСП]*[\d.]|.*(?:СТАНДАРТ|СВОД ПРАВИЛ|НОРМЫ И ПРАВИЛА)|издание"
    r"|документ предоставлен|дата|содержание|оглавление|contents|предисловие|введение|abstract|introduction",
    re.IGNORECASE,
)


def find_title(blocks: Sequence[Block], texts: Sequence[str], headings: set[int], style: Style) -> int | None:
    """Index of the heading that is the title: on the first page, in the largest type of all.

    Args:
        blocks: All blocks of a document.
        texts: The text of each.
        headings: Indices of the headings.
        style: The document's body style.
    """
    first = [
        i
        for i in sorted(headings)
        if blocks[i].lines[0].page == blocks[0].boxes[0].page
        and not _NO_TITLE.match(texts[i])
        and find_clause(texts[i], heading=True) is None
    ]
    if not first:
        return None
    best = max(first, key=lambda i: (round(blocks[i].size), -i))
    largest = max(blocks[i].size for i in headings if not _NO_TITLE.match(texts[i]))
    size = blocks[best].size
    return best if size >= _LARGER * style.size and size >= largest - 0.5 else None


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
