"""A PDF's blocks while they are being told apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from extraction.pdf.structure.contents import is_contents_heading
from extraction.pdf.text.paragraphs import Block, Style

_KEYWORD = re.compile(
    r"(?:введение|предисловие|содержание|оглавление|заключение|выводы|библиография|литература|аннотация|реферат"
    r"|список (?:использованн\w+ |цитируем\w+ )?(?:литературы|источников)|термины и определения"
    r"|нормативные ссылки|introduction|foreword|preface|abstract|(?:table of )?contents"
    r"|references|bibliography|acknowledge?ments?|conclusions?|summary|appendix)[.:]?",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Draft:
    """A document while its blocks are being told apart.

    Attributes:
        blocks: Its blocks.
        texts: The text of each.
        style: Its body style.
        page_styles: The body style of the pages that are set larger.
        contents: Indices of the lines of tables of contents.
        clauses: Numbers of the clauses that blocks open, by index.
        headings: Indices of the headings.
        title: Index of the title.
    """

    blocks: Sequence[Block]
    texts: Sequence[str]
    style: Style
    page_styles: dict[int, Style]
    contents: set[int] = field(default_factory=set)
    clauses: dict[int, str] = field(default_factory=dict)
    headings: set[int] = field(default_factory=set)
    title: int | None = None

    def style_of(self, i: int) -> Style:
        """The body style of the page that a block begins on."""
        return self.page_styles.get(self.blocks[i].boxes[0].page, self.style)


def is_keyword(text: str) -> bool:
    """Whether the words alone make a main heading: «Введение», "References"."""
    return _KEYWORD.fullmatch(text) is not None or is_contents_heading(text)
