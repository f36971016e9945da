"""From markup to the elements of a document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from extraction.builder import DocumentBuilder
from extraction.encoding import decode
from extraction.html.blocks import Block, BlockReader
from extraction.html.candidates import raised_clause
from extraction.html.content import content_roots
from extraction.html.headings import with_headings
from extraction.html.metadata import page_attributes, page_title
from extraction.html.prose import paragraphs
from extraction.html.styles import Styles
from extraction.html.tree import parse_html
from extraction.html.visibility import Visibility
from extraction.result import Extracted
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings


def extract_html(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read a page: its visible text without navigation, headers and footers of the site.

    Raises:
        CorruptDocumentError: The markup cannot be parsed.
    """
    return read_page(decode(content))


def read_page(text: str) -> Extracted:
    """Read a page that is decoded already.

    Raises:
        CorruptDocumentError: The markup cannot be parsed.
    """
    root = parse_html(text)
    if root is None:
        return Extracted("", ())
    # Where nothing else is there, what is taken for navigation is the text.
    blocks = page_blocks(root) or page_blocks(root, everything=True)
    builder = DocumentBuilder()
    write_blocks(builder, with_headings(blocks))
    attributes = page_attributes(root)
    title = page_title(root, attributes.get("site", ""))
    return Extracted.from_builder(builder, title=title, attributes=attributes)


def page_blocks(root: Any, sheets: Iterable[str] = (), *, everything: bool = False) -> list[Block]:
    """The blocks of a page, before its headings are looked for.

    Args:
        root: The page.
        sheets: Style sheets that it links to.
        everything: Read navigation and hidden text too.
    """
    if everything:
        return _read([root], Visibility.everything())
    visibility = Visibility.of_page(root, Styles.of_page(root, sheets))
    return _read(content_roots(root, visibility), visibility)


def append_html(builder: DocumentBuilder, text: str) -> None:
    """Append the elements of a fragment."""
    root = parse_html(text)
    if root is not None:
        write_blocks(builder, _read([root], Visibility.of_fragment()))


def _read(roots: Iterable[Any], visibility: Visibility) -> list[Block]:
    return [
        part for root in roots for block in BlockReader(visibility).read(root) for part in paragraphs(block)
    ]


def write_blocks(builder: DocumentBuilder, blocks: Iterable[Block]) -> None:
    """Hand blocks to a builder."""
    for block in blocks:
        if block.kind is ElementKind.TABLE:
            builder.add_table(block.rows, header_rows=block.header_rows)
        else:
            builder.add(block.kind, block.text, level=block.level, clause=raised_clause(block.text))
