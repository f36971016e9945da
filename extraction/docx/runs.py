"""The text of a paragraph with all tracked changes accepted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from extraction.docx.package import COMPATIBILITY, MATH, attribute, is_on, w

_GONE = frozenset(
    w(name)
    for name in ("del", "moveFrom", "pPr", "rPr", "sdtPr", "sdtEndPr", "instrText", "delText", "tblPr")
)
_TEXT = frozenset({w("t"), f"{{{MATH}}}t"})
_LITERAL = {
    w("tab"): "\t",
    w("ptab"): "\t",
    w("br"): "\n",
    w("cr"): "\n",
    w("noBreakHyphen"): "-",
    w("softHyphen"): "\u00ad",
}
# Characters of Symbol and Wingdings that norms use; other glyphs of these fonts have no meaning as text.
_SYMBOLS = {
    "F0B0": "°", "F0B1": "±", "F0B3": "≥", "F0A3": "≤", "F0D7": "×", "F0B4": "×", "F0B9": "≠", "F0BB": "≈",
    "F061": "α", "F062": "β", "F067": "γ", "F064": "δ", "F065": "ε", "F06C": "λ", "F06D": "μ", "F070": "π",
    "F072": "ρ", "F073": "σ", "F074": "τ", "F06A": "φ", "F044": "Δ", "F053": "Σ", "F0D6": "√", "F0A7": "•",
    "F0B7": "•", "F0AE": "→",
}  # fmt: skip


@dataclass(slots=True)
class ParagraphText:
    """What a paragraph holds.

    Attributes:
        parts: Its text, in pieces.
        boxes: Roots of text boxes that are anchored in it.
        notes: Notes that it refers to, as (kind, id), kind "footnote" or "endnote".
        only_formula: Whether all of its text is a formula.
        bold: Whether all of its text is set in bold.
    """

    parts: list[str] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    only_formula: bool = True
    bold: bool = True

    @property
    def text(self) -> str:
        """The text in one piece."""
        return "".join(self.parts)


def read_paragraph(node: Any) -> ParagraphText:
    """Read a ``w:p``."""
    result = ParagraphText()
    _walk(node, result)
    result.only_formula = result.only_formula and bool(result.text.strip())
    return result


def _walk(node: Any, into: ParagraphText) -> None:
    for child in node:
        tag = child.tag
        if tag in _GONE or not isinstance(tag, str):
            continue
        if tag in _TEXT:
            _add(into, child.text or "", formula=tag != w("t"))
            into.bold = into.bold and (not (child.text or "").strip() or is_on(node, "rPr/b"))
        elif tag in _LITERAL:
            into.parts.append(_LITERAL[tag])
        elif not _special(child, into):
            _walk(child, into)


def _special(node: Any, into: ParagraphText) -> bool:
    """Read an element that is not simply walked through; returns whether it was one."""
    tag = node.tag
    if tag == w("txbxContent"):
        into.boxes.append(node)
    elif tag in (w("footnoteReference"), w("endnoteReference")):
        kind = "footnote" if tag == w("footnoteReference") else "endnote"
        into.notes.append((kind, attribute(node, "id") or ""))
    elif tag == w("sym"):
        _add(into, _SYMBOLS.get((attribute(node, "char") or "").upper(), ""), formula=False)
    elif tag == f"{{{COMPATIBILITY}}}AlternateContent":
        chosen = next(iter(node), None)  # the choices say the same in newer and older words
        if chosen is not None:
            _walk(chosen, into)
    else:
        return tag == w("r") and is_on(node, "rPr/vanish")
    return True


def _add(into: ParagraphText, text: str, *, formula: bool) -> None:
    into.parts.append(text)
    if text.strip() and not formula:
        into.only_formula = False


def mark_is_deleted(paragraph: Any) -> bool:
    """Whether the end of a paragraph is deleted, so that the next one continues it."""
    mark = paragraph.find(f"{w('pPr')}/{w('rPr')}")
    return mark is not None and (mark.find(w("del")) is not None or mark.find(w("moveFrom")) is not None)
