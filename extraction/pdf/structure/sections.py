"""Headings of a PDF by a language model, from the lines and how they are set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from extraction.pdf.layout import PageLayout
from extraction.pdf.openings import is_list_item
from extraction.pdf.structure.items import Item
from extraction.pdf.text.paragraphs import Style
from extraction.sections.detect import detect_sections
from extraction.sections.lines import SectionLine
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings

_MOST_SPACE = 9.9
_CANDIDATES = frozenset({ElementKind.HEADING, ElementKind.PARAGRAPH, ElementKind.LIST_ITEM})


def with_sections(
    items: Sequence[Item], style: Style, pages: Sequence[PageLayout], settings: ExtractionSettings, path: str
) -> tuple[list[Item], Mapping[str, str]]:
    """The items with headings as the language model finds them, and attributes that say so.

    Titles, tables, captions, footnotes and tables of contents stay what the rules say.

    Args:
        items: Blocks as the rules classify them.
        style: The document's body style.
        pages: All pages.
        settings: Which model.
        path: Path of the document, for the log.
    """
    widths = {page.number: page.width for page in pages}
    lines = [_line(i, item, style, widths) for i, item in enumerate(items) if _may_head(item)]
    sections = detect_sections(lines, settings, path)
    if sections.levels is None:
        return list(items), sections.attributes
    asked = {line.number for line in lines}
    levels = sections.levels
    return [
        _decided(item, levels.get(i)) if i in asked else item for i, item in enumerate(items)
    ], sections.attributes


def _may_head(item: Item) -> bool:
    return (
        item.kind in _CANDIDATES and not item.contents and bool(item.block.lines) and bool(item.text.strip())
    )


def _line(number: int, item: Item, style: Style, widths: Mapping[int, float]) -> SectionLine:
    first = item.block.lines[0]
    return SectionLine(
        number=number,
        text=item.text,
        size=item.block.size / (style.size or 1.0),
        x=max(0.0, first.x0 / (widths.get(first.page) or 1.0)),
        bold=item.block.bold,
        page=first.page,
        space=min(item.block.space_above / (style.pitch or 1.0), _MOST_SPACE),
        heading=item.kind is ElementKind.HEADING,
    )


def _decided(item: Item, level: int | None) -> Item:
    if level is not None:
        return replace(item, kind=ElementKind.HEADING, level=level)
    if item.kind is not ElementKind.HEADING:
        return item
    if is_list_item(item.text):
        return replace(item, kind=ElementKind.LIST_ITEM, level=1)
    return replace(item, kind=ElementKind.PARAGRAPH, level=None)
