"""XML: documents (DocBook, DITA, TEI, JATS, FictionBook) as text, other XML as code cut at its elements."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from typing import Any

from lxml import etree

from extraction.border import refuse_want_of_memory
from extraction.builder import DocumentBuilder
from extraction.data.indented import Piece, label
from extraction.data.xml_writer import XmlWriter
from extraction.encoding import decode
from extraction.lines import split_blocks
from extraction.references import mend_references
from extraction.result import Extracted
from extraction.text import clean, word_set
from rubrica.log import get_logger
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings

_log = get_logger(__name__)

_DOCUMENTS = word_set(
    "article book chapter section part appendix preface set refentry topic concept task reference dita"
    " glossentry troubleshooting FictionBook TEI TEI.2 document doc"
)
_NAMESPACE = re.compile(r"\sxmlns(?::[\w.-]+)?=\"[^\"]*\"")
_OPENING = re.compile(r"<[^<>]*>[^<]*")
_MARKUP = frozenset("&<%")
_LONGEST_ENTITY = 80  # characters; longer ones, and those that hold others, are shown by their names
_LONG = 40  # lines; a longer element is opened
_DEEPEST = 6
_MIXED_SHARE = 0.2  # of the text stands beside inline elements: a document by its content


def extract_xml(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read an XML file; those of HTML aside, entities are plain words or stay names; nothing is fetched."""
    text = clean(decode(content))
    root = _parsed(text)
    builder = DocumentBuilder()
    title = ""
    if root is not None and _is_document(root):
        _keep_elements_only(root)
        writer = XmlWriter(builder)
        writer.write(root)
        title = writer.title
    if not builder.elements:
        pieces = _as_blocks(text) if root is None else xml_pieces(root)
        for part, inside in pieces:
            builder.add(ElementKind.CODE, part, inside=inside)
    return Extracted.from_builder(builder, title=title)


def _parsed(text: str) -> Any | None:
    parser = etree.XMLParser(encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(mend_references(text).encode(), parser=parser)
    except etree.XMLSyntaxError as error:
        refuse_want_of_memory(error)
        _log.warning("XML is read as text", reason=str(error))
        return None


def _keep_elements_only(root: Any) -> None:
    """Take comments and instructions out of a tree, and put text in the place of entities."""
    dtd = root.getroottree().docinfo.internalDTD
    entities = () if dtd is None else dtd.iterentities()
    declared = {entity.name: entity.content for entity in entities if entity.content is not None}
    for node in root.iter(etree.Entity):
        value = declared.get(node.name, "&")
        plain = len(value) <= _LONGEST_ENTITY and _MARKUP.isdisjoint(value)
        node.tail = (value if plain else html.unescape(node.text)) + (node.tail or "")
    for kind in (etree.Comment, etree.ProcessingInstruction, etree.Entity):
        etree.strip_elements(root, kind, with_tail=False)


def _is_document(root: Any) -> bool:
    texts = [node for node in root.iter("*") if (node.text or "").strip()]
    total = sum(len(node.text) for node in texts)
    mixed = sum(
        len(node.text) for node in texts if len(node) and any((child.tail or "").strip() for child in node)
    )
    if etree.QName(root).localname in _DOCUMENTS and total:
        return mixed > 0 or any(True for _ in root.iter("{*}para", "{*}p", "{*}title"))
    return total > 0 and mixed > _MIXED_SHARE * total


def _as_blocks(text: str) -> Iterator[Piece]:
    return (("\n".join(block), ()) for block in split_blocks(text))


def xml_pieces(root: Any) -> Iterator[Piece]:
    """Markup cut at its elements, each piece with the names of the elements that it is in."""
    etree.indent(root)
    yield from _pieces([root], ())


def _pieces(nodes: Iterable[Any], path: tuple[str, ...]) -> Iterator[Piece]:
    group: list[str] = []
    size = 0
    for node in nodes:
        text = _markup(node)
        lines = text.count("\n") + 1
        if group and size + lines > _LONG:
            yield "\n".join(group), path
            group, size = [], 0
        if lines > _LONG and len(node) and len(path) < _DEEPEST:
            opening = _OPENING.match(text)
            if opening:
                yield opening[0], path
            yield from _pieces(node, (*path, label(text.partition("\n")[0])))
        else:
            group.append(text)
            size += lines
    if group:
        yield "\n".join(group), path


def _markup(node: Any) -> str:
    return _NAMESPACE.sub("", str(etree.tostring(node, encoding="unicode", with_tail=False)))
