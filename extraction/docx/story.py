"""Paragraphs and tables in reading order, through all that may be wrapped around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from extraction.docx.numbering import Label, Numbering
from extraction.docx.package import COMPATIBILITY, Parts, attribute, child_value, w
from extraction.docx.runs import ParagraphText, Runs, is_placeholder, mark_is_deleted
from extraction.docx.styles import Style, Styles, numbering_of, outline_level
from extraction.docx.tables import read_table
from extraction.flow.blocks import Block, Look, Note, Paragraph, Role
from extraction.flow.cells import flatten
from extraction.flow.styles import role_of_names

_WRAPPERS = frozenset(w(name) for name in ("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag"))
_PAGE_AT_END = re.compile(r"\d\s*$")
_MOSTLY = 0.95


class Story:
    """Reads the blocks of a document; paragraphs are counted, so it must be read in order and once."""

    def __init__(self, parts: Parts) -> None:
        self._styles = Styles(parts.styles)
        self._numbering = Numbering(parts.numbering)
        self._runs = Runs(self._styles)
        self._note_roots = {"footnote": parts.footnotes, "endnote": parts.endnotes}
        self._notes: dict[tuple[str, str], Any] = {}
        for kind, root in self._note_roots.items():
            for node in () if root is None else root.findall(w(kind)):
                self._notes[kind, attribute(node, "id") or ""] = node

    def blocks(self, parent: Any) -> Iterator[Block]:
        """The blocks of a body, cell, note or text box, with all tracked changes accepted."""
        carried: list[ParagraphText] = []  # paragraphs whose end is deleted: the next one continues them
        for node in children(parent):
            if node.tag == w("tbl"):
                yield from self._ended(carried)  # a table continues no paragraph
                yield from read_table(node, self.blocks)
                continue
            style = self._styles.of(node.find(w("pPr")))
            content = self._runs.read(node, style)
            if mark_is_deleted(node):
                carried.append(content)
            else:
                yield from self._paragraph(node, style, [*carried, content])
                carried.clear()
        yield from self._ended(carried)

    def _ended(self, carried: list[ParagraphText]) -> Iterator[Block]:
        for content in carried:
            yield from self._paragraph(None, self._styles.of(None), [content])
        carried.clear()

    def _paragraph(self, node: Any | None, style: Style, contents: list[ParagraphText]) -> Iterator[Block]:
        properties = None if node is None else node.find(w("pPr"))
        label, ilvl = (None, 0) if node is None else self._label(properties, style)
        text = "".join(content.text for content in contents)
        if text.strip() or (label and label.text):  # a table's first column may hold numbers only
            yield Paragraph(
                text=text,
                role=_role(properties, style, text, contents),
                level=_heading(properties, style),
                label=None if label is None else label.text,
                tight=label is not None and label.tight,
                depth=ilvl + 1,
                style=style.name,
                look=_look(style, contents),
            )
        for content in contents:
            for box in content.boxes:
                yield from self.blocks(box)
            for note in content.notes:
                yield from self._note(note)

    def _note(self, key: tuple[str, str]) -> Iterator[Block]:
        node = self._notes.pop(key, None)  # a note that is referred to twice is printed once
        if node is not None and (text := flatten(list(self.blocks(node)))):
            yield Note(text)

    def _label(self, properties: Any | None, style: Style) -> tuple[Label | None, int]:
        num_id, ilvl = numbering_of(properties)
        num_id = style.num_id if num_id is None else num_id
        if ilvl is None:
            linked = self._numbering.level_of_style(num_id, child_value(properties, "pStyle") or "")
            ilvl = next((level for level in (linked, style.ilvl) if level is not None), 0)
        return self._numbering.label(num_id, ilvl), ilvl


def children(parent: Any) -> Iterator[Any]:
    """The ``w:p`` and ``w:tbl`` below an element, outermost only; placeholders are left out."""
    for child in parent:
        if child.tag in (w("p"), w("tbl")):
            yield child
        elif child.tag in _WRAPPERS:
            if not is_placeholder(child):
                yield from children(child)
        elif child.tag == f"{{{COMPATIBILITY}}}AlternateContent" and len(child):
            yield from children(child[0])


def _heading(properties: Any | None, style: Style) -> int | None:
    own = outline_level(properties)
    return style.heading if own is None else own or None


def _role(properties: Any | None, style: Style, text: str, contents: list[ParagraphText]) -> Role:
    named = role_of_names(style.names)
    made = any(content.contents for content in contents) and _PAGE_AT_END.search(text) is not None
    if named is Role.CONTENTS or made:
        return Role.CONTENTS
    if _heading(properties, style) is not None:
        return Role.HEADING
    if named is Role.BODY and all(content.only_formula for content in contents if content.text.strip()):
        return Role.FORMULA
    return named


def _look(style: Style, contents: list[ParagraphText]) -> Look:
    letters = sum(content.letters for content in contents)
    sizes: dict[float | None, int] = {}
    for content in contents:
        for size, count in content.sizes.items():
            sizes[size] = sizes.get(size, 0) + count
    return Look(
        bold=letters > 0 and sum(content.bold for content in contents) >= _MOSTLY * letters,
        centred=style.centred,
        right=style.right,
        size=max(sizes, key=lambda size: sizes[size]) if sizes else None,
    )
