"""A flow of blocks to elements."""

from __future__ import annotations

import re
from collections.abc import Sequence

from extraction.builder import DocumentBuilder, Place
from extraction.flow.blocks import Block, Note, Paragraph, Role, Table
from extraction.flow.captions import find_captions
from extraction.flow.joining import join_lines
from extraction.flow.openings import is_contents_line, item_rank
from extraction.flow.outline import Heading, TitleLine, find_outline
from extraction.lines import BULLET
from extraction.tables import guess_header_rows
from rubrica.model import ElementKind

# A clause of a norm ("5.2.1"), as against the item of a list ("1)", "а)").
_CLAUSE = re.compile(r"(?:[А-ЯA-Z]\.)?\d{1,3}(?:\.\d{1,3})+\.?")
_LONGEST_ENTRY = 1000
_LEADERS = re.compile(r"(?:[.·…_]\s?){4,}|\t+(?=\s*\d{1,4}\s*$)")


def write_flow(blocks: Sequence[Block]) -> DocumentBuilder:
    """Write blocks as elements, finding headings, captions and items that no style marks."""
    writer = _Writer(join_lines(blocks))
    writer.write()
    return writer.builder


class _Writer:
    def __init__(self, blocks: Sequence[Block]) -> None:
        self.builder = DocumentBuilder()
        self._blocks = blocks
        self._captions = find_captions(blocks)
        self._outline = find_outline(blocks, self._captions)
        self._digits = False  # whether a list numbered «1)» is open, inside which «а)» is one level down

    def write(self) -> None:
        skip = 0
        for index, block in enumerate(self._blocks):
            if index < skip:
                continue
            found = self._outline.get(index)
            if found is not None:
                skip = index + found.lines
                self._heading(found, self._blocks[index])
            elif isinstance(block, Table):
                self._table(block)
            elif isinstance(block, Note):
                self.builder.add(ElementKind.FOOTNOTE, block.text, place=_place(block))
            elif not block.text.strip():
                continue
            elif block.role is Role.CODE:
                skip = self._code(index)
            elif index in self._captions:
                skip = self._caption(index, block)
            else:
                self._paragraph(block)

    def _heading(self, found: Heading | TitleLine, block: Block) -> None:
        self._digits = False
        if isinstance(found, Heading):
            self.builder.add(
                ElementKind.HEADING, found.text, level=found.level, place=_place(block), clause=found.clause
            )
        else:
            self.builder.add(ElementKind.TITLE, found.text, place=_place(block))

    def _paragraph(self, block: Paragraph) -> None:
        kind, level = self._kind(block)
        text = block.numbered
        clause = None
        if _in_contents(block):
            text, clause = _LEADERS.sub(" … ", text) if len(text) <= _LONGEST_ENTRY else text, ""
        elif kind is ElementKind.LIST_ITEM and not block.label:
            bullet = BULLET.match(text)
            text = text[bullet.end() :] if bullet else text
        elif block.label and _CLAUSE.fullmatch(block.label):
            clause = block.label.rstrip(".")
        self.builder.add(kind, text, level=level, place=_place(block), clause=clause)

    def _kind(self, block: Paragraph) -> tuple[ElementKind, int | None]:
        rank = item_rank(block.text.lstrip())
        digits, self._digits = self._digits, False
        if _in_contents(block):
            return ElementKind.LIST_ITEM, block.depth
        if block.role is Role.FORMULA:
            return ElementKind.FORMULA, None
        if block.label is not None and not _CLAUSE.fullmatch(block.label):
            return ElementKind.LIST_ITEM, block.depth
        if block.label is None and (rank is not None or BULLET.match(block.text)):
            self._digits = rank == 1 or (digits and rank is not None)
            return ElementKind.LIST_ITEM, 2 if digits and rank != 1 else 1
        return ElementKind.PARAGRAPH, None

    def _caption(self, index: int, block: Paragraph) -> int:
        """Write the lines that name a table as one element; returns the index after them."""
        end = index + self._captions[index]
        lines = [line.numbered for line in self._blocks[index:end] if isinstance(line, Paragraph)]
        self.builder.add(
            ElementKind.CAPTION, "\n".join(filter(None, map(str.strip, lines))), place=_place(block)
        )
        return end

    def _code(self, index: int) -> int:
        """Write lines of code that follow each other as one element; returns the index after them."""
        end = index
        lines: list[str] = []
        while end < len(self._blocks):
            block = self._blocks[end]
            if not isinstance(block, Paragraph) or block.role is not Role.CODE:
                break
            lines.append(block.text)
            end += 1
        self.builder.add(ElementKind.CODE, "\n".join(lines), place=_place(self._blocks[index]))
        return end

    def _table(self, block: Table) -> None:
        headers = block.header_rows
        self.builder.add_table(
            block.rows,
            header_rows=guess_header_rows(block.rows) if headers is None else headers,
            place=_place(block),
        )


def _in_contents(block: Paragraph) -> bool:
    return block.role is Role.CONTENTS or (block.role is Role.BODY and is_contents_line(block.text))


def _place(block: Block) -> Place:
    return Place(block.page, block.page)
