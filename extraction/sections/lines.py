"""What a language model is shown of a document."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_HEADING = 250
"""Characters of the longest line that may be a heading."""


@dataclass(frozen=True, slots=True)
class SectionLine:
    """A line (or a paragraph's lines, joined) with the features that tell headings from text.

    Attributes:
        number: Its number in the document, from 0, counting every line.
        text: Its text.
        size: Font height, 1 being that of the body; 1 where it is not known.
        x: Left edge, as a share of the page's width; 0 where it is not known.
        bold: Whether all of it is bold.
        page: Page, from 1; 0 where there are none.
        space: Space above it in lines of text; 0 where it is not known.
        heading: Whether the rules take it for a heading.
    """

    number: int
    text: str
    size: float = 1.0
    x: float = 0.0
    bold: bool = False
    page: int = 0
    space: float = 0.0
    heading: bool = False

    @property
    def may_head(self) -> bool:
        """Whether it is short enough for a heading."""
        return len(self.text) <= LONGEST_HEADING
