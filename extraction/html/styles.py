"""How text looks, as far as it tells headings and hidden text: a small part of CSS.

Understood are style attributes, and in style elements the rules whose selectors are a tag, a class, a tag
with a class, or an id, outside of ``@media`` and the like. Other selectors are passed over, so that a
rule for one state of a page (``.js .tab {display: none}``) hides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import tinycss2  # type: ignore[import-untyped]

Declarations = Mapping[str, str]

_NO_DECLARATIONS: Declarations = {}
_KNOWN = frozenset(
    {"display", "visibility", "mso-hide", "font", "font-weight", "font-size", "text-align", "list-style",
     "list-style-type"}
)  # fmt: skip
_SELECTOR = re.compile(r"(?P<tag>[a-zA-Z][\w-]*|\*)?(?:\.(?P<name>[\w-]+)|#(?P<id>[\w-]+))?")
_SIZE = re.compile(r"([\d.]{1,8})\s*(pt|px|em|rem|%)")
_POINTS = {"pt": 1.0, "px": 0.75}
_BODY_SIZE = 12.0  # points; what browsers start from
_BOLD_TAGS = frozenset({"b", "strong", "th", "h1", "h2", "h3", "h4", "h5", "h6"})
_FONT_SIZES = {"1": 7.5, "2": 10.0, "3": 12.0, "4": 13.5, "5": 18.0, "6": 24.0, "7": 36.0}  # <font size>
_DEEPEST = 20  # functions inside each other; honest rules have three or four
_MAX_SHEET = 500_000  # characters of all style elements that are looked at


@dataclass(frozen=True, slots=True)
class Look:
    """How a text is set.

    Attributes:
        bold: In bold type.
        align: "left", "center", "right" or "justify".
        size: Of the type, in points.
    """

    bold: bool = False
    align: str = "left"
    size: float = _BODY_SIZE


PLAIN = Look()


class Styles:
    """The rules of a page's own style sheets."""

    def __init__(self, sheets: Iterable[str] = ()) -> None:
        """Read the style sheets, in order; a later rule is stronger than an earlier one of its kind."""
        self._by_tag: dict[str, dict[str, str]] = {}
        self._by_class: dict[tuple[str, str], dict[str, str]] = {}
        self._by_id: dict[str, dict[str, str]] = {}
        for selector, declarations in _rules("\n".join(sheets)[:_MAX_SHEET]):
            self._add(selector, declarations)

    @classmethod
    def of_page(cls, root: Any, linked: Iterable[str] = ()) -> Styles:
        """The rules that apply on a screen, those of linked style sheets before the page's own."""
        own = (
            node.text or ""
            for node in root.iter("style")
            if node.get("media", "all").strip().lower() in ("", "all", "screen")
        )
        return cls([*linked, *own])

    def declarations(self, node: Any) -> Declarations:
        """What is declared for an element itself, the strongest rule last."""
        found: dict[str, str] = dict(self._by_tag.get(node.tag, _NO_DECLARATIONS))
        names = node.get("class", "").split()
        if self._by_class:
            for name in names:
                found.update(self._by_class.get(("", name), _NO_DECLARATIONS))
            for name in names:
                found.update(self._by_class.get((node.tag, name), _NO_DECLARATIONS))
        if self._by_id and (identity := node.get("id")):
            found.update(self._by_id.get(identity, _NO_DECLARATIONS))
        if style := node.get("style"):
            found.update(inline(style))
        return found

    def look(self, node: Any, inherited: Look) -> Look:
        """How the text of an element is set, given how its parent's is."""
        look = _by_markup(node, inherited)
        declared = self.declarations(node)
        if not declared:
            return look
        weight = declared.get("font-weight") or declared.get("font", "")
        bold = _is_bold(weight, look.bold)
        align = declared.get("text-align", look.align)
        size = _size(declared.get("font-size") or declared.get("font", ""), inherited.size, look.size)
        return Look(bold, align, size)

    def _add(self, selector: str, declarations: dict[str, str]) -> None:
        match = _SELECTOR.fullmatch(selector)
        if not match or not selector:
            return
        tag = (match["tag"] or "").replace("*", "").lower()
        if match["id"]:
            target = self._by_id.setdefault(match["id"], {})
        elif match["name"]:
            target = self._by_class.setdefault((tag, match["name"]), {})
        else:
            target = self._by_tag.setdefault(tag, {})
        target.update(declarations)


@lru_cache(maxsize=4096)
def inline(style: str) -> Declarations:
    """The declarations of a style attribute that matter here."""
    pairs = (part.partition(":") for part in style[:2000].split(";"))
    named = ((name.strip().lower(), value) for name, _, value in pairs)
    return {name: _value(value) for name, value in named if name in _KNOWN}


def _value(text: str) -> str:
    return text.lower().partition("!")[0].strip()


def _rules(sheet: str) -> Iterator[tuple[str, dict[str, str]]]:
    sheet = sheet.replace("<!--", "").replace("-->", "")
    for rule in tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True):
        if rule.type != "qualified-rule" or _is_nested(rule.prelude) or _is_nested(rule.content):
            continue
        declarations = dict(inline(tinycss2.serialize(rule.content)))
        if declarations:
            for selector in tinycss2.serialize(rule.prelude).split(","):
                yield selector.strip(), declarations


def _is_nested(tokens: Iterable[Any]) -> bool:
    """Whether a rule has rules inside, or functions too deep, which tinycss2 would write out by recursion."""
    level = list(tokens)
    if any(token.type.endswith("block") for token in level):
        return True
    for _ in range(_DEEPEST):
        level = [inner for token in level for inner in _inside(token)]
    return bool(level)


def _inside(token: Any) -> Iterable[Any]:
    """The tokens of a function's arguments, or of brackets among them."""
    if token.type == "function":
        return list(token.arguments)
    return list(token.content) if token.type.endswith("block") else ()


def _by_markup(node: Any, look: Look) -> Look:
    tag = node.tag
    if tag in _BOLD_TAGS:
        look = replace(look, bold=True)
    elif tag == "font" and node.get("size") in _FONT_SIZES:
        look = replace(look, size=_FONT_SIZES[node.get("size")])
    if tag in ("center", "caption", "th"):
        return replace(look, align="center")
    align = (node.get("align") or "").strip().lower()
    return replace(look, align=align) if align and align != look.align and tag != "table" else look


def _is_bold(weight: str, inherited: bool) -> bool:
    if any(name in weight for name in ("bold", "600", "700", "800", "900")):
        return True
    return inherited and not any(name in weight for name in ("normal", "400", "300"))


def _size(text: str, parent: float, default: float) -> float:
    match = _SIZE.search(text)
    if not match or match[1].count(".") > 1 or match[1] == ".":
        return default
    number, unit = float(match[1]), match[2]
    if unit in _POINTS:
        return number * _POINTS[unit]
    return number * (_BODY_SIZE if unit == "rem" else parent) / (100 if unit == "%" else 1)
