"""The elements of documents in XML, by the names that DocBook, DITA, TEI, JATS and FictionBook share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

from extraction.builder import DocumentBuilder
from extraction.tables import Cell, guess_header_rows, lay_out
from extraction.text import word_set
from rubrica.model import ElementKind

_SECTIONS = word_set(
    "section sect1 sect2 sect3 sect4 sect5 sec simplesect refsect1 refsect2 refsect3 refsection"
    " refentry chapter article book part appendix preface glossary bibliography topic concept task"
    " reference dita div text div1 div2 div3 div4 troubleshooting set"
)
_TITLES = word_set("title head bridgehead subtitle refname")
_ITEMS = word_set("listitem li item step substep callout")
_CODE = word_set(
    "programlisting screen literallayout codeblock listing synopsis pre eg msgblock code-block verbatim"
    " programlistingco screenco preformat"
)
_NOTES = word_set("footnote fn")
_TABLES = word_set("table informaltable simpletable table-wrap choicetable properties")
_FIGURES = word_set(
    "table informaltable simpletable table-wrap figure fig example note tip warning caution important sidebar"
)
_SKIPPED = word_set(
    "binary description metadata prolog articleinfo bookinfo info sectioninfo"
    " chapterinfo graphic imagedata mediaobject image teiHeader front-matter journal-meta related-links"
    " titleabbrev xref-list refmeta style script"
)
_UNSEEN = word_set("indexterm anchor remark")  # nothing to read, and the text around them goes on
_INLINE = word_set(
    "emphasis strong b i u em literal code codeph command option filename link ulink xref ref quote q"
    " foreignphrase firstterm glossterm citetitle replaceable userinput computeroutput systemitem"
    " varname envar parameter function classname methodname type constant application productname"
    " package guilabel guimenu guibutton menuchoice keycap superscript subscript sup sub a ph term"
    " keyword uicontrol wintitle filepath apiname hi name date num abbr acronym style strikethrough"
    " trademark phrase inlineequation email uri tag span italic bold monospace sc named-content ext-link"
)
_BOOK_TITLE = (
    ".//{*}title-info/{*}book-title",
    "./{*}info/{*}title",
    "./{*}title",
    ".//{*}titleStmt/{*}title",
)


class XmlWriter:
    """Walks a tree of elements without recursion; every one that is not known to be inline is a block."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self.title = ""
        self._builder = builder
        self._buffer: list[str] = []
        self._notes: list[str] = []  # footnotes in the text that is being read
        self._level = 0
        self._items: list[bool] = []  # per open list item whether its first block is still awaited

    def write(self, root: Any) -> None:
        """Write a whole document."""
        found = (root.find(path) for path in _BOOK_TITLE)
        self.title = next((_flat(node) for node in found if node is not None), "")
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, node in walk:
            if event == "start":
                if self._start(node):
                    walk.skip_subtree()
            else:
                self._end(node)
            if event == "end" and node is not root:
                self._buffer.append(node.tail or "")
        self._flush()

    def _start(self, node: Any) -> bool:
        """Begin an element; returns whether its inside is done with."""
        name = _name(node)
        if name in _INLINE:
            self._buffer.append(node.text or "")
            return False
        if name in _UNSEEN:
            return True
        if name in _NOTES:
            self._notes.append(_flat(node))
            return True
        self._flush()
        if _is_section(node, name):
            self._level += 1
        elif name in _ITEMS:
            self._items.append(True)
        if self._whole(node, name):
            return True
        self._buffer.append(node.text or "")
        return False

    def _whole(self, node: Any, name: str) -> bool:
        """Write what is read at once: titles, code, tables; returns whether it is such."""
        if name in _SKIPPED:
            return True
        if name in _TITLES:
            self._title(node)
        elif name in _CODE:
            self._builder.add(ElementKind.CODE, "".join(node.itertext()))
        elif name in _TABLES:
            self._table(node)
        else:
            return False
        return True

    def _end(self, node: Any) -> None:
        name = _name(node)
        if name in _INLINE | _NOTES | _UNSEEN:
            return
        self._flush()
        if _is_section(node, name):
            self._level -= 1
        elif name in _ITEMS:
            self._items.pop()

    def _flush(self) -> None:
        text = " ".join("".join(self._buffer).split())
        self._buffer.clear()
        if text and self._items and self._items[-1]:
            self._items[-1] = False
            self._builder.add(ElementKind.LIST_ITEM, text, level=len(self._items))
        else:
            self._builder.add(ElementKind.PARAGRAPH, text)
        for note in self._notes:
            self._builder.add(ElementKind.FOOTNOTE, note)
        self._notes.clear()

    def _title(self, node: Any) -> None:
        parent = _name(node.getparent()) if node.getparent() is not None else ""
        if parent in _FIGURES:
            self._builder.add(ElementKind.CAPTION, _flat(node))
        elif parent == "poem" or (_name(node) == "subtitle" and parent not in _SECTIONS):
            self._builder.add(ElementKind.PARAGRAPH, _flat(node))
        else:
            self._builder.add(ElementKind.HEADING, _flat(node), level=max(self._level, 1))

    def _table(self, node: Any) -> None:
        for child in node:
            if _name(child) in {"title", "caption", "label"}:
                self._builder.add(ElementKind.CAPTION, _flat(child))
        rows = list(node.iter("{*}row", "{*}tr", "{*}strow", "{*}sthead"))
        grid = lay_out([[_cell(cell) for cell in row if _name(cell) in _CELLS] for row in rows])
        headers = sum(_is_header(row) for row in rows)
        self._builder.add_table(
            grid, header_rows=headers if 0 < headers < len(rows) else guess_header_rows(grid)
        )


