"""Writes the document from the blocks of its pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pdfplumber.page import Page  # noqa: TID253 - this module is imported lazily

from extraction.builder import DocumentBuilder, Place
from extraction.pdf.characters import PageGlyphs, clean_characters
from extraction.pdf.columns import reading_order
from extraction.pdf.continuation import join_tables
from extraction.pdf.furniture import remove_furniture
from extraction.pdf.headings import classify
from extraction.pdf.hyphens import LineJoiner
from extraction.pdf.items import Item
from extraction.pdf.layout import Box, Line, PageLayout, TableRegion, bounds
from extraction.pdf.lines import build_pieces
from extraction.pdf.paragraphs import Block, build_blocks, measure
from extraction.pdf.reader import PARSER_ERRORS, PageReader, open_pdf
from extraction.pdf.tables import take_tables
from extraction.pdf.title import choose_title, stated_title
from extraction.result import Extracted
from rubrica.errors import EmptyDocumentError
from rubrica.log import get_logger
from rubrica.settings import ExtractionSettings

log = get_logger(__name__)

# A document that loses more of its glyphs than this says nothing that could be trusted.
_MOST_DROPPED = 0.25
_LEADERS = re.compile(r"\s*(?:[.·…_]\s?){4,}\s*(?=[\dIVXivx]{1,4}\s*$)")


def extract(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:
    """Read a PDF; see ``extraction.pdf.extract_pdf``."""
    pdf = open_pdf(content, path)
    reader = PageReader(pdf, path, settings)
    pages, glyphs, dropped = _read_pages(reader)
    reader.check_damage()
    _check_text(glyphs, dropped, reader.count, path)
    title = stated_title(pdf.metadata.get("Title"))
    attributes: dict[str, Any] = {"pages": reader.count}
    if dropped:
        attributes["dropped_glyphs"] = dropped
        log.warning("glyphs without a Unicode value dropped", path=path, count=dropped)
    if reader.damaged:
        attributes["damaged_pages"] = list(reader.damaged)
    return _assemble(pages, title, attributes)


def _read_pages(reader: PageReader) -> tuple[list[PageLayout], int, int]:
    """The layout of every page, and how many glyphs were kept and dropped."""
    layouts: list[PageLayout] = []
    kept = dropped = 0
    for page in reader.pages():
        try:
            layout, glyphs = _read_page(page)
        except PARSER_ERRORS as error:
            reader.skip(page.page_number, error)
            continue
        layouts.append(layout)
        kept += len(glyphs.upright) + len(glyphs.rising) + len(glyphs.falling)
        dropped += glyphs.dropped
    return layouts, kept, dropped


def _read_page(page: Page) -> tuple[PageLayout, PageGlyphs]:
    glyphs = clean_characters(page.chars, page.bbox)
    tables, rest = take_tables(page, glyphs)
    number = page.page_number
    boxes: list[Box] = [*tables, *build_pieces(rest.upright, number)]
    turned = [
        *_turned(build_pieces(rest.rising, number), rising=True),
        *_turned(build_pieces(rest.falling, number), rising=False),
    ]
    layout = PageLayout(number, float(page.width), float(page.height), tuple(boxes), tuple(turned))
    return layout, glyphs


def _turned(lines: Iterable[Line], *, rising: bool) -> Iterator[Line]:
    """Lines that read up or down the page, at their true place."""
    for line in lines:
        if rising:
            box = (line.top, -line.x1, line.bottom, -line.x0)
        else:
            box = (-line.bottom, line.x0, -line.top, line.x1)
        x0, top, x1, bottom = box
        yield replace(line, x0=x0, top=top, x1=x1, bottom=bottom)


def _check_text(glyphs: int, dropped: int, pages: int, path: str) -> None:
    if dropped > _MOST_DROPPED * (glyphs + dropped):
        share = dropped / (glyphs + dropped)
        raise EmptyDocumentError(
            f"The PDF has no usable text layer: {share:.0%} of its glyphs have no Unicode value.",
            document=path,
            stage="extract",
            hint="Recognise it with OCR, or export it anew with embedded Unicode fonts.",
        )
    if not glyphs:
        raise EmptyDocumentError(
            f"The PDF has no text layer on any of its {pages} page(s); it looks scanned.",
            document=path,
            stage="extract",
            hint="Recognise it with OCR (ocrmypdf, for example) and add the result instead.",
        )


def _assemble(pages: Sequence[PageLayout], title: str, attributes: dict[str, Any]) -> Extracted:
    frames = [frame for page in remove_furniture(pages) for frame in reading_order(page)]
    style = measure(frames)
    blocks = join_tables(build_blocks(frames, style))
    joiner = LineJoiner(line.text for frame in frames for line in frame.boxes if isinstance(line, Line))
    texts = [joiner.join([line.text for line in block.lines]) for block in blocks]
    items = classify(blocks, texts, style)
    builder = DocumentBuilder()
    for item in items:
        _write(builder, item, joiner)
    return Extracted.from_builder(builder, title=choose_title(items, title), attributes=attributes)


def _write(builder: DocumentBuilder, item: Item, joiner: LineJoiner) -> None:
    place = _place(item.block)
    if item.block.tables:
        rows, header_rows = _table(item.block.tables, joiner)
        builder.add_table(rows, header_rows=header_rows, place=place)
        return
    text = _LEADERS.sub(" … ", item.text) if item.contents else item.text
    builder.add(item.kind, text, level=item.level, place=place, clause="" if item.contents else None)


def _table(pieces: Sequence[TableRegion], joiner: LineJoiner) -> tuple[list[list[str]], int]:
    rows = [[joiner.join(cell) for cell in row] for piece in pieces for row in piece.rows]
    return rows, pieces[0].header_rows


def _place(block: Block) -> Place:
    boxes = block.boxes
    first = boxes[0].page
    return Place(first, boxes[-1].page, bounds(box for box in boxes if box.page == first))
