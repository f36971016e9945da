"""What is set at a place in a Rich Text file; every group starts with a copy of what is set around it."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from enum import Enum, auto
from typing import Self


class Target(Enum):
    """Where text goes."""

    BODY = auto()
    LABEL = auto()
    TITLE = auto()
    FONTS = auto()
    STYLES = auto()
    NOWHERE = auto()  # but groups inside may hold text that counts
    SKIPPED = auto()  # with all that is inside
    FIRST_SKIPPED = auto()  # the first group inside is skipped, the others hold text that counts


@dataclass(slots=True)
class State:
    """Properties of text and of its paragraph.

    Attributes:
        target: Where text goes.
        skip: Characters that stand for a Unicode one, for readers that do not know it.
        font: Number of the font.
        bold: Whether bold.
        hidden: Whether hidden or deleted.
        size: Size in points.
        style: Number of the paragraph's style.
        level: Its outline level, 1 at the top; 0 for body text, ``None`` where it does not say.
        aligned: "c" for centred, "r" for right.
        depth: Depth of its list, from 1.
        table: How many tables it stands in, one inside the other.
        nested: Whether the properties of a table inside a cell are given here.
    """

    target: Target = Target.BODY
    skip: int = 1
    font: int | None = None
    bold: bool = False
    hidden: bool = False
    deleted: bool = False
    size: float = 12.0
    style: int | None = None
    level: int | None = None
    aligned: str = ""
    depth: int = 1
    table: int = 0
    nested: bool = False

    def copied(self) -> Self:
        """What a group inside starts with."""
        return copy.copy(self)

    def plain(self, font: int | None) -> None:
        """Take the character properties back."""
        self.font, self.bold, self.hidden, self.deleted, self.size = font, False, False, False, 12.0

    def plain_paragraph(self) -> None:
        """Take the paragraph properties back."""
        self.style, self.level, self.aligned, self.depth, self.table = None, None, "", 1, 0
