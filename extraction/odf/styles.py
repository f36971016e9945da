"""Styles of an OpenDocument file, with all that they inherit."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from extraction.flow.blocks import Role
from extraction.flow.styles import heading_of_name, role_of_names
from extraction.odf.package import get, q

_BOLD = frozenset({"bold", "600", "700", "800", "900"})
_LENGTH = re.compile(r"(\d+(?:\.\d+)?)(pt|cm|mm|in|%)")
_POINTS = {"pt": 1.0, "cm": 28.35, "mm": 2.835, "in": 72.0}
_ESCAPED = re.compile(r"_([0-9a-f]{2})_")
_SOURCES = ("office:styles", "office:automatic-styles")


@dataclass(frozen=True, slots=True)
class Style:
    """A style of paragraphs or of text.

    Attributes:
        name: Its name as the user sees it, in lower case; automatic styles have their parent's.
        names: That name and those of the styles that it is based on.
        outline: Level of outline, 1 at the top.
        numbering: Name of its list style; "" takes its paragraphs out of lists.
        aligned: Value of ``fo:text-align``.
        bold: Whether bold.
        hidden: Whether its text is not shown.
        size: Size in points.
    """

    name: str = ""
    names: tuple[str, ...] = ()
    outline: int | None = None
    numbering: str | None = None
    aligned: str | None = None
    bold: bool = False
    hidden: bool = False
    size: float | None = None

    @property
    def centred(self) -> bool:
        """Whether its paragraphs stand in the middle of the line."""
        return self.aligned == "center"

    @property
    def right(self) -> bool:
        """Whether its paragraphs stand at the right margin."""
        return self.aligned in ("end", "right")

    @property
    def role(self) -> Role:
        """What its paragraphs are by its name."""
        return role_of_names(self.names)

    @property
    def heading(self) -> int | None:
        """Level of heading that it gives its paragraphs."""
        if self.outline is not None:
            return self.outline or None
        return next((level for name in self.names if (level := heading_of_name(name))), None)


class Styles:
    """The styles of a file."""

    def __init__(self, roots: tuple[Any, ...]) -> None:
        self._nodes: dict[tuple[str | None, str | None], Any] = {}
        self._defaults: dict[str | None, Any] = {}
        for root in roots:
            for source in _SOURCES:
                for node in root.iterfind(f"{q(source)}/*"):
                    if node.tag == q("style:style"):
                        self._nodes[get(node, "style:family"), get(node, "style:name")] = node
                    elif node.tag == q("style:default-style"):
                        self._defaults[get(node, "style:family")] = node
        self._known: dict[tuple[str, str | None], Style] = {}

    def paragraph(self, name: str | None) -> Style:
        """The style of a paragraph."""
        return self._get("paragraph", name)

    def shape(self, name: str | None) -> Style:
        """The style of the text of a shape on a slide."""
        return self._get("presentation", name)

    def text(self, base: Style, name: str | None) -> Style:
        """The style of a span inside text of the style ``base``."""
        style = base
        for node in self._chain("text", name):
            style = _with_text(style, node)
        return style

    def _get(self, family: str, name: str | None) -> Style:
        key = (family, name)
        if key not in self._known:
            style = Style()
            if family in self._defaults:
                style = _with_text(style, self._defaults[family])
            for node in self._chain(family, name):
                style = _derive(style, node)
            self._known[key] = style
        return self._known[key]

    def _chain(self, family: str, name: str | None) -> list[Any]:
        """A style and those that it is based on, the base first."""
        chain: dict[str | None, Any] = {}
        while (family, name) in self._nodes and name not in chain:
            chain[name] = self._nodes[family, name]
            name = get(chain[name], "style:parent-style-name")
        return list(reversed(chain.values()))


def _derive(base: Style, node: Any) -> Style:
    shown = _name(node)
    automatic = node.getparent().tag == q("office:automatic-styles")
    outline = get(node, "style:default-outline-level")
    properties = node.find(q("style:paragraph-properties"))
    aligned = None if properties is None else get(properties, "fo:text-align")
    numbering = get(node, "style:list-style-name")
    style = replace(
        base,
        name=base.name if automatic and base.name else shown,
        names=base.names if automatic and base.names else (shown, *base.names),
        outline=base.outline if outline is None else int(outline) if outline.isdecimal() else 0,
        numbering=base.numbering if numbering is None else numbering,
        aligned=aligned or base.aligned,
    )
    return _with_text(style, node)


def _with_text(base: Style, node: Any) -> Style:
    properties = node.find(q("style:text-properties"))
    if properties is None:
        return base
    weight, display = get(properties, "fo:font-weight"), get(properties, "text:display")
    return replace(
        base,
        bold=base.bold if weight is None else weight in _BOLD,
        hidden=base.hidden if display is None else display == "none",
        size=_size(get(properties, "fo:font-size"), base.size),
    )


def _size(text: str | None, base: float | None) -> float | None:
    match = _LENGTH.fullmatch(text or "")
    if match is None or len(match[1]) > 8:
        return base
    if match[2] == "%":
        return None if base is None else base * float(match[1]) / 100
    return float(match[1]) * _POINTS[match[2]]


def _name(node: Any) -> str:
    shown = get(node, "style:display-name") or get(node, "style:name") or ""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), shown).lower()
