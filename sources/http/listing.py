"""Reads pages that list files, as web servers make them of a folder."""

from __future__ import annotations

from lxml import etree
from lxml import html as lxml_html

from rubrica.errors import SourceError
from sources.http.site import Site

MOST_BYTES = 16 * 1024 * 1024
"""Largest page of a listing."""


def links_below(content: bytes, target: str, site: Site) -> tuple[str, ...]:
    """Addresses of the site that a page links to and that lie below its own folder.

    Links to the page itself (to sort it, say), to its parents and to other sites are left out.

    Args:
        content: Of the page.
        target: Path and query of the page.
        site: The site.

    Returns:
        Path and query of each, in the order of the page, none twice.

    Raises:
        SourceError: It is no HTML.
    """
    page = target.partition("?")[0]
    folder = page.rpartition("/")[0] + "/"
    found: dict[str, None] = {}
    root = _parse(content, target)
    bases = _references(root, "base")
    base = site.locate(bases[0], page=page) if bases else page
    for href in _references(root, "a") if base is not None else ():
        link = site.locate(href.partition("#")[0], page=base or page)
        path = (link or "").partition("?")[0]
        if link and path.startswith(folder) and path not in (folder, page):
            found[link] = None
    return tuple(found)


def _references(root: etree._Element, tag: str) -> list[str]:
    return [element.get("href", "") for element in root.iter(tag) if "href" in element.attrib]


def _parse(content: bytes, target: str) -> etree._Element:
    try:
        return lxml_html.document_fromstring(content)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise SourceError(f"{target} is no page that lists files.") from error
