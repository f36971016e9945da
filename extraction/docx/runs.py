"""The text of a paragraph with all tracked changes accepted."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from extraction.docx.fonts import Font, overlay, read_font
from extraction.docx.formulas import linear, m
from extraction.docx.package import COMPATIBILITY, attribute, child_value, is_on, w
from extraction.docx.styles import Style, Styles
from extraction.flow.openings import is_beside_formula
from extraction.flow.symbols import symbol, without_private

_GONE = frozenset(
    w(name)
    for name in (
        "del",
        "moveFrom",
        "pPr",
        "rPr",
        "sdtPr",
        "sdtEndPr",
        "delText",
        "delInstrText",
        "tblPr",
        "rt",
    )
)
_LITERAL = {
    w("tab"): "\t",
    w("ptab"): "\t",
    w("br"): "\n",
    w("cr"): "\n",
    w("noBreakHyphen"): "-",
    w("softHyphen"): "\u00ad",
}
_FORMULAS = frozenset({m("oMath"), m("oMathPara")})
_ALTERNATIVES = f"{{{COMPATIBILITY}}}AlternateContent"
_NOTES = {w("footnoteReference"): "footnote", w("endnoteReference"): "endnote"}
_TITLE_ANCHOR = re.compile(r"_?(?:toc|тос|refheading)", re.IGNORECASE)


@dataclass(slots=True)
class ParagraphText:
    """What a paragraph holds.

    Attributes:
        parts: Its text, in pieces.
        beside: Its text outside of formulas.
        formulas: How many formulas it holds.
        boxes: Roots of text boxes that are anchored in it.
        notes: Notes that it refers to, as (kind, id), kind "footnote" or "endnote".
        bold: How many of its letters are bold.
        letters: How many letters it has.
        sizes: Letters by size of type.
        linked: How many letters lead to a heading, as the lines of a table of contents do.
        in_contents: Whether it stands in a field that makes a table of contents.
    """

    parts: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    formulas: int = 0
    boxes: list[Any] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    bold: int = 0
    letters: int = 0
    sizes: dict[float | None, int] = field(default_factory=dict)
    linked: int = 0
    in_contents: bool = False

    @property
    def text(self) -> str:
        """The text in one piece."""
        return "".join(self.parts)

    @property
    def only_formula(self) -> bool:
        """Whether it is a formula, with its number at most."""
        return self.formulas > 0 and is_beside_formula("".join(self.beside))

    @property
    def contents(self) -> bool:
        """Whether it is made as a line of a table of contents."""
        return self.in_contents or (self.letters > 0 and self.linked >= 0.9 * self.letters)

    def count(self, text: str, font: Font) -> None:
        """Take note of how a piece is set."""
        letters = sum(not char.isspace() for char in text)
        self.letters += letters
        self.bold += letters if font.bold else 0
        self.sizes[font.size] = self.sizes.get(font.size, 0) + letters


@dataclass(slots=True)
class _Field:
    """A field that is open; its code is not text, its result is."""

    in_code: bool = True
    code: str = ""


class Runs:
    """Reads paragraphs, in order: fields may span several."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._fields: list[_Field] = []

    def read(self, node: Any, style: Style) -> ParagraphText:
        """Read a ``w:p`` that is set in a style."""
        result = ParagraphText(in_contents=self._in_contents())
        self._walk(node, style.font, result)
        result.in_contents = result.in_contents or self._in_contents()
        for opened in self._fields:  # a code that goes on over a paragraph's end is a damaged one
            opened.in_code = False
        return result

    def _in_contents(self) -> bool:
        return any(opened.code.lstrip().upper().startswith("TOC") for opened in self._fields)

    def _walk(self, node: Any, font: Font, into: ParagraphText) -> None:
        for child in node:
            tag = child.tag
            if not isinstance(tag, str) or tag in _GONE:
                continue
            if tag == w("r"):
                self._run(child, font, into)
            elif tag == w("t"):
                self._text(without_private(child.text or "", font.face or ""), font, into)
            elif tag in _LITERAL:
                self._text(_LITERAL[tag], font, into)
            elif not self._special(child, font, into):
                self._walk(child, font, into)

    def _run(self, node: Any, font: Font, into: ParagraphText) -> None:
        properties = node.find(w("rPr"))
        if properties is not None:
            font = overlay(font, self._styles.font_of(child_value(properties, "rStyle")))
            font = overlay(font, read_font(properties))
        if not font.hidden:
            self._walk(node, font, into)
        else:
            self._marks(node)

    def _marks(self, node: Any) -> None:
        """Follow the fields of a hidden run, whose text is left out."""
        for child in node:
            if child.tag in (w("fldChar"), w("instrText")):
                self._field(child)

    def _text(self, text: str, font: Font, into: ParagraphText) -> None:
        if any(opened.in_code for opened in self._fields):
            return
        into.parts.append(text)
        into.beside.append(text)
        into.count(text, font)

    def _special(self, node: Any, font: Font, into: ParagraphText) -> bool:
        """Read an element that is not simply walked through; returns whether it was one."""
        tag = node.tag
        if tag in (w("fldChar"), w("instrText")):
            self._field(node)
        elif tag == w("txbxContent"):
            into.boxes.append(node)
        elif tag in _NOTES:
            into.notes.append((_NOTES[tag], attribute(node, "id") or ""))
        elif tag == w("sym"):
            self._text(_symbol(node), font, into)
        elif tag in _FORMULAS:
            into.formulas += 1
            into.parts.append(linear(node))
        elif tag == _ALTERNATIVES:
            for chosen in node[:1]:  # the choices say the same in newer and older words
                self._walk(chosen, font, into)
        elif tag == w("hyperlink"):
            before = into.letters
            self._walk(node, font, into)
            if _TITLE_ANCHOR.match(attribute(node, "anchor") or ""):
                into.linked += into.letters - before
        else:
            return tag == w("sdt") and is_placeholder(node)
        return True

    def _field(self, node: Any) -> None:
        if node.tag == w("instrText"):
            if self._fields:
                self._fields[-1].code += node.text or ""
            return
        kind = attribute(node, "fldCharType")
        if kind == "begin":
            self._fields.append(_Field())
        elif kind == "separate" and self._fields:
            self._fields[-1].in_code = False
        elif kind == "end" and self._fields:
            self._fields.pop()


def is_placeholder(control: Any) -> bool:
    """Whether a content control only shows the hint to fill it in."""
    return is_on(control, "sdtPr/showingPlcHdr")


def mark_is_deleted(paragraph: Any) -> bool:
    """Whether the end of a paragraph is deleted, so that the next one continues it."""
    mark = paragraph.find(f"{w('pPr')}/{w('rPr')}")
    return mark is not None and (mark.find(w("del")) is not None or mark.find(w("moveFrom")) is not None)


def _symbol(node: Any) -> str:
    code = attribute(node, "char") or ""
    if not re.fullmatch(r"[0-9A-Fa-f]{1,4}", code):
        return ""
    value = int(code, 16)
    return symbol(value, attribute(node, "font") or "") if value < 0x100 or value >= 0xF000 else chr(value)
