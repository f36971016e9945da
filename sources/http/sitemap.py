"""Reads sitemaps (sitemaps.org), which are hostile until they have been read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from rubrica.errors import SourceError
from sources.http.client import gunzip

MOST_BYTES = 50 * 1024 * 1024
"""Largest sitemap, unpacked, by the protocol."""

_GZIP = b"\x1f\x8b"
_HINT = "It must be XML as https://www.sitemaps.org/protocol.html describes it."


@dataclass(frozen=True, slots=True)
class Link:
    """An address that a listing names.

    Attributes:
        url: As it stands there.
        lastmod: When it changed last, as the sitemap has it; may be empty.
    """

    url: str
    lastmod: str = ""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What a sitemap holds: addresses of documents, or of further sitemaps."""

    documents: tuple[Link, ...] = ()
    sitemaps: tuple[Link, ...] = ()


def is_gzip(content: bytes) -> bool:
    """Whether content is packed by gzip."""
    return content.startswith(_GZIP)


def looks_like_xml(content: bytes) -> bool:
    """Whether content is XML and no page."""
    head = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1000].lower()
    if head.startswith((b"\xff\xfe<", b"\xfe\xff\x00<")):
        return True
    named = head.startswith(b"<?xml") or b"<urlset" in head or b"<sitemapindex" in head
    return named and b"<html" not in head


def parse_sitemap(content: bytes, name: str) -> Sitemap:
    """Take a sitemap apart; packed ones are unpacked.

    Args:
        content: Of the file.
        name: What errors call it.

    Raises:
        SourceError: It is no sitemap, damaged or too large.
    """
    if is_gzip(content):
        content = gunzip(content, name, MOST_BYTES)
    root = _parse(content, name)
    kind = etree.QName(root).localname
    if kind == "urlset":
        return Sitemap(documents=tuple(_links(root, "url")))
    if kind == "sitemapindex":
        return Sitemap(sitemaps=tuple(_links(root, "sitemap")))
    raise SourceError(f"{name} is no sitemap; it is an XML file of the kind {kind!r}.", hint=_HINT)


def _parse(content: bytes, name: str) -> etree._Element:
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise SourceError(f"{name} is no sitemap: it is not valid XML.", hint=_HINT) from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise SourceError(f"{name} is no sitemap: it brings a document type of its own.", hint=_HINT)
    return root


def _links(root: etree._Element, item: str) -> Iterator[Link]:
    for element in root:
        if isinstance(element.tag, str) and etree.QName(element).localname == item:
            facts = {
                etree.QName(child).localname: (child.text or "").strip()
                for child in element
                if isinstance(child.tag, str)
            }
            if facts.get("loc"):
                yield Link(facts["loc"], facts.get("lastmod", ""))
