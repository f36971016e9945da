"""HTML pages and fragments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lxml import etree, html

from extraction.border import reading
from extraction.builder import DocumentBuilder
from extraction.encoding import decode
from extraction.html_tables import is_layout, read_table
from extraction.html_visibility import Visibility, flat_text
from extraction.result import Extracted
from extraction.text import word_set
from rubrica.errors import CorruptDocumentError
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings

_HEADING = re.compile(r"h([1-6])")
_BLOCKS = word_set(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption"
    " figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup p pre"
    " section summary table tbody td tfoot th thead title tr ul"
)
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_FOLD = re.compile(r"[^\S\u00a0]+")
_PARAGRAPHS = re.compile(r"\n[^\S\n]*\n\s*")
_TYPED_NUMBER = re.compile(r"\s*[\w]{1,5}[.)]")


def extract_html(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read a page: its visible text without navigation, headers and footers of the site.

    Raises:
        CorruptDocumentError: The markup cannot be parsed.
    """
    text = decode(content)
    root = parse_html(text)
    if root is None:
        return Extracted("", ())
    title = root.findtext(".//title") or ""
    builder = DocumentBuilder()
    _Writer(builder, Visibility.of_page(root)).write(root)
    if not builder.elements:  # all of it is in what is taken for navigation
        _Writer(builder, Visibility.everything()).write(root)
    return Extracted.from_builder(builder, title=" ".join(title.split()))


def append_html(builder: DocumentBuilder, text: str) -> None:
    """Append the elements of a fragment."""
    root = parse_html(text)
    if root is not None:
        _Writer(builder, Visibility.of_fragment()).write(root)


def parse_html(text: str) -> Any | None:
    """The parsed tree, or ``None`` where there is nothing but blanks and closing tags."""
    if not text.strip():
        return None
    parser = html.HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, no_network=True
    )
    root = None
    with reading("HTML", etree.LxmlError), suppress(etree.ParserError):  # "Document is empty"
        root = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser, ensure_head_body=True)
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        raise CorruptDocumentError(  # the parser drops the rest without an error of its own
            "The HTML file is nested too deeply.", hint="Look for tags that are opened and never closed."
        )
    return root


@dataclass(slots=True)
class _Context:
    """What the text that is being read will become."""

    tag: str
    kind: ElementKind = ElementKind.PARAGRAPH
    level: int | None = None
    marker: str = ""
    next_number: int = 1


class _Writer:
    """Walks a tree without recursion and hands each block of text to the builder."""

    def __init__(self, builder: DocumentBuilder, visibility: Visibility) -> None:
        self._builder = builder
        self._visibility = visibility
        self._buffer: list[str] = []
        self._contexts = [_Context("")]

    def write(self, root: Any) -> None:
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, node in walk:
            if event == "start":
                if self._start(node):
                    walk.skip_subtree()
            else:
                self._end(node, root)
        self._flush()

    def _start(self, node: Any) -> bool:
        """Begin an element; returns whether its inside is done with."""
        if self._visibility.hides(node):
            return True
        tag = node.tag
        if tag in _BLOCKS:
            self._flush()
        if tag == "table" and not is_layout(node):
            self._table(node)
            return True
        self._open(node)
        if tag == "br":
            self._buffer.append("\n")
        self._text(node.text)
        return False

    def _end(self, node: Any, root: Any) -> None:
        if self._contexts[-1].tag == node.tag and self._visibility.shows(node):
            self._flush()
            self._contexts.pop()
        elif node.tag in _BLOCKS:
            self._flush()
        if node is not root:
            self._text(node.tail)

    def _open(self, node: Any) -> None:
        tag = node.tag
        if heading := _HEADING.fullmatch(tag):
            self._contexts.append(_Context(tag, ElementKind.HEADING, int(heading[1])))
        elif tag in _LISTS:
            self._contexts.append(_Context(tag, next_number=_number(node.get("start"), 1)))
        elif tag == "li":
            self._contexts.append(self._item(node))
        elif tag == "pre":
            self._contexts.append(_Context(tag, ElementKind.CODE))
        elif tag in ("figcaption", "caption"):
            self._contexts.append(_Context(tag, ElementKind.CAPTION))

    def _item(self, node: Any) -> _Context:
        level = sum(context.tag in _LISTS for context in self._contexts)
        marker = ""
        parent = self._contexts[-1]
        if parent.tag == "ol":
            number = _number(node.get("value"), parent.next_number)
            parent.next_number = number + 1
            marker = f"{number}. "
        return _Context("li", ElementKind.LIST_ITEM, max(level, 1), marker)

    def _text(self, text: str | None) -> None:
        if text:
            code = self._contexts[-1].kind is ElementKind.CODE
            self._buffer.append(text if code else _FOLD.sub(" ", text))

    def _flush(self) -> None:
        text = "".join(self._buffer)
        self._buffer.clear()
        if not text.strip():
            return
        context = self._contexts[-1]
        if context.kind is ElementKind.PARAGRAPH:
            for part in _PARAGRAPHS.split(text):
                self._builder.add(ElementKind.PARAGRAPH, part)
            return
        if context.marker and not _TYPED_NUMBER.match(text):
            text = context.marker + text.lstrip()
        self._builder.add(context.kind, text, level=context.level)
        if context.kind is ElementKind.LIST_ITEM:
            context.kind, context.marker = ElementKind.PARAGRAPH, ""

    def _table(self, node: Any) -> None:
        for caption in _captions(node):
            self._builder.add(ElementKind.CAPTION, flat_text(caption, self._visibility))
        rows, header_rows = read_table(node, self._visibility)
        self._builder.add_table(rows, header_rows=header_rows)


def _captions(table: Any) -> Iterator[Any]:
    return (child for child in table if child.tag == "caption")


def _number(text: str | None, default: int) -> int:
    return int(text) if text and re.fullmatch(r"\d{1,9}", text) else default
