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

from extraction.archive import Archive
from extraction.flow.xml import parse_xml
from rubrica.errors import CorruptDocumentError
from rubrica.log import get_logger
from rubrica.settings import ExtractionSettings

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"
COMPATIBILITY = "http://schemas.openxmlformats.org/markup-compatibility/2006"
# ISO 29500 strict has namespaces of its own for the same vocabulary.
_STRICT = (
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", WORD.encode()),
    (b"http://purl.oclc.org/ooxml/officeDocument/math", MATH.encode()),
)
_USUAL = "word/document.xml"
_MAIN_TYPE = re.compile(r"wordprocessingml\.(?:document|template)\.main|ms-word\.\w+\.macroEnabled\w*\.main")
_log = get_logger(__name__)


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
    """Roots of the parts that hold text or shape it; ``None`` where the file has no such part.

    Attributes:
        damaged: Names of the parts that could not be read; the document is read without them.
    """

    document: Any
    styles: Any | None
    numbering: Any | None
    footnotes: Any | None
    endnotes: Any | None
    core: Any | None
    damaged: tuple[str, ...] = ()


def open_parts(content: bytes, settings: ExtractionSettings) -> Parts:
    """Read the parts of a file.

    Raises:
        CorruptDocumentError: The archive or its document part is damaged, or no document is in it.
        LimitExceededError: It unpacks to more than the limit.
    """
    package = _Package(Archive(content, settings))
    main = package.main_part()
    document = package.required(main)
    folder, name = posixpath.split(main)
    related = package.relations(f"{folder}/_rels/{name}.rels".lstrip("/"), folder)

    def part(kind: str) -> Any | None:
        return package.optional(related.get(kind, posixpath.join(folder, f"{kind}.xml")))

    return Parts(
        document=document,
        styles=part("styles"),
        numbering=part("numbering"),
        footnotes=part("footnotes"),
        endnotes=part("endnotes"),
        core=package.optional(package.root.get("core-properties", "docProps/core.xml")),
        damaged=tuple(package.damaged),
    )


class _Package:
    """The parts of an archive; damage to one that can be done without is noted, not raised."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self.damaged: list[str] = []
        self.root = self.relations("_rels/.rels", "")

    def main_part(self) -> str:
        """Name of the document part: as the package states it, where it usually is, or by content type."""
        stated = self.root.get("officeDocument", _USUAL)
        for name in (stated, _USUAL):
            if name in self._archive:
                return name
        types = self.optional("[Content_Types].xml")
        for node in () if types is None else types:
            if isinstance(node.tag, str) and _MAIN_TYPE.search(node.get("ContentType", "")):
                return str(node.get("PartName", "")).lstrip("/")
        return stated

    def required(self, name: str) -> Any:
        """A part's root."""
        root = _xml(self._archive, name)
        if root is None:
            raise CorruptDocumentError(
                "The Word file has no document part.", hint="Open the file in Word and save it again."
            )
        return root

    def optional(self, name: str) -> Any | None:
        """A part's root, ``None`` where it is missing or damaged."""
        try:
            return _xml(self._archive, name)
        except CorruptDocumentError as error:
            _log.warning("a part of a Word file is left out", part=name, reason=error.reason)
            self.damaged.append(name)
            return None

    def relations(self, name: str, folder: str) -> dict[str, str]:
        """Targets inside the archive by the last word of their relationship's type."""
        root = self.optional(name)
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
    for strict, transitional in _STRICT:
        content = content.replace(strict, transitional)
    return parse_xml(content, "Word")
