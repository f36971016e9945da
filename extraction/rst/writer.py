"""The tree that docutils makes to elements."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from docutils import nodes

from extraction.builder import DocumentBuilder
from extraction.tables import Cell, guess_header_rows, lay_out
from rubrica.model import ElementKind

_ROMAN = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
          (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))  # fmt: skip


def _roman(number: int) -> str:
    parts: list[str] = []
    for value, letters in _ROMAN:
        count, number = divmod(min(number, 4999), value)
        parts.append(letters * count)
    return "".join(parts)


_ENUMERATORS: dict[str, Callable[[int], str]] = {
    "arabic": str,
    "loweralpha": lambda number: chr(ord("a") + (number - 1) % 26),
    "upperalpha": lambda number: chr(ord("A") + (number - 1) % 26),
    "lowerroman": lambda number: _roman(number).lower(),
    "upperroman": _roman,
}
_UNDERLINED = re.compile(r"""(?:([^\w\s])\1*\n)?(?P<title>.+)\n([^\w\s])\3*\s*""")
_SUBSTITUTION = 2000  # characters at most
_SILENT = (
    nodes.comment, nodes.target, nodes.substitution_definition, nodes.pending, nodes.raw, nodes.transition,
    nodes.decoration, nodes.meta, nodes.colspec,
)  # fmt: skip
_SERIOUS = 3  # level of a message whose source docutils leaves out of the tree


class RstWriter:
    """Walks a tree; each handler returns nothing and writes elements in order."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self.attributes: dict[str, str] = {}
        self._builder = builder
        self._substitutions: dict[str, Any] = {}
        self._level = 0
        self._lists = 0
        self._marker: str | None = None  # of the list item whose first block is awaited
        self._kind = ElementKind.PARAGRAPH  # of running text: paragraphs, or footnotes

    def write(self, document: nodes.document) -> None:
        """Write a whole document."""
        self._substitutions = document.substitution_defs
        children = document.children
        fields = next((i for i, child in enumerate(children) if not isinstance(child, _SILENT)), None)
        for i, child in enumerate(children):
            if i == fields and isinstance(child, nodes.field_list):
                self._document_fields(child)
            else:
                self._write(child)

    def _document_fields(self, fields: nodes.field_list) -> None:
        for field in fields.children:
            name, body = field.children[0], field.children[1]
            self.attributes[name.astext().lower()] = " ".join(self._text(body).split())

    def _write(self, node: Any) -> None:
        if isinstance(node, _SILENT):
            return
        handler = getattr(self, f"_on_{type(node).__name__}", None)
        if handler is not None:
            handler(node)
        elif isinstance(node, nodes.TextElement):
            self._paragraph(node)
        else:
            self._all(node)

    def _all(self, node: Any) -> None:
        for child in node.children:
            self._write(child)

    # --- Running text ---

    def _paragraph(self, node: Any) -> None:
        self._block(" ".join(self._text(node).split("\n")))

    def _block(self, text: str) -> None:
        if self._kind is ElementKind.FOOTNOTE:
            self._builder.add(self._kind, (self._marker or "") + text)
            self._marker = None
        elif self._marker is not None and text.strip():
            self._builder.add(ElementKind.LIST_ITEM, self._marker + text, level=max(self._lists, 1))
            self._marker = None
        else:
            self._builder.add(ElementKind.PARAGRAPH, text)

    def _on_section(self, node: Any) -> None:
        self._level += 1
        self._all(node)
        self._level -= 1

    def _on_title(self, node: Any) -> None:
        if isinstance(node.parent, nodes.section):
            self._builder.add(ElementKind.HEADING, self._text(node), level=self._level)
        elif isinstance(node.parent, nodes.table):
            self._builder.add(ElementKind.CAPTION, self._text(node))
        else:
            self._paragraph(node)

    def _on_caption(self, node: Any) -> None:
        self._builder.add(ElementKind.CAPTION, self._text(node).replace("\n", " "))

    def _on_literal_block(self, node: Any) -> None:
        self._builder.add(ElementKind.CODE, node.astext())

    _on_doctest_block = _on_literal_block

    def _on_math_block(self, node: Any) -> None:
        self._builder.add(ElementKind.FORMULA, node.astext())

    def _on_line_block(self, node: Any) -> None:
        lines = [self._text(line) for line in node.findall(nodes.line)]
        self._block("\n".join(lines))

    def _on_image(self, node: Any) -> None:
        self._block(node.get("alt", ""))

    def _on_footnote(self, node: Any) -> None:
        label = node.next_node(nodes.label) if isinstance(node, nodes.citation) else None
        kind, self._kind = self._kind, ElementKind.FOOTNOTE
        self._marker = f"[{label.astext()}] " if label else None
        for child in node.children:
            if not isinstance(child, nodes.label):
                self._write(child)
        self._kind, self._marker = kind, None

    _on_citation = _on_footnote

    def _on_system_message(self, node: Any) -> None:
        """What docutils could not read: a title out of place, a malformed table or directive."""
        source = node.next_node(nodes.literal_block)
        if source is None or node["level"] < _SERIOUS:
            return
        title = _UNDERLINED.fullmatch(source.astext())
        if title:
            self._builder.add(ElementKind.PARAGRAPH, title["title"])
        else:
            self._builder.add(ElementKind.CODE, source.astext())

    # --- Lists ---

    def _on_bullet_list(self, node: Any) -> None:
        self._list(node, lambda _: "")

    def _on_enumerated_list(self, node: Any) -> None:
        enumerator = _ENUMERATORS.get(node.get("enumtype", "arabic"), str)
        prefix, suffix, start = node.get("prefix", ""), node.get("suffix", "."), node.get("start", 1)
        self._list(node, lambda i: f"{prefix}{enumerator(start + i)}{suffix} ")

    def _list(self, node: Any, marker: Callable[[int], str]) -> None:
        self._lists += 1
        for i, item in enumerate(node.children):
            self._marker = marker(i)
            self._all(item)
            self._marker = None
        self._lists -= 1

    def _on_definition_list_item(self, node: Any) -> None:
        terms = [child for child in node.children if not isinstance(child, nodes.definition)]
        self._block(" : ".join(self._text(term) for term in terms))
        for child in node.children:
            if isinstance(child, nodes.definition):
                self._all(child)

    def _on_field(self, node: Any) -> None:
        name, body = node.children[0], node.children[1]
        self._lists += 1
        self._marker = f"{self._text(name)}: "
        self._all(body)
        if self._marker is not None:
            self._builder.add(ElementKind.LIST_ITEM, self._text(name), level=self._lists)
            self._marker = None
        self._lists -= 1

    def _on_option_list_item(self, node: Any) -> None:
        options = ", ".join(option.astext() for option in node.findall(nodes.option))
        self._lists += 1
        self._marker = f"{options} "
        for child in node.children:
            if isinstance(child, nodes.description):
                self._all(child)
        self._marker = None
        self._lists -= 1

    # --- Tables ---

    def _on_table(self, node: Any) -> None:
        for child in node.children:
            if isinstance(child, nodes.title):
                self._on_title(child)
        rows = [self._row(row) for row in node.findall(nodes.row)]
        grid = lay_out(rows)
        header = node.next_node(nodes.thead)
        headers = len(header.children) if header else guess_header_rows(grid)
        self._builder.add_table(grid, header_rows=headers)

    def _row(self, row: Any) -> Sequence[Cell]:
        entries = (child for child in row.children if isinstance(child, nodes.entry))
        return [
            Cell(self._flat(entry), entry.get("morecols", 0) + 1, entry.get("morerows", 0) + 1)
            for entry in entries
        ]

    def _flat(self, entry: Any) -> str:
        """A cell's blocks on one line."""
        inner = DocumentBuilder()
        writer = RstWriter(inner)
        writer._substitutions = self._substitutions
        writer._all(entry)
        return " ".join(inner.text.split())

    # --- Inside a line ---

    def _text(self, node: Any) -> str:
        return "".join(self._inline(child) for child in node.children)

    def _inline(self, node: Any) -> str:
        if isinstance(node, nodes.Text):
            return str(node.astext())
        if isinstance(node, nodes.footnote_reference | nodes.raw | nodes.system_message):
            return ""
        if isinstance(node, nodes.substitution_reference):
            return self._substituted(node)
        if isinstance(node, nodes.image):
            return str(node.get("alt", ""))
        return self._text(node)

    def _substituted(self, node: Any) -> str:
        name = node.astext()
        definition = self._substitutions.get(name)
        if definition is None:
            return str(name)
        return "".join(_plain(child) for child in definition.children)[:_SUBSTITUTION]


def _plain(node: Any) -> str:
    return str(node.get("alt", "")) if isinstance(node, nodes.image) else str(node.astext())
