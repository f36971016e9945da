"""Styles: which paragraphs are headings, titles, captions, and how a style is numbered."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from extraction.docx.package import attribute, child_value, w

_HEADING_NAME = re.compile(r"(?:heading|заголовок)\s*([1-9])", re.IGNORECASE)
_BODY_LEVEL = 9


@dataclass(frozen=True, slots=True)
class Style:
    """A paragraph style with all that it inherits.

    Attributes:
        name: Its name, in lower case.
        heading: Level of heading, 1 at the top.
        num_id: Numbering that its paragraphs take part in; "0" takes them out.
        ilvl: Level in that numbering, from 0.
    """

    name: str = ""
    heading: int | None = None
    num_id: str | None = None
    ilvl: int | None = None


_PLAIN = Style()


class Styles:
    """The styles of a document."""

    def __init__(self, root: Any | None) -> None:
        nodes = () if root is None else root.findall(w("style"))
        self._nodes = {attribute(node, "styleId"): node for node in nodes}
        self._known: dict[str | None, Style] = {}
        default = (
            style_id
            for style_id, node in self._nodes.items()
            if attribute(node, "type") == "paragraph" and attribute(node, "default") in ("1", "true", "on")
        )
        self._default = next(default, None)

    def of(self, properties: Any | None) -> Style:
        """The style of a paragraph, by its ``w:pPr``."""
        style_id = child_value(properties, "pStyle") or self._default
        if style_id not in self._known:
            self._known[style_id] = self._resolve(style_id)
        return self._known[style_id]

    def _resolve(self, style_id: str | None) -> Style:
        chain: list[Any] = []
        while style_id in self._nodes and self._nodes[style_id] not in chain:
            chain.append(self._nodes[style_id])
            style_id = child_value(chain[-1], "basedOn")
        style = _PLAIN
        for node in reversed(chain):
            style = _derive(style, node)
        return style


def _derive(base: Style, node: Any) -> Style:
    name = (child_value(node, "name") or "").lower()
    properties = node.find(w("pPr"))
    heading = outline_level(properties)
    if heading is None and (named := _HEADING_NAME.fullmatch(name)):
        heading = int(named[1])
    num_id, ilvl = numbering_of(properties)
    return replace(
        base,
        name=name,
        heading=base.heading if heading is None else heading or None,
        num_id=base.num_id if num_id is None else num_id,
        ilvl=base.ilvl if ilvl is None else ilvl,
    )


def outline_level(properties: Any | None) -> int | None:
    """Heading level that properties set: 1 at the top, 0 for body text, ``None`` where they do not say."""
    value = child_value(properties, "outlineLvl")
    if value is None or not value.isdecimal():
        return None
    return 0 if int(value) >= _BODY_LEVEL else int(value) + 1


def numbering_of(properties: Any | None) -> tuple[str | None, int | None]:
    """Numbering instance and level that properties set."""
    level = child_value(properties, "numPr/ilvl")
    return child_value(properties, "numPr/numId"), int(level) if level and level.isdecimal() else None
