"""Reads a tree in document order into blocks of text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from lxml import etree

from extraction.html.inline import formula, is_note_reference, raised
from extraction.html.lists import LISTS, ListState, has_typed_number, open_list
from extraction.html.notes import is_note
from extraction.html.styles import PLAIN, Look
from extraction.html.tables import is_layout, read_table
from extraction.html.tree import BLOCKS
from extraction.html.visibility import Visibility
from rubrica.model import ElementKind

_HEADING = re.compile(r"h([1-6])")
_FOLD = re.compile(r"[^\S\u00a0]+")
_HEADING_LENGTH = 400  # a longer one is text that is only marked up as a heading
_WORD_LIST = re.compile(r"mso-list:\s*\w+\s+level(\d)")
_CAPTION_CLASSES = frozenset(
    {"thumbcaption", "msocaption", "wp-caption-text", "gallerytext", "figure-caption"}
)
_MAX_NESTING = 8  # of tables in cells; deeper ones are read as running text


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a page that is set apart from what is around it.

    Attributes:
        kind: What the markup says that it is.
        text: Its text; a newline stands for a ``br``.
        level: Depth of a heading or list item.
        look: How most of it is set.
        names: Classes of the element that holds it, in lower case.
        linked: Whether most of it is links.
        rows: Cells, for a table.
        header_rows: How many of the rows are the header.
    """

    kind: ElementKind
    text: str
    level: int | None = None
    look: Look = PLAIN
    names: frozenset[str] = frozenset()
    linked: bool = False
    rows: tuple[tuple[str, ...], ...] = ()
    header_rows: int = 0


@dataclass(slots=True)
class _Item:
    """A list item's marker, which goes in front of its first block only."""

    marker: str
    level: int
    used: bool = False


@dataclass(slots=True)
class _Frame:
    """An element that is open, and what its text will become."""

    node: Any
    look: Look = PLAIN
    kind: ElementKind = ElementKind.PARAGRAPH
    level: int | None = None
    item: _Item | None = None
    listing: ListState | None = None
    depth: int = 0
    names: frozenset[str] = frozenset()
    linked: bool = False
    note: bool = False


@dataclass(slots=True)
class _Weights:
    """How many visible characters of a block are set in which way."""

    total: int = 0
    bold: int = 0
    linked: int = 0
    look: Look = PLAIN

    def add(self, text: str, frame: _Frame) -> None:
        count = len(text.strip())
        if count and not self.total:
            self.look = frame.look
        self.total += count
        self.bold += count * frame.look.bold
        self.linked += count * frame.linked


