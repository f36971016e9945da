"""Electronic books (EPUB 2 and 3): their chapters in reading order, read as HTML.

EbookLib, the common library, is under the AGPL; what is needed here is the order of the chapters and
their names, which two small XML files tell.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from lxml import etree

from extraction.archive import Archive
from extraction.border import reading
from extraction.builder import DocumentBuilder
from extraction.encoding import decode
from extraction.html.blocks import Block
from extraction.html.headings import with_headings
from extraction.html.reader import page_blocks, write_blocks
from extraction.html.tree import parse_html
from extraction.references import mend_references
from extraction.result import Extracted
from rubrica.errors import CorruptDocumentError, EncryptedDocumentError
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings

_DC = "{http://purl.org/dc/elements/1.1/}"
_CONTAINER = "META-INF/container.xml"
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"})
_METADATA = {
    "creator": "author", "publisher": "publisher", "date": "published", "description": "description",
    "subject": "keywords", "identifier": "identifier", "language": "lang", "rights": "rights",
}  # fmt: skip
# Fonts are obfuscated in the open; any other encryption is for readers with a licence.
_OPEN_ALGORITHMS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_LISTED = frozenset({"creator", "subject"})
_MAX_LEVEL = 6
_LENGTH = 1000


def extract_epub(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read a book: chapters in the order of its spine, without its table of contents and pictures.

    Raises:
        CorruptDocumentError: It is damaged.
        EncryptedDocumentError: Its chapters are encrypted.
        LimitExceededError: It unpacks to more than the limit.
    """
    archive = Archive(content, settings)
    with reading("EPUB", etree.LxmlError, ValueError):
        book = _Book(archive)
        builder = DocumentBuilder()
        blocks = list(book.blocks()) or list(book.blocks(everything=True))
        write_blocks(builder, with_headings(blocks))
    return Extracted.from_builder(builder, title=book.title, attributes=book.attributes)


@dataclass(frozen=True, slots=True)
class _Item:
    """A file of the book."""

    path: str
    media_type: str
    properties: frozenset[str]


