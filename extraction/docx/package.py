"""The parts of a Word file.

python-docx refuses templates, macro documents, strict files and any file with one dangling reference,
and its paragraphs leave out tracked insertions and automatic numbers. So the parts are read here and
their XML walked with lxml.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import Any

from lxml import etree

from extraction.archive import Archive
from extraction.border import reading
from rubrica.errors import CorruptDocumentError
from rubrica.settings import ExtractionSettings

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"
COMPATIBILITY = "http://schemas.openxmlformats.org/markup-compatibility/2006"
# ISO 29500 strict has namespaces of its own for the same vocabulary.
_STRICT = (
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", WORD.encode()),
    (b"http://purl.oclc.org/ooxml/officeDocument/math", MATH.encode()),
)
_DECLARED_ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)


def w(name: str) -> str:
    """A name of the main vocabulary, as lxml writes it."""
    return f"{{{WORD}}}{name}"


def attribute(node: Any, name: str) -> str | None:
    """An attribute of the main vocabulary."""
    value: str | None = node.get(w(name))
    return value


def child_value(node: Any, path: str) -> str | None:
    """``w:val`` of the descendant at ``path`` ("" if it has none), ``None`` where there is no such one."""
    found = node.find("/".join(w(name) for name in path.split("/"))) if node is not None else None
    return None if found is None else found.get(w("val"), "")


def is_on(node: Any, path: str) -> bool:
    """Whether a toggle such as ``w:vanish`` is set."""
    value = child_value(node, path)
    return value is not None and value not in ("0", "false", "off", "none")


@dataclass(frozen=True, slots=True)
class Parts:
    """Roots of the parts that hold text or shape it; ``None`` where the file has no such part."""

    document: Any
    styles: Any | None
    numbering: Any | None
    footnotes: Any | None
    endnotes: Any | None
    core: Any | None


def open_parts(content: bytes, settings: ExtractionSettings) -> Parts:
    """Read the parts of a file.

    Raises:
        CorruptDocumentError: The archive or its XML is damaged, or no document is in it.
        LimitExceededError: It unpacks to more than the limit.
    """
    archive = Archive(content, settings)
    package = _relations(archive, "_rels/.rels", "")
    main = package.get("officeDocument", "word/document.xml")
    document = _xml(archive, main)
    if document is None:
        raise CorruptDocumentError(
            "The Word file has no document part.", hint="Open the file in Word and save it again."
        )
    folder, name = posixpath.split(main)
    related = _relations(archive, f"{folder}/_rels/{name}.rels", folder)

    def part(kind: str) -> Any | None:
        return _xml(archive, related.get(kind, posixpath.join(folder, f"{kind}.xml")))

    return Parts(
        document=document,
        styles=part("styles"),
        numbering=part("numbering"),
        footnotes=part("footnotes"),
        endnotes=part("endnotes"),
        core=_xml(archive, package.get("core-properties", "docProps/core.xml")),
    )


def _relations(archive: Archive, name: str, folder: str) -> dict[str, str]:
    """Targets inside the archive by the last word of their relationship's type."""
    root = _xml(archive, name)
    if root is None:
        return {}
    return {
        node.get("Type", "").rpartition("/")[2]: posixpath.normpath(
            posixpath.join("/" + folder, node.get("Target", ""))
        ).lstrip("/")
        for node in reversed(root)
        if isinstance(node.tag, str) and node.get("TargetMode") != "External"
    }


def _xml(archive: Archive, name: str) -> Any | None:
    content = archive.read(name)
    if content is None or not content.strip():
        return None
    if _DECLARED_ENTITY.search(content[:4096]):
        raise CorruptDocumentError(
            "The Word file declares XML entities, which no honest one does.", hint="Do not open it."
        )
    for strict, transitional in _STRICT:
        content = content.replace(strict, transitional)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    with reading("Word", etree.LxmlError, ValueError):
        return etree.fromstring(content, parser)
