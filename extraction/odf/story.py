"""Paragraphs and tables of an OpenDocument file in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from extraction.flow.blocks import Block, Look, Note, Paragraph, Role
from extraction.flow.cells import flatten
from extraction.flow.openings import is_beside_formula
from extraction.odf.lists import Lists
from extraction.odf.numbering import ListStyles, integer
from extraction.odf.package import Parts, get, q
from extraction.odf.runs import ParagraphText, Runs
from extraction.odf.styles import Style, Styles
from extraction.odf.tables import read_table

_PARAGRAPHS = frozenset({q("text:p"), q("text:h")})
_CONTENTS = re.compile(rf"{re.escape(q('text:'))}(?:table-of-content|\w+-index|bibliography)")
_GONE = frozenset(
    map(
        q,
        (
            "text:tracked-changes",
            "office:forms",
            "text:sequence-decls",
            "text:variable-decls",
            "text:user-field-decls",
            "office:annotation",
            "presentation:notes",
            "draw:object",
            "draw:image",
            "svg:title",
            "svg:desc",
        ),
    )
)
_SOURCES = frozenset({"source", "entry-template"})
_MOSTLY = 0.95


class Story:
    """Reads the blocks of a document; paragraphs are counted, so it must be read in order and once."""

    def __init__(self, parts: Parts) -> None:
        self.styles = Styles(parts.styles)
        self._runs = Runs(self.styles, parts)
        self._lists = Lists(ListStyles(parts.styles))

    def blocks(
        self, parent: Any, *, page: int | None = None, contents: bool = False, base: Style | None = None
    ) -> Iterator[Block]:
        """The blocks below an element, with all tracked changes accepted.

        Args:
            parent: A body, section, list item, cell, note, frame or shape.
            page: The slide that it stands on.
            contents: Whether it is a table of contents.
            base: Style of a shape, for its paragraphs that have none.
        """
        for node in parent:
            tag = node.tag
            if not isinstance(tag, str) or tag in _GONE or _is_hidden(node):
                continue
            if tag in _PARAGRAPHS:
                yield from self._paragraph(node, page, contents=contents, base=base)
            elif tag == q("text:list"):
                with self._lists.inside(node):
                    yield from self.blocks(node, page=page, contents=contents, base=base)
            elif tag == q("table:table"):
                yield from read_table(node, self._cell, page)
            else:
                if tag == q("text:list-item"):
                    self._lists.item(node)
                if tag.rpartition("}")[2].endswith(tuple(_SOURCES)):
                    continue
                yield from self.blocks(
                    node, page=page, contents=contents or bool(_CONTENTS.fullmatch(tag)), base=base
                )

    def _cell(self, cell: Any) -> Iterator[Block]:
        with self._lists.apart():
            yield from self.blocks(cell)

    def _paragraph(
        self, node: Any, page: int | None, *, contents: bool, base: Style | None
    ) -> Iterator[Block]:
        name = get(node, "text:style-name")
        style = base if base is not None and name is None else self.styles.paragraph(name)
        content = self._runs.read(node, style)
        level = _level(node, style)
        label = self._lists.label(style.numbering)
        if label is None and node.tag == q("text:h") and style.numbering != "" and not self._lists.depth:
            label = self._lists.heading(node, level or 1)
        if content.text.strip() or label:
            yield Paragraph(
                text=content.text,
                role=_role(style, level, content, contents=contents),
                level=level,
                label=label,
                depth=max(self._lists.depth, 1),
                style=style.name,
                look=_look(style, content),
                page=page,
            )
        yield from self._attached(content, page)

    def _attached(self, content: ParagraphText, page: int | None) -> Iterator[Block]:
        for box in content.boxes:
            with self._lists.apart():
                yield from self.blocks(box, page=page)
        for note in content.notes:
            with self._lists.apart():
                text = flatten(list(self.blocks(note)))
            if text:
                yield Note(text, page)


def _is_hidden(node: Any) -> bool:
    """Whether a section or paragraph is hidden, as it was when the file was saved."""
    return get(node, "text:display") == "none" or get(node, "text:is-hidden") == "true"


def _level(node: Any, style: Style) -> int | None:
    if node.tag == q("text:h"):
        return max(integer(get(node, "text:outline-level"), 1), 1)
    return style.heading


def _role(style: Style, level: int | None, content: ParagraphText, *, contents: bool) -> Role:
    if contents or style.role is Role.CONTENTS:
        return Role.CONTENTS
    if level is not None:
        return Role.HEADING
    if content.formulas and style.role is Role.BODY and is_beside_formula("".join(content.beside)):
        return Role.FORMULA
    return style.role


def _look(style: Style, content: ParagraphText) -> Look:
    return Look(
        bold=content.letters > 0 and content.bold >= _MOSTLY * content.letters,
        centred=style.centred,
        right=style.right,
        size=max(content.sizes, key=lambda size: content.sizes[size]) if content.sizes else None,
    )
