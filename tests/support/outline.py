"""Documents as short lists that a test can spell out."""

from __future__ import annotations

from rubrica.model import Document, ElementKind
from tests.support.invariants import element_text


def outline(document: Document) -> list[tuple[str, str]]:
    """Kind and text of each element; the level of headings and list items is part of the kind."""
    return [(f"{item.kind}{item.level or ''}", element_text(document, item)) for item in document.elements]


def texts(document: Document, kind: ElementKind) -> list[str]:
    """Texts of all elements of a kind."""
    return [element_text(document, item) for item in document.elements if item.kind is kind]
