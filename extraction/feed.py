"""RSS and Atom feeds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree

from extraction.border import reading
from extraction.builder import DocumentBuilder
from extraction.encoding import decode
from extraction.html import append_html
from extraction.references import mend_references
from extraction.result import Extracted
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings

_ITEMS = frozenset({"item", "entry"})
_BODIES = ("encoded", "content", "description", "summary")


def extract_feed(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read a feed: its title, then each entry's title and text.

    Raises:
        CorruptDocumentError: It is not XML.
    """
    source = mend_references(decode(content).strip()).encode("utf-8", "replace")
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, recover=True
    )
    with reading("XML", etree.LxmlError, ValueError):
        root = etree.fromstring(source, parser)
    builder = DocumentBuilder()
    if root is None:
        return Extracted("", ())
    channel = next(_named(root, "channel"), root)
    title = _child_text(channel, ("title",))
    builder.add(ElementKind.HEADING, title, level=1)
    append_html(builder, _child_text(channel, ("description", "subtitle")))
    for item in _named(root, *_ITEMS):
        builder.add(ElementKind.HEADING, _child_text(item, ("title",)), level=2)
        append_html(builder, _child_text(item, _BODIES))
    return Extracted.from_builder(builder, title=title)


def _named(root: Any, *names: str) -> Iterator[Any]:
    return (node for node in root.iter() if _local(node) in names)


def _local(node: Any) -> str:
    return etree.QName(node).localname if isinstance(node.tag, str) else ""


def _child_text(node: Any, names: tuple[str, ...]) -> str:
    children = {_local(child): child for child in reversed(node)}
    found = next((children[name] for name in names if name in children), None)
    return "" if found is None else "".join(found.itertext())
