"""The parts of an OpenDocument file.

odfpy and odfdo give its XML as objects, but neither numbers lists and headings, resolves styles nor bounds
what it unpacks; so the parts are walked with lxml, as those of Word are.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import Any

from extraction.archive import Archive
from extraction.flow.xml import parse_xml
from rubrica.errors import CorruptDocumentError, EncryptedDocumentError
from rubrica.log import get_logger
from rubrica.settings import ExtractionSettings

_NAMESPACE = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
_OTHER = {
    "fo": "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0",
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
    "svg": "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0",
    "xlink": "http://www.w3.org/1999/xlink",
    "loext": "urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0",
    "dc": "http://purl.org/dc/elements/1.1/",
    "xml": "http://www.w3.org/XML/1998/namespace",
}
_NAME = "OpenDocument"
_ZIP = b"PK"
_log = get_logger(__name__)


def q(name: str) -> str:
    """A name such as "text:p", as lxml writes it."""
    prefix, _, local = name.partition(":")
    return f"{{{_OTHER.get(prefix) or _NAMESPACE.format(prefix)}}}{local}"


def get(node: Any, name: str) -> str | None:
    """An attribute, by a name such as "text:style-name"."""
    value: str | None = node.get(q(name))
    return value


@dataclass(slots=True)
class Parts:
    """Roots of the parts of a file.

    Attributes:
        body: The ``office:text``, ``office:presentation`` or other kind of content.
        styles: Roots that hold styles, the weaker ones first.
        title: The title that the file states.
        damaged: Names of the parts that could not be read; the document is read without them.
    """

    body: Any
    styles: tuple[Any, ...]
    title: str = ""
    damaged: list[str] = field(default_factory=list)
    _archive: Archive | None = None

    def embedded(self, href: str) -> Any | None:
        """Root of the content of an embedded object, ``None`` where it is missing or damaged."""
        name = posixpath.normpath(posixpath.join("/", href, "content.xml")).lstrip("/")
        return None if self._archive is None else _optional(self._archive, name, self.damaged)


def open_parts(content: bytes, settings: ExtractionSettings) -> Parts:
    """Read the parts of a file, zipped or flat.

    Raises:
        CorruptDocumentError: The archive or its content is damaged, or no content is in it.
        EncryptedDocumentError: It needs a password.
        LimitExceededError: It unpacks to more than the limit.
    """
    if not content.startswith(_ZIP):
        root = parse_xml(content, _NAME)
        return Parts(_body(root), (root,), _title(root))
    archive = Archive(content, settings)
    damaged: list[str] = []
    if b"encryption-data" in (archive.read("META-INF/manifest.xml") or b""):
        raise EncryptedDocumentError(
            "The OpenDocument file is protected with a password.", hint="Save it without a password."
        )
    main = archive.read("content.xml")
    if not main:
        raise _no_content()
    root = parse_xml(main, _NAME)
    shared = _optional(archive, "styles.xml", damaged)
    return Parts(
        body=_body(root),
        styles=(root,) if shared is None else (shared, root),
        title=_title(_optional(archive, "meta.xml", damaged)),
        damaged=damaged,
        _archive=archive,
    )


def _optional(archive: Archive, name: str, damaged: list[str]) -> Any | None:
    try:
        content = archive.read(name)
        return parse_xml(content, _NAME) if content else None
    except CorruptDocumentError as error:
        _log.warning("a part of an OpenDocument file is left out", part=name, reason=error.reason)
        damaged.append(name)
        return None


def _body(root: Any) -> Any:
    body = root.find(q("office:body"))
    if body is None or not len(body):
        raise _no_content()
    return body[0]


def _title(root: Any | None) -> str:
    found = None if root is None else root.find(f"{q('office:meta')}/{q('dc:title')}")
    return "" if found is None else "".join(found.itertext())


def _no_content() -> CorruptDocumentError:
    return CorruptDocumentError(
        "The OpenDocument file has no content.", hint="Open the file in LibreOffice and save it again."
    )
