"""What a page states about itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from extraction.html.tree import text_of

_NAMES = {
    "description": "description",
    "og:description": "description",
    "dc.description": "description",
    "author": "author",
    "article:author": "author",
    "dc.creator": "author",
    "citation_author": "author",
    "keywords": "keywords",
    "article:published_time": "published",
    "date": "published",
    "dc.date": "published",
    "dcterms.issued": "published",
    "dcterms.created": "published",
    "citation_publication_date": "published",
    "datepublished": "published",
    "pubdate": "published",
    "article:modified_time": "modified",
    "dcterms.modified": "modified",
    "datemodified": "modified",
    "og:site_name": "site",
}
_LENGTH = 1000
_SITE_SEPARATORS = re.compile(r"\s+[-–—|/\\·•:»]{1,2}\s+")
_FILE_NAME = re.compile(r"\S+\.(?:html?|docx?|rtf|pdf|xml|odt|txt|aspx?|php)", re.IGNORECASE)
_EMPTY_TITLES = frozenset(
    {"untitled", "untitled document", "document", "документ", "без имени", "новая страница", "new page 1",
     "index", "home", "главная", "главная страница", "title", "no title", "безымянный документ"}
)  # fmt: skip
_WORD_PREFIX = re.compile(r"^Microsoft Word - ", re.IGNORECASE)


def page_attributes(root: Any) -> dict[str, str]:
    """Description, author, dates, address and language, as far as the page states them."""
    found: dict[str, str] = {}
    for name, value in _statements(root):
        key = _NAMES.get(name)
        text = " ".join(value.split())[:_LENGTH]
        if key and text:
            found.setdefault(key, text)
    for link in root.iter("link"):
        if "canonical" in link.get("rel", "").lower().split() and link.get("href", "").strip():
            found.setdefault("canonical", link.get("href").strip()[:_LENGTH])
    language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    if language.strip():
        found.setdefault("lang", language.strip()[:35])
    return found


def page_title(root: Any, site: str = "") -> str:
    """The page's title without the name of its site; "" where it states none or only a file's name.

    Args:
        root: The page.
        site: Name of the site, where the page states it.
    """
    stated = _clean(next((text_of(node) for node in root.iter("title") if _is_in_head(node)), ""))
    shared = _clean(next((value for name, value in _statements(root) if name == "og:title"), ""))
    heading = _only_heading(root)
    if not _says_something(stated):
        return shared if _says_something(shared) else _microdata_title(root)
    for shorter in (heading, shared):
        if shorter and stated != shorter and _is_with_site(stated, shorter):
            return shorter
    head, separator, tail = _last_part(stated)
    return head if separator and site and tail.casefold() == site.casefold() else stated


def _statements(root: Any) -> Iterator[tuple[str, str]]:
    for node in root.iter("meta"):
        name = node.get("property") or node.get("name") or node.get("itemprop") or ""
        yield name.strip().lower(), node.get("content") or ""
    for node in root.iter("time"):
        if node.get("itemprop", "").lower() in _NAMES and node.get("datetime"):
            yield node.get("itemprop").lower(), node.get("datetime")


def _is_in_head(node: Any) -> bool:
    return not any(parent.tag == "svg" for parent in node.iterancestors())


def _clean(text: str) -> str:
    return _WORD_PREFIX.sub("", " ".join(text.split()))


def _says_something(title: str) -> bool:
    return bool(title) and title.casefold() not in _EMPTY_TITLES and not _FILE_NAME.fullmatch(title)


def _only_heading(root: Any) -> str:
    headings = list(root.iter("h1"))
    return _clean(text_of(headings[0])) if len(headings) == 1 else ""


def _is_with_site(title: str, shorter: str) -> bool:
    """Whether a title is another one and a name parted from it."""
    before, found, after = title.partition(shorter)
    rest = f" {after}" if found and not before else f"{before} "
    return (
        bool(found)
        and not (before and after)
        and bool(_SITE_SEPARATORS.match(rest) or _SITE_SEPARATORS.search(rest))
    )


def _last_part(title: str) -> tuple[str, str, str]:
    matches = list(_SITE_SEPARATORS.finditer(title))
    if not matches:
        return title, "", ""
    last = matches[-1]
    return title[: last.start()], last[0], title[last.end() :]


def _microdata_title(root: Any) -> str:
    for node in root.iter():
        if isinstance(node.tag, str) and node.get("itemprop", "").lower() in ("headline", "name"):
            title = _clean(node.get("content") or text_of(node))
            if _says_something(title):
                return title
    return ""