class _Book:
    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._refuse_encrypted()
        self._path = self._package_path()
        package = self._xml(self._path)
        if package is None:
            raise CorruptDocumentError("The book has no package file.", hint="Fetch the file again.")
        self._package: Any = package
        self._folder = posixpath.dirname(self._path)
        self._items = {
            node.get("id", ""): _Item(
                self._resolve(self._folder, node.get("href", "")),
                node.get("media-type", ""),
                frozenset(node.get("properties", "").split()),
            )
            for node in self._package.iter("{*}item")
        }

    @property
    def title(self) -> str:
        """The stated title."""
        return next(self._stated("title"), "")

    @property
    def attributes(self) -> dict[str, str]:
        """What the book states about itself."""
        found = {name: list(dict.fromkeys(self._stated(name))) for name in _METADATA}
        return {
            _METADATA[name]: (", ".join(texts) if name in _LISTED else texts[0])[:_LENGTH]
            for name, texts in found.items()
            if texts
        }

    def blocks(self, *, everything: bool = False) -> Iterator[Block]:
        """The text of the chapters; one without a heading of its own gets its name in the contents.

        Args:
            everything: Read hidden text and navigation too.
        """
        names = self._contents()
        contents = self._listings()
        sheets: dict[str, str] = {}
        for path in self._spine():
            content = self._archive.read(path)
            root = parse_html(decode(content)) if content and content.strip() else None
            if root is None:
                continue
            blocks = page_blocks(root, self._sheets(root, path, sheets), everything=everything)
            if path in contents and _is_mostly_links(blocks):
                continue
            if path in names and blocks and not _opens_with_heading(blocks):
                name, level = names[path]
                yield Block(ElementKind.HEADING, name, min(level, _MAX_LEVEL))
            yield from blocks

    def _spine(self) -> Iterator[str]:
        """Paths of the pages in reading order, those beside the text (notes, mostly) last."""
        nodes = list(self._package.iter("{*}itemref"))
        main = [node for node in nodes if node.get("linear", "yes") != "no"]
        aside = [node for node in nodes if node.get("linear", "yes") == "no"]
        seen: set[str] = set()
        for node in main + aside:
            item = self._items.get(node.get("idref", ""))
            if item and item.media_type in _PAGES and item.path not in seen:
                seen.add(item.path)
                yield item.path

    def _listings(self) -> set[str]:
        """Pages that hold a table of contents, though often not only that."""
        pages = {item.path for item in self._items.values() if "nav" in item.properties}
        for node in self._package.iter("{*}reference"):
            if node.get("type", "").lower() == "toc":
                pages.add(self._resolve(self._folder, node.get("href", "")))
        return pages

    def _contents(self) -> dict[str, tuple[str, int]]:
        """Path of a page → name and level of its first entry in the table of contents."""
        names: dict[str, tuple[str, int]] = {}
        for item in self._items.values():
            if "nav" in item.properties:
                entries = _nav_entries(self._xml(item.path))
            elif item.media_type == "application/x-dtbncx+xml":
                entries = _ncx_entries(self._xml(item.path))
            else:
                continue
            folder = posixpath.dirname(item.path)
            for target, name, level in entries:
                if name:
                    names.setdefault(self._resolve(folder, target), (name, level))
        return names

    def _sheets(self, root: Any, path: str, known: dict[str, str]) -> list[str]:
        found = []
        for link in root.iter("link"):
            if "stylesheet" in link.get("rel", "").lower():
                target = self._resolve(posixpath.dirname(path), link.get("href", ""))
                if target not in known:
                    known[target] = (self._archive.read(target) or b"").decode("utf-8", "replace")
                found.append(known[target])
        return found

    def _stated(self, name: str) -> Iterator[str]:
        for node in self._package.iter(f"{_DC}{name}"):
            text = " ".join("".join(node.itertext()).split())
            if text:
                yield text

    def _package_path(self) -> str:
        container = self._xml(_CONTAINER)
        rootfile = None if container is None else container.find(".//{*}rootfile")
        if rootfile is not None and rootfile.get("full-path"):
            return unquote(rootfile.get("full-path"))
        return next((name for name in self._archive.names if name.endswith(".opf")), "")

    def _refuse_encrypted(self) -> None:
        encryption = self._xml("META-INF/encryption.xml")
        methods = [] if encryption is None else list(encryption.iter("{*}EncryptionMethod"))
        if any(node.get("Algorithm", "") not in _OPEN_ALGORITHMS for node in methods):
            raise EncryptedDocumentError(
                "The book is protected against copying (DRM).", hint="Get it without protection."
            )

    def _xml(self, name: str) -> Any | None:
        content = self._archive.read(name)
        parser = etree.XMLParser(
            encoding="utf-8",
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=True,
            recover=True,
        )
        if not content or not content.strip():
            return None
        source = mend_references(decode(content).strip())
        return etree.fromstring(source.encode("utf-8", "replace"), parser) if source else None

    @staticmethod
    def _resolve(folder: str, target: str) -> str:
        return posixpath.normpath(posixpath.join(folder, unquote(target.partition("#")[0])))


def _opens_with_heading(blocks: list[Block]) -> bool:
    return any(block.kind is ElementKind.HEADING for block in blocks)


def _is_mostly_links(blocks: list[Block]) -> bool:
    linked = sum(len(block.text) for block in blocks if block.linked)
    return linked * 2 > sum(len(block.text) for block in blocks)


def _nav_entries(root: Any | None) -> Iterator[tuple[str, str, int]]:
    """Target, name and level of each entry of an EPUB 3 table of contents."""
    for nav in () if root is None else root.iter("{*}nav"):
        kinds = nav.get("{http://www.idpf.org/2007/ops}type", "toc").split()
        for link in nav.iter("{*}a") if "toc" in kinds else ():
            level = sum(etree.QName(parent).localname == "ol" for parent in link.iterancestors())
            yield link.get("href", ""), " ".join("".join(link.itertext()).split()), max(level, 1)


def _ncx_entries(root: Any | None) -> Iterator[tuple[str, str, int]]:
    """The same, of an EPUB 2 table of contents."""
    for point in () if root is None else root.iter("{*}navPoint"):
        target, label = point.find("{*}content"), point.findtext("{*}navLabel/{*}text")
        level = 1 + sum(etree.QName(parent).localname == "navPoint" for parent in point.iterancestors())
        if target is not None:
            yield target.get("src", ""), " ".join((label or "").split()), level
