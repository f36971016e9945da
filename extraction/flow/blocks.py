"""The neutral form that DOCX, OpenDocument and RTF are brought into before they become elements."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Role(Enum):
    """What a paragraph is by its style; ``BODY`` where its style does not tell."""

    BODY = auto()
    HEADING = auto()
    TITLE = auto()
    CAPTION = auto()
    CONTENTS = auto()
    CODE = auto()
    FORMULA = auto()


@dataclass(frozen=True, slots=True)
class Look:
    """How a paragraph is set.

    Attributes:
        bold: Whether all of its words are bold.
        centred: Whether it stands in the middle of the line.
        right: Whether it stands at the right margin.
        size: Size of its type in points; ``None`` where unknown.
    """

    bold: bool = False
    centred: bool = False
    right: bool = False
    size: float | None = None


PLAIN = Look()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of running text.

    Attributes:
        text: Its text; soft line breaks are newlines.
        role: What its style says that it is.
        level: Level of a heading, 1 at the top.
        label: Its automatic number, "" for a bullet, ``None`` where it takes part in no list.
        tight: Whether the number touches the text.
        depth: Depth in its list, from 1.
        style: Name of its style.
        look: How it is set.
        page: Page or slide that it stands on, from 1.
    """

    text: str
    role: Role = Role.BODY
    level: int | None = None
    label: str | None = None
    tight: bool = False
    depth: int = 1
    style: str = ""
    look: Look = PLAIN
    page: int | None = None

    @property
    def numbered(self) -> str:
        """The text behind its automatic number, its hyphens breaking or not."""
        text = self.text.replace("\N{NON-BREAKING HYPHEN}", "-")
        if not self.label:
            return text
        return self.label + text if self.tight else f"{self.label} {text.lstrip()}"


@dataclass(frozen=True, slots=True)
class Table:
    """A table, its spans resolved.

    Attributes:
        rows: Texts of its cells, row by row.
        header_rows: How many leading rows are marked as header; ``None`` where nothing is marked.
        page: Page or slide that it stands on, from 1.
    """

    rows: list[list[str]]
    header_rows: int | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote or endnote, placed after the block that refers to it."""

    text: str
    page: int | None = None


Block = Paragraph | Table | Note
