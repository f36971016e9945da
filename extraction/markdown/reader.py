"""A Markdown file in, text and elements out."""

from __future__ import annotations

from extraction.border import reading
from extraction.builder import DocumentBuilder
from extraction.encoding import decode
from extraction.frontmatter import FrontMatter, prose, split_front_matter
from extraction.html import append_html
from extraction.markdown.writer import MarkdownWriter
from extraction.result import Extracted
from extraction.text import clean
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings

_MDX = (".mdx",)


def extract_markdown(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read a Markdown or MDX file; front matter becomes attributes.

    Raises:
        CorruptDocumentError: The markup is nested deeper than can be read.
    """
    with reading("Markdown", ValueError):
        front = split_front_matter(clean(decode(content)))
        builder = DocumentBuilder()
        builder.add(ElementKind.CODE, front.unread)
        MarkdownWriter(builder, mdx=path.lower().endswith(_MDX)).write(front.body)
        if not builder.elements:
            _write_start_page(builder, front)
    title = front.attributes.get("title", "")
    return Extracted.from_builder(
        builder, title=title if isinstance(title, str) else "", attributes=front.attributes
    )


def append_markdown(builder: DocumentBuilder, text: str) -> None:
    """Append the elements of Markdown that stands in another document.

    Raises:
        CorruptDocumentError: The markup is nested deeper than can be read.
    """
    with reading("Markdown", ValueError):
        MarkdownWriter(builder).write(clean(text))


def _write_start_page(builder: DocumentBuilder, front: FrontMatter) -> None:
    """Write the texts in the metadata: all that start pages of documentation sites hold."""
    for text in prose(front.attributes):
        append_html(builder, text)
