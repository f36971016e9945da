"""Writes the document from the blocks of its pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from extraction.builder import DocumentBuilder, Place
from extraction.pdf.file.reader import open_pdf
from extraction.pdf.file.streams import unpacking_limit
from extraction.pdf.layout import Line, PageLayout, TableRegion, bounds
from extraction.pdf.reading.usable import read_text
from extraction.pdf.structure.headings import classify
from extraction.pdf.structure.items import Item
from extraction.pdf.structure.joins import join_headings
from extraction.pdf.structure.sections import with_sections
from extraction.pdf.structure.title import choose_title, stated_title
from extraction.pdf.tables.continuation import join_tables
from extraction.pdf.text.columns import reading_order
from extraction.pdf.text.furniture import remove_furniture
from extraction.pdf.text.hyphens import LineJoiner
from extraction.pdf.text.paragraphs import Block, build_blocks, measure
from extraction.pdf.text.running import running_lines
from extraction.result import Extracted
from rubrica.settings import ExtractionSettings

_LEADERS = re.compile(r"\s*(?:[.·…_]\s?){4,}\s*(?=[\dIVXivx]{1,4}\s*$)")


def extract(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:
    """Read a PDF; see ``extraction.pdf.extract_pdf``."""
    with unpacking_limit(settings.max_unpacked_mb):
        pdf = open_pdf(content, path)
        pages, attributes = read_text(pdf, path, settings)
    return _assemble(pages, stated_title(pdf.metadata.get("Title")), attributes, settings, path)


def _assemble(
    pages: Sequence[PageLayout],
    title: str,
    attributes: dict[str, Any],
    settings: ExtractionSettings,
    path: str,
) -> Extracted:
    kept = remove_furniture(pages)
    frames = [frame for page in kept for frame in reading_order(page)]
    style = measure(frames)
    blocks = join_headings(join_tables(build_blocks(frames, style)), style)
    joiner = LineJoiner(line.text for frame in frames for line in frame.boxes if isinstance(line, Line))
    texts = [joiner.join([line.text for line in block.lines]) for block in blocks]
    items = classify(blocks, texts, style)
    if settings.sections == "llm":
        items, found = with_sections(items, style, pages, settings, path)
        attributes = {**attributes, **found}
    builder = DocumentBuilder()
    for item in items:
        _write(builder, item, joiner)
    return Extracted.from_builder(
        builder,
        title=choose_title(items, title),
        attributes=attributes,
        running=running_lines(pages, kept),
    )


def _write(builder: DocumentBuilder, item: Item, joiner: LineJoiner) -> None:
    place = _place(item.block)
    if item.block.tables:
        rows, header_rows = _table(item.block.tables, joiner)
        builder.add_table(rows, header_rows=header_rows, place=place)
        return
    text = _LEADERS.sub(" … ", item.text) if item.contents else item.text
    builder.add(item.kind, text, level=item.level, place=place, clause=item.clause)


def _table(pieces: Sequence[TableRegion], joiner: LineJoiner) -> tuple[list[list[str]], int]:
    rows = [[joiner.join_cell(cell) for cell in row] for piece in pieces for row in piece.rows]
    return rows, pieces[0].header_rows


def _place(block: Block) -> Place:
    boxes = block.boxes
    first = boxes[0].page
    return Place(first, boxes[-1].page, bounds(box for box in boxes if box.page == first))
