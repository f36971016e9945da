"""What every format's extractor hands back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from extraction.builder import DocumentBuilder
from rubrica.model import NO_ATTRIBUTES, Attributes, Element


@dataclass(frozen=True, slots=True)
class Extracted:
    """Text and structure of one file.

    Attributes:
        text: The whole text.
        elements: In reading order, not overlapping; they hold every non-blank character of ``text``.
        title: The title that the file itself states; empty where it states none.
        attributes: What else the file states about itself.
        running: Lines at the edges of pages that were left out of the text, in order of pages.
    """

    text: str
    elements: tuple[Element, ...]
    title: str = ""
    attributes: Attributes = field(default_factory=dict)
    running: tuple[str, ...] = ()

    @classmethod
    def from_builder(
        cls,
        builder: DocumentBuilder,
        *,
        title: str = "",
        attributes: Attributes = NO_ATTRIBUTES,
        running: tuple[str, ...] = (),
    ) -> Self:
        """Take over what a builder has collected."""
        return cls(builder.text, builder.elements, title, attributes, running)
