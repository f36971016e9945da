"""Markup to a tree, whatever state it is in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from lxml import etree, html

from extraction.border import reading, refuse_want_of_memory
from extraction.references import mend_references
from extraction.text import word_set

BLOCKS = word_set(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption"
    " figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup p pre"
    " section summary table tbody td tfoot th thead title tr ul"
)
_VOID = word_set("area base br col embed hr img input link meta param source track wbr")
_EMPTY_AS_XML = re.compile(r"<(title|script|style|textarea|iframe|noscript)\b([^<>]*)/>", re.IGNORECASE)
_IS_XHTML = re.compile(
    r"\s*<\?xml\b|[^<]*<!doctype[^>]{0,200}xhtml|[^<]*<html[^>]{0,500}xmlns\s*=", re.IGNORECASE
)
_PROLOGUE = re.compile(r"^\s*<\?xml.*?\?>", re.DOTALL)
_DOCTYPE = re.compile(r"<!doctype\b[^>\[]*(?:\[[^\]]*\]\s*)?>", re.IGNORECASE)
_EPUB_TYPE = "{http://www.idpf.org/2007/ops}type"
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9:-]{0,30})[^<>]*>")
_MAX_DEPTH = 200  # to which markup is flattened that is nested deeper than libxml2 goes


def parse_html(text: str) -> Any | None:
    """The parsed tree, or ``None`` where there is nothing but blanks and closing tags.

    XHTML is read as XML if it is well-formed, since only there ``<title/>`` is an empty element. Markup
    that is nested deeper than the parser goes (2,048 levels) loses the tags beyond 200, not the text.
    """
    if not text.strip():
        return None
    if _IS_XHTML.match(text[:2000]):
        root = _parse_xhtml(text)
        if root is not None:
            return root
    text = _DOCTYPE.sub("", text, count=1)
    text = _EMPTY_AS_XML.sub(r"<\1\2></\1>", text)
    root, complete = _parse(text)
    return root if complete else _parse(_flattened(text))[0]


def text_of(node: Any) -> str:
    """All text inside an element, whether shown or not."""
    return "".join(node.itertext())


def _parse(text: str) -> tuple[Any | None, bool]:
    parser = html.HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, no_network=True
    )
    root = None
    with reading("HTML", etree.LxmlError), suppress(etree.ParserError):  # "Document is empty"
        root = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser, ensure_head_body=True)
    # The parser drops what is nested too deeply without an error of its own.
    return root, not any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log)


def _parse_xhtml(text: str) -> Any | None:
    text = _DOCTYPE.sub("", _PROLOGUE.sub("", text, count=1), count=1)
    text = mend_references(text, strays=False)
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        huge_tree=True,
    )
    try:
        root = etree.fromstring(text.strip().encode("utf-8", "replace"), parser)
    except (etree.LxmlError, ValueError) as error:
        refuse_want_of_memory(error)
        return None  # then it is read as the browser reads it
    for node in root.iter(etree.Element):
        node.tag = etree.QName(node).localname.lower()
        kind = node.get(_EPUB_TYPE)
        if kind:
            # ARIA took its roles for books over from EPUB.
            node.set("role", " ".join([node.get("role", ""), *(f"doc-{name}" for name in kind.split())]))
    return root if root.tag == "html" else None


def _flattened(text: str) -> str:
    """Markup without the tags below a depth; the blocks among them leave a line break."""
    return "".join(_shallow_parts(text))


def _shallow_parts(text: str) -> Iterator[str]:
    open_tags: list[str] = []
    counts: Counter[str] = Counter()
    position = 0
    for match in _TAG.finditer(text):
        yield text[position : match.start()]
        position = match.end()
        tag = match[2].lower()
        depth = len(open_tags)
        if tag in _VOID:
            yield match[0]
            continue
        if not match[1]:
            open_tags.append(tag)
            counts[tag] += 1
        elif counts[tag]:
            while open_tags:
                depth = len(open_tags) - 1
                closed = open_tags.pop()
                counts[closed] -= 1
                if closed == tag:
                    break
        if depth < _MAX_DEPTH:
            yield match[0]
        elif tag in BLOCKS:
            yield "<br><br>"
    yield text[position:]
