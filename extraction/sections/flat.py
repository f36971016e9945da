"""Headings for documents whose format marks none: plain text, DOCX without heading styles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from extraction.clauses import find_clause
from extraction.result import Extracted
from extraction.sections.detect import detect_sections
from extraction.sections.lines import SectionLine
from rubrica.model import Element, ElementKind
from rubrica.settings import ExtractionSettings

_FEWEST = 10
_CANDIDATES = frozenset({ElementKind.PARAGRAPH, ElementKind.LIST_ITEM})


def with_sections(extracted: Extracted, settings: ExtractionSettings, path: str) -> Extracted:
    """The same text, with the headings that the language model finds.

    A document that has headings, or hardly any text, stays as it is.

    Args:
        extracted: What an extractor handed back.
        settings: Which model.
        path: Path of the document, for the log.
    """
    elements = extracted.elements
    if len(elements) < _FEWEST or any(item.kind is ElementKind.HEADING for item in elements):
        return extracted
    lines = [
        SectionLine(i, extracted.text[item.start : item.end], page=item.page_from or 0)
        for i, item in enumerate(elements)
        if _may_head(item, extracted.text)
    ]
    sections = detect_sections(lines, settings, path)
    if sections.levels is not None:
        elements = tuple(_headed(extracted, sections.levels))
    return replace(extracted, elements=elements, attributes={**extracted.attributes, **sections.attributes})


def _may_head(element: Element, text: str) -> bool:
    return element.kind in _CANDIDATES and "\n" not in text[element.start : element.end]


def _headed(extracted: Extracted, levels: Mapping[int, int]) -> Iterator[Element]:
    above: list[tuple[int, str]] = []
    for i, element in enumerate(extracted.elements):
        text = extracted.text[element.start : element.end]
        level = levels.get(i)
        if level is None:
            yield replace(element, heading_path=tuple(name for _, name in above))
            continue
        above = [entry for entry in above if entry[0] < level]
        yield replace(
            element,
            kind=ElementKind.HEADING,
            level=level,
            heading_path=tuple(name for _, name in above),
            clause=find_clause(text, heading=True),
        )
        above.append((level, text))
