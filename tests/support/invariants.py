"""The promises of ``rubrica.model`` about documents and their elements, checked on a whole document."""

from __future__ import annotations

import json
import unicodedata
from itertools import pairwise

from rubrica.codec import document_from_json, document_to_json
from rubrica.model import Document, Element, ElementKind

_LEVELLED = {ElementKind.HEADING, ElementKind.LIST_ITEM}
_KEPT_CONTROLS = {"\n", "\t"}


def check_document(document: Document) -> None:
    """Fail with a message that names the first promise that a document breaks."""
    _check_text(document.text)
    _check_cover(document)
    for element in document.elements:
        _check_element(document, element)
    _check_heading_paths(document)
    assert document.title.strip(), "no title"
    assert document.language in {"ru", "en", "und"}
    assert "/" in document.media_type
    assert document_from_json(document_to_json(document)) == document, "JSON changes the document"
    json.dumps(dict(document.attributes), allow_nan=False)


def element_text(document: Document, element: Element) -> str:
    """The text that an element covers."""
    return document.text[element.start : element.end]


def _check_text(text: str) -> None:
    assert unicodedata.is_normalized("NFC", text), "text is not NFC"
    text.encode("utf-8")  # no lone surrogates
    strange = {char for char in text if unicodedata.category(char) == "Cc"} - _KEPT_CONTROLS
    assert not strange, f"control characters {strange!r}"
    assert "\u00ad" not in text, "soft hyphen"
    assert "\ufeff" not in text, "byte order mark"


def _check_cover(document: Document) -> None:
    text, elements = document.text, document.elements
    assert elements, "no elements"
    for before, after in pairwise(elements):
        assert before.end <= after.start, f"elements overlap or are out of order at {after.start}"
    edges = [0, *(edge for item in elements for edge in (item.start, item.end)), len(text)]
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        assert not text[start:end].strip(), f"text outside of elements: {text[start:end]!r}"


def _check_element(document: Document, element: Element) -> None:
    text = element_text(document, element)
    assert 0 <= element.start < element.end <= len(document.text)
    assert text == text.strip("\n"), f"line breaks around {text!r}"
    assert text.strip(), "blank element"
    if element.kind in _LEVELLED:
        assert element.level is not None, f"{element.kind} without a level"
        assert element.level >= 1
    else:
        assert element.level is None, f"{element.kind} with a level"
    if element.kind in {ElementKind.HEADING, ElementKind.TITLE}:
        assert "\n" not in text, f"a heading of two lines: {text!r}"
    if element.kind is ElementKind.TABLE:
        _check_table(text, element)
    else:
        assert element.rows == ()
        assert element.header_rows == 0
    if element.page_from is not None or element.page_to is not None:
        assert element.page_from is not None
        assert element.page_to is not None
        assert 1 <= element.page_from <= element.page_to


def _check_table(text: str, element: Element) -> None:
    assert element.rows, "a table without rows"
    assert text.split("\n") == [" | ".join(row) for row in element.rows], "text and rows differ"
    assert len({len(row) for row in element.rows}) == 1, "rows of different length"
    assert 0 <= element.header_rows <= len(element.rows)
    assert not any("\n" in cell for row in element.rows for cell in row)


def _check_heading_paths(document: Document) -> None:
    open_headings: list[tuple[int, str]] = []
    for element in document.elements:
        if element.kind is ElementKind.HEADING:
            level = element.level or 1
            open_headings = [item for item in open_headings if item[0] < level]
        expected = tuple(text for _, text in open_headings)
        # Below the headings, code has the signatures of the definitions that it is in.
        depth = len(expected) if element.kind is ElementKind.CODE else None
        stated = element.heading_path[:depth]
        assert stated == expected, f"heading path {element.heading_path} is not {expected}"
        if element.kind is ElementKind.HEADING:
            open_headings.append((element.level or 1, element_text(document, element)))