class BlockReader:
    """Walks a tree without recursion; each run of text between block elements becomes a block."""

    def __init__(self, visibility: Visibility, nesting: int = 0) -> None:
        """Prepare to read.

        Args:
            visibility: Tells which elements are read.
            nesting: How many cells the text stands in, one inside the other.
        """
        self._visibility = visibility
        self._nesting = nesting
        self._frames = [_Frame(None)]
        self._buffer: list[str] = []
        self._weights = _Weights()
        self._term = ""  # of a definition list, waiting for its definition
        self._blocks: list[Block] = []

    def read(self, root: Any) -> list[Block]:
        """The blocks of a tree, in order."""
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, node in walk:
            if event == "start":
                if self._start(node):
                    walk.skip_subtree()
            else:
                self._end(node, root)
        self._flush()
        self._flush_term()
        return self._blocks

    def _start(self, node: Any) -> bool:
        """Begin an element; returns whether its inside is done with."""
        if self._inline(node) or self._visibility.hides(node):
            return True
        tag = node.tag
        if tag in BLOCKS:
            self._flush()
        if tag == "table" and self._nesting < _MAX_NESTING and not is_layout(node):
            self._table(node)
            return True
        self._frames.append(self._open(node))
        if tag == "br":
            self._text("\n")
        self._text(node.text)
        return False

    def _inline(self, node: Any) -> bool:
        """Write an element that stands for some other text than its own; returns whether it does."""
        if node.tag in BLOCKS or not isinstance(node.tag, str):
            return False
        text = formula(node) or raised(node)
        if text is not None:
            self._text(text)
            return True
        return is_note_reference(node, opens_block=not self._weights.total)

    def _end(self, node: Any, root: Any) -> None:
        if self._frames[-1].node is node:
            if node.tag in BLOCKS:
                self._flush()
            if node.tag == "dl":
                self._flush_term()
            self._frames.pop()
        if node is not root:
            self._text(node.tail)

    def _open(self, node: Any) -> _Frame:
        tag, above = node.tag, self._frames[-1]
        frame = replace(above, node=node, look=self._visibility.styles.look(node, above.look))
        frame.linked = above.linked or (tag == "a" and node.get("href") is not None)
        if tag in BLOCKS:
            frame.names = frozenset(map(str.lower, node.get("class", "").split()))
            frame.note = above.note or is_note(node)
        if heading := _heading_level(node):
            frame.kind, frame.level = ElementKind.HEADING, heading
        elif tag in LISTS:
            frame.depth, frame.kind, frame.item = above.depth + 1, ElementKind.PARAGRAPH, None
            frame.listing = open_list(node, self._visibility.styles.declarations(node))
        elif tag == "li":
            marker = above.listing.marker(node.get("value")) if above.listing else ""
            frame.kind, frame.item = ElementKind.PARAGRAPH, _Item(marker, max(above.depth, 1))
        elif tag == "pre":
            frame.kind = ElementKind.CODE
        elif tag in ("figcaption", "caption") or not _CAPTION_CLASSES.isdisjoint(frame.names):
            frame.kind = ElementKind.CAPTION
        elif match := _WORD_LIST.search(node.get("style", "")):
            frame.item = _Item("", int(match[1]))
        return frame

    def _text(self, text: str | None) -> None:
        if text:
            frame = self._frames[-1]
            self._weights.add(text, frame)
            as_it_is = frame.kind is ElementKind.CODE or text == "\n"
            self._buffer.append(text if as_it_is else _FOLD.sub(" ", text))

    def _flush(self) -> None:
        text = "".join(self._buffer)
        weights, self._weights = self._weights, _Weights()
        self._buffer.clear()
        frame = self._frames[-1]
        if not text.strip():
            return
        if frame.node is not None and frame.node.tag == "dt":
            self._term = f"{self._term}\n{text.strip()}" if self._term else text.strip()
            return
        self._emit(self._block(text, frame, weights))

    def _block(self, text: str, frame: _Frame, weights: _Weights) -> Block:
        kind, item = frame.kind, frame.item
        level = frame.level if kind is ElementKind.HEADING else None
        if kind is ElementKind.HEADING and len(text) > _HEADING_LENGTH:
            kind, level = ElementKind.PARAGRAPH, None
        if item is not None and not item.used and kind is ElementKind.PARAGRAPH:
            kind, level, item.used = ElementKind.LIST_ITEM, item.level, True
            if item.marker and not has_typed_number(text):
                text = item.marker + text.lstrip()
        elif self._term and frame.node is not None and frame.node.tag == "dd":
            kind, level = ElementKind.LIST_ITEM, max(frame.depth, 1)
            text, self._term = f"{self._term}\n{text.lstrip()}", ""
        if frame.note and kind in (ElementKind.PARAGRAPH, ElementKind.LIST_ITEM):
            kind, level = ElementKind.FOOTNOTE, None
        look = replace(weights.look, bold=weights.bold * 10 >= weights.total * 9)
        return Block(kind, text, level, look, frame.names, weights.linked * 2 > weights.total)

    def _emit(self, block: Block) -> None:
        self._flush_term()
        self._blocks.append(block)

    def _flush_term(self) -> None:
        if self._term:
            self._blocks.append(Block(ElementKind.LIST_ITEM, self._term, max(self._frames[-1].depth, 1)))
            self._term = ""

    def _table(self, node: Any) -> None:
        for caption in node.iterchildren("caption"):
            self._emit(Block(ElementKind.CAPTION, self._cell_text(caption)))
        table = read_table(node, self._visibility, self._cell_text)
        for title in table.titles:
            self._emit(Block(ElementKind.CAPTION, title))
        if table.rows:
            rows = tuple(map(tuple, table.rows))
            self._emit(Block(ElementKind.TABLE, "", rows=rows, header_rows=table.header_rows))

    def _cell_text(self, node: Any) -> str:
        """All text of a cell, on one line."""
        blocks = BlockReader(self._visibility, self._nesting + 1).read(node)
        return " ".join(part for block in blocks for part in _lines(block))


def _lines(block: Block) -> Iterator[str]:
    if block.rows:
        yield from (" ".join(filter(None, row)) for row in block.rows)
    else:
        yield " ".join(block.text.split())


def _heading_level(node: Any) -> int | None:
    if match := _HEADING.fullmatch(node.tag):
        return int(match[1])
    if node.get("role", "").strip().lower() != "heading":
        return None
    level = node.get("aria-level", "2").strip()
    return int(level) if level in {"1", "2", "3", "4", "5", "6", "7", "8", "9"} else 2
