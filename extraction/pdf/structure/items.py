"""Blocks with what they are."""

from __future__ import annotations

from dataclasses import dataclass

from extraction.pdf.text.paragraphs import Block
from rubrica.model import ElementKind


@dataclass(frozen=True, slots=True)
class Item:
    """A block and what it is.

    Attributes:
        block: The block.
        kind: What it is.
        text: Its text; for tables empty.
        level: Depth of a heading or list item.
        clause: Number of the clause that it opens; empty where it opens none.
        contents: Whether it is a line of a table of contents, whose number opens no clause.
    """

    block: Block
    kind: ElementKind
    text: str
    level: int | None = None
    clause: str = ""
    contents: bool = False