_CELLS = word_set("entry td th stentry")


def _is_header(row: Any) -> bool:
    parent = _name(row.getparent())
    return parent == "thead" or _name(row) == "sthead"


def _cell(node: Any) -> Cell:
    rows = node.get("rowspan") or str(
        int(node.get("morerows", "0") or 0) + 1 if _digits(node.get("morerows")) else 1
    )
    columns = node.get("colspan") or _cals_span(node.get("namest", ""), node.get("nameend", ""))
    return Cell(_flat(node), int(columns) if _digits(columns) else 1, int(rows) if _digits(rows) else 1)


def _cals_span(first: str, last: str) -> str:
    """How many columns lie between two names that end in numbers: ``c1`` and ``c3``."""
    numbers = [re.search(r"\d{1,3}$", name) for name in (first, last)]
    if numbers[0] is None or numbers[1] is None:
        return "1"
    return str(max(int(numbers[1][0]) - int(numbers[0][0]) + 1, 1))


def _is_section(node: Any, name: str) -> bool:
    """Whether titles below an element are one level deeper; the ``body`` of a FictionBook has one too."""
    return name in _SECTIONS or (name == "body" and node.find("{*}title") is not None)


def _digits(text: str | None) -> bool:
    return bool(text) and re.fullmatch(r"[0-9]{1,4}", text or "") is not None


def _name(node: Any) -> str:
    return etree.QName(node).localname if isinstance(node.tag, str) else ""


def _flat(node: Any) -> str:
    return " ".join(" ".join(_texts(node)).split())


def _texts(node: Any) -> Iterator[str]:
    """Texts of a node; those of blocks are parted by spaces, those of inline elements are not."""
    parts: list[str] = []
    walk = etree.iterwalk(node, events=("start", "end"))
    for event, child in walk:
        name = _name(child)
        space = "" if name in _INLINE | _UNSEEN else " "
        if event == "end":
            parts += [space, (child.tail or "") if child is not node else ""]
        elif name in _UNSEEN:
            walk.skip_subtree()
        else:
            parts += [space, child.text or ""]
    yield "".join(parts)
