"""Styles: which paragraphs are headings, titles, captions, and how a style is numbered and set."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from extraction.docx.fonts import UNSAID, Font, overlay, read_font
from extraction.docx.package import attribute, child_value, w
from extraction.flow.styles import heading_of_name

_BODY_LEVEL = 9
_CENTRED = frozenset({"center"})
_RIGHT = frozenset({"right", "end"})


@dataclass(frozen=True, slots=True)
class Style:
    """A style with all that it inherits.

    Attributes:
        name: Its name, in lower case.
        names: Its name and those of the styles that it is based on.
        heading: Level of heading, 1 at the top.
        num_id: Numbering that its paragraphs take part in; "0" takes them out.
        ilvl: Level in that numbering, from 0.
        aligned: Value of ``w:jc``.
        font: Its type.
    """

    name: str = ""
    names: tuple[str, ...] = ()
    heading: int | None = None
    num_id: str | None = None
    ilvl: int | None = None
    aligned: str | None = None
    font: Font = UNSAID

    @property
    def centred(self) -> bool:
        """Whether its paragraphs stand in the middle of the line."""
        return self.aligned in _CENTRED

    @property
    def right(self) -> bool:
        """Whether its paragraphs stand at the right margin."""
        return self.aligned in _RIGHT


class Styles:
    """The styles of a document."""

    def __init__(self, root: Any | None) -> None:
        nodes = () if root is None else root.findall(w("style"))
        self._nodes = {attribute(node, "styleId"): node for node in nodes}
        self._known: dict[str | None, Style] = {}
        defaults = None if root is None else root.find(f"{w('docDefaults')}/{w('rPrDefault')}/{w('rPr')}")
        self._base = Style(font=read_font(defaults))
        default = (
            style_id
            for style_id, node in self._nodes.items()
            if attribute(node, "type") == "paragraph" and attribute(node, "default") in ("1", "true", "on")
        )
        self._default = next(default, None)

    def of(self, properties: Any | None) -> Style:
        """The style of a paragraph, by its ``w:pPr``, with what that sets itself."""
        style = self._get(child_value(properties, "pStyle") or self._default)
        aligned = child_value(properties, "jc")
        return style if aligned is None else replace(style, aligned=aligned)

    def font_of(self, style_id: str | None) -> Font:
        """The type that a character style sets."""
        return UNSAID if style_id is None else self._get(style_id, bare=True).font

    def _get(self, style_id: str | None, *, bare: bool = False) -> Style:
        key = f"{style_id}\0" if bare else style_id
        if key not in self._known:
            self._known[key] = self._resolve(style_id, Style() if bare else self._base)
        return self._known[key]

    def _resolve(self, style_id: str | None, style: Style) -> Style:
        chain: dict[str, Any] = {}
        while style_id is not None and style_id in self._nodes and style_id not in chain:
            chain[style_id] = self._nodes[style_id]
            style_id = child_value(chain[style_id], "basedOn")
        for node in reversed(chain.values()):
            style = _derive(style, node)
        return style


def _derive(base: Style, node: Any) -> Style:
    name = re.sub(r"\s+", " ", (child_value(node, "name") or "").lower().strip())
    properties = node.find(w("pPr"))
    heading = outline_level(properties)
    if heading is None:
        heading = heading_of_name(name)
    num_id, ilvl = numbering_of(properties)
    return Style(
        name=name,
        names=(name, *base.names),
        heading=base.heading if heading is None else heading or None,
        num_id=base.num_id if num_id is None else num_id,
        ilvl=base.ilvl if ilvl is None else ilvl,
        aligned=child_value(properties, "jc") or base.aligned,
        font=overlay(base.font, read_font(node.find(w("rPr")))),
    )


def outline_level(properties: Any | None) -> int | None:
    """Heading level that properties set: 1 at the top, 0 for body text, ``None`` where they do not say."""
    value = child_value(properties, "outlineLvl")
    if value is None or not value.isdecimal() or len(value) > 2:
        return None
    return 0 if int(value) >= _BODY_LEVEL else int(value) + 1


def numbering_of(properties: Any | None) -> tuple[str | None, int | None]:
    """Numbering instance and level that properties set."""
    level = child_value(properties, "numPr/ilvl")
    known = level is not None and level.isdecimal() and len(level) < 3
    return child_value(properties, "numPr/numId"), int(level) if level and known else None
