"""The text of an OpenDocument paragraph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from extraction.flow.mathml import linear
from extraction.flow.symbols import without_private
from extraction.odf.numbering import integer
from extraction.odf.package import Parts, get, q
from extraction.odf.styles import Style, Styles

_GONE = frozenset(
    map(
        q,
        (
            "office:annotation",
            "office:annotation-end",
            "text:hidden-text",
            "text:placeholder",
            "text:script",
            "text:ruby-text",
            "text:note-citation",
            "svg:title",
            "svg:desc",
            "presentation:notes",
            "office:event-listeners",
            "table:table-template",
        ),
    )
)
_MOST_SPACES = 100


@dataclass(slots=True)
class ParagraphText:
    """What a paragraph holds.

    Attributes:
        parts: Its text, in pieces.
        beside: Its text outside of formulas.
        formulas: How many formulas it holds.
        boxes: Roots of text boxes and drawings with text that are anchored in it.
        notes: Bodies of its notes.
        bold: How many of its letters are bold.
        letters: How many letters it has.
        sizes: Letters by size of type.
    """

    parts: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    formulas: int = 0
    boxes: list[Any] = field(default_factory=list)
    notes: list[Any] = field(default_factory=list)
    bold: int = 0
    letters: int = 0
    sizes: dict[float | None, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The text in one piece."""
        return "".join(self.parts)


class Runs:
    """Reads paragraphs."""

    def __init__(self, styles: Styles, parts: Parts) -> None:
        self._styles = styles
        self._parts = parts

    def read(self, node: Any, style: Style) -> ParagraphText:
        """Read a ``text:p`` or ``text:h`` that is set in a style."""
        result = ParagraphText()
        if not style.hidden:
            self._walk(node, style, result)
        return result

    def _walk(self, node: Any, style: Style, into: ParagraphText) -> None:
        _add(node.text, style, into)
        for child in node:
            if isinstance(child.tag, str) and child.tag not in _GONE:
                self._child(child, style, into)
            _add(child.tail, style, into)

    def _child(self, child: Any, style: Style, into: ParagraphText) -> None:
        tag = child.tag
        if tag == q("text:span"):
            inner = self._styles.text(style, get(child, "text:style-name"))
            if not inner.hidden:
                self._walk(child, inner, into)
        elif tag == q("text:s"):
            _write(" " * min(integer(get(child, "text:c"), 1), _MOST_SPACES), style, into)
        elif tag == q("text:tab"):
            _write("\t", style, into)
        elif tag == q("text:line-break"):
            _write("\n", style, into)
        elif tag == q("text:note"):
            into.notes += child.findall(q("text:note-body"))
        elif tag.startswith(q("draw:")):
            self._drawing(child, into)
        else:
            self._walk(child, style, into)

    def _drawing(self, node: Any, into: ParagraphText) -> None:
        formula = self._formula(node)
        if formula:
            into.formulas += 1
            into.parts.append(formula)
        else:
            into.boxes.append(node)

    def _formula(self, frame: Any) -> str:
        found = frame.find(q("draw:object"))
        if found is None:
            return ""
        href = get(found, "xlink:href")
        root = self._parts.embedded(href) if href else next(iter(found), None)
        if root is None or not isinstance(root.tag, str) or root.tag.rpartition("}")[2] != "math":
            return ""
        return linear(root)


def _add(text: str | None, style: Style, into: ParagraphText) -> None:
    """Take over characters as they stand in the file, where a run of white space is one space."""
    if text:
        folded = " ".join(text.split())
        before = " " if text[0].isspace() else ""
        after = " " if folded and text[-1].isspace() else ""
        _write(before + folded + after, style, into)


def _write(text: str, style: Style, into: ParagraphText) -> None:
    text = without_private(text, "")
    into.parts.append(text)
    into.beside.append(text)
    letters = sum(not char.isspace() for char in text)
    into.letters += letters
    into.bold += letters if style.bold else 0
    into.sizes[style.size] = into.sizes.get(style.size, 0) + letters
