"""What runs of text look like, as far as it tells headings, hidden text and symbols apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from extraction.docx.package import attribute, child_value, w

_OFF = frozenset({"0", "false", "off", "none"})


@dataclass(frozen=True, slots=True)
class Font:
    """Properties of a run or style; ``None`` where it does not say.

    Attributes:
        bold: Whether bold.
        hidden: Whether hidden.
        size: Size in points.
        face: Name of the typeface.
    """

    bold: bool | None = None
    hidden: bool | None = None
    size: float | None = None
    face: str | None = None


UNSAID = Font()


def read_font(properties: Any | None) -> Font:
    """The font that a ``w:rPr`` sets."""
    if properties is None or not len(properties):
        return UNSAID
    size = child_value(properties, "sz")
    fonts = properties.find(w("rFonts"))
    return Font(
        bold=_toggle(properties, "b"),
        hidden=_toggle(properties, "vanish"),
        size=int(size) / 2 if size and size.isdecimal() and len(size) < 5 else None,
        face=None if fonts is None else attribute(fonts, "ascii") or attribute(fonts, "hAnsi"),
    )


def overlay(base: Font, over: Font) -> Font:
    """What is shown where ``over`` is set upon ``base``."""
    if over == UNSAID:
        return base
    return Font(
        bold=base.bold if over.bold is None else over.bold,
        hidden=base.hidden if over.hidden is None else over.hidden,
        size=base.size if over.size is None else over.size,
        face=base.face if over.face is None else over.face,
    )


def _toggle(properties: Any, name: str) -> bool | None:
    value = child_value(properties, name)
    return None if value is None else value not in _OFF
