"""Which parts of a page its reader does not see, or does not come for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Self

from lxml import etree

from extraction.text import word_set

_NEVER = word_set(
    "annotation audio button canvas datalist head iframe input noframes noscript object script select style"
    " svg template textarea title video"
)
_SITE_TAGS = frozenset({"nav", "header", "footer"})
_SITE_ROLES = frozenset({"banner", "contentinfo", "navigation", "search"})
_SITE_CLASSES = word_set(
    "catlinks headerlink mw-editsection mw-interlanguage-selector mw-jump-link mw-portlet navbox noprint"
    " printfooter skip-link toc vector-dropdown vector-menu"
)
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BREAKS = re.compile(
    r"(?:br|p|div|li|ul|ol|dl|dt|dd|h[1-6]|pre|table|tr|td|th|hr|section|article|blockquote|center)"
)


@dataclass(frozen=True, slots=True)
class Visibility:
    """Decides which elements are read.

    Attributes:
        hide_site: Leave out navigation, the site's header and footer and what styles hide.
        keep_header: Read ``header`` elements all the same, because the only heading is in one.
    """

    hide_site: bool
    keep_header: bool = False

    @classmethod
    def of_page(cls, root: Any) -> Self:
        """For a whole page."""
        headings = root.xpath("count(//h1[not(ancestor::header)])")
        return cls(hide_site=True, keep_header=not headings)

    @classmethod
    def of_fragment(cls) -> Self:
        """For a piece of markup inside another document."""
        return cls(hide_site=True, keep_header=True)

    @classmethod
    def everything(cls) -> Self:
        """For a page that shows nothing otherwise."""
        return cls(hide_site=False)

    def hides(self, node: Any) -> bool:
        """Whether an element is left out with all that is in it."""
        if not isinstance(node.tag, str) or node.tag in _NEVER:
            return True
        return self.hide_site and (_is_invisible(node) or self._belongs_to_site(node))

    def shows(self, node: Any) -> bool:
        """The opposite of ``hides``."""
        return not self.hides(node)

    def _belongs_to_site(self, node: Any) -> bool:
        if node.get("role") in _SITE_ROLES or not _SITE_CLASSES.isdisjoint(node.get("class", "").split()):
            return True
        if node.tag not in _SITE_TAGS or (node.tag == "header" and self.keep_header):
            return False
        # The header and footer of an article are its own.
        return node.tag == "nav" or not any(
            parent.tag in ("article", "main", "section") for parent in node.iterancestors()
        )


def _is_invisible(node: Any) -> bool:
    return "hidden" in node.attrib or bool(_INVISIBLE.search(node.get("style", "")))


def flat_text(node: Any, visibility: Visibility) -> str:
    """All visible text of an element on one line; blocks and line breaks become spaces."""
    parts: list[str] = []
    walk = etree.iterwalk(node, events=("start", "end"))
    for event, child in walk:
        if event == "start":
            if child is not node and visibility.hides(child):
                walk.skip_subtree()
                continue
            parts += [_gap(child), child.text or ""]
        else:
            parts += [_gap(child), (child.tail or "") if child is not node else ""]
    return " ".join("".join(parts).split())


def _gap(node: Any) -> str:
    return " " if isinstance(node.tag, str) and _BREAKS.fullmatch(node.tag) else ""
