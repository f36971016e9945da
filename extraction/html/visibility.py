"""Which parts of a page its reader does not see, or does not come for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Self

from extraction.html.styles import Styles
from extraction.text import word_set

_NEVER = word_set(
    "annotation annotation-xml audio canvas datalist del head iframe input noframes noscript object rp script"
    " select style svg template textarea title video"
)
# A button is a control, but in a heading or summary it is what opens the text below.
_SPOKEN_BUTTON = word_set("h1 h2 h3 h4 h5 h6 summary dt legend")
_SITE_TAGS = frozenset({"nav", "header", "footer"})
_SITE_ROLES = frozenset({"banner", "contentinfo", "navigation", "search", "doc-pagebreak", "doc-toc"})
_ASIDE_ROLES = frozenset({"complementary", "alert", "dialog", "alertdialog", "menu", "menubar", "toolbar"})
# What is no text of the document wherever it stands: names that one program gives to one thing.
_SITE_CLASSES = word_set(
    # MediaWiki
    "ambox authority-control catlinks hatnote-icon infobox mw-cite-backlink mw-editsection"
    " mw-empty-elt mw-indicators mw-interlanguage-selector mw-jump-link mw-portlet mw-revision navbox"
    " navbox-styles navigation-not-searchable noprint plainlinksneverexpand portalbox printfooter"
    " sistersitebox toc toctitle vector-dropdown vector-menu vertical-navbox mw-redirectedfrom"
    # Sphinx, GitHub, MkDocs
    " headerlink anchor-link linenos lineno line-numbers blob-num"
    # Project Gutenberg's terms of use
    " pg-boilerplate"
    # for screen readers only, and for screens only
    " visually-hidden visuallyhidden sr-only screen-reader-text element-invisible element-hidden skip-link"
    " skiplink katex-html MathJax_Preview MJX_Assistive_MathML"
)
# What is mostly no text of the document, in blocks that hold links rather than sentences.
_SITE_WORDS = word_set(
    "advert advertisement banner bottom-menu breadcrumb breadcrumbs comments-link cookie cookies copyright"
    " footer header left-menu login main-menu mainmenu menu nav nav-menu navbar navigation pager pagination"
    " related related-posts search search-form share sharethis-wrapper side-menu sidebar site-footer"
    " site-header social social-links socials subscribe subscription top-menu topbar topmenu widget"
)
_CONTAINERS = word_set("aside div form section table td ul ol dl footer header")
_OWN_CONTENT = ("article", "main", "section")
_LINKS = 0.4  # share of a block's letters in links from which it is taken for a menu
_SENTENCE = re.compile(r"[а-яёa-z]{3,}[.;]\s")
_NO_STYLES = Styles()


@dataclass(frozen=True, slots=True)
class Visibility:
    """Decides which elements are read.

    Attributes:
        hide_site: Leave out navigation, the site's header and footer and what styles hide.
        keep_header: Read ``header`` elements all the same, because the only heading is in one.
        styles: Style sheets of the page.
    """

    hide_site: bool
    keep_header: bool = False
    styles: Styles = field(default=_NO_STYLES)

    @classmethod
    def of_page(cls, root: Any, styles: Styles) -> Self:
        """For a whole page."""
        headings = root.xpath("count(//h1[not(ancestor::header)])")
        return cls(hide_site=True, keep_header=not headings, styles=styles)

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
        tag = node.tag
        if not isinstance(tag, str) or tag in _NEVER:
            return True
        if tag == "button" and not any(parent.tag in _SPOKEN_BUTTON for parent in _near(node)):
            return True
        if not self.hide_site or tag in ("html", "body"):
            return False
        return self._is_invisible(node) or self._belongs_to_site(node)

    def _is_invisible(self, node: Any) -> bool:
        hidden = node.get("hidden")
        if hidden is not None and hidden.lower() != "until-found":
            return True
        declared = self.styles.declarations(node)
        return (
            declared.get("display") == "none"
            or declared.get("visibility") in ("hidden", "collapse")
            or declared.get("mso-hide") == "all"
            or "mso-element:header" in node.get("style", "")
            or "mso-element:footer" in node.get("style", "")
            or "mso-element:comment-list" in node.get("style", "")
        )

    def _belongs_to_site(self, node: Any) -> bool:
        roles = node.get("role", "").lower().split()
        names = node.get("class", "").split()
        if not _SITE_ROLES.isdisjoint(roles) or not _SITE_CLASSES.isdisjoint(names):
            return True
        tag = node.tag
        if tag in _SITE_TAGS:
            # The header and footer of an article are its own.
            return tag == "nav" or (not (tag == "header" and self.keep_header) and not _is_own_content(node))
        if tag not in _CONTAINERS:
            return False
        words = {*map(str.lower, names), node.get("id", "").lower()}
        beside = tag == "aside" or not _ASIDE_ROLES.isdisjoint(roles)
        return (beside or not _SITE_WORDS.isdisjoint(words)) and not _is_own_content(node) and is_menu(node)


def is_menu(node: Any) -> bool:
    """Whether a block holds links and labels, not sentences nor the page's heading."""
    text = "".join(node.itertext()).strip()
    if not text:
        return True
    if node.find(".//h1") is not None or len(_SENTENCE.findall(text)) > 2:
        return False
    links = sum(len("".join(link.itertext()).strip()) for link in node.iter("a"))
    return links >= _LINKS * len(text)


def _is_own_content(node: Any) -> bool:
    return any(parent.tag in _OWN_CONTENT for parent in node.iterancestors())


def _near(node: Any) -> list[Any]:
    parents = node.iterancestors()
    return [parent for parent, _ in zip(parents, range(4), strict=False)]
