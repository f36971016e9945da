"""Reads the pages of a PDF one by one and notes what is wrong with each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pdfplumber.page import Page  # noqa: TID253 - this module is imported lazily

from extraction.pdf.file.faults import PARSER_ERRORS
from extraction.pdf.file.pdfium import PdfiumPages
from extraction.pdf.file.reader import PageReader
from extraction.pdf.glyphs.characters import PageGlyphs, clean_characters
from extraction.pdf.glyphs.lines import build_pieces
from extraction.pdf.glyphs.turning import turned_lines
from extraction.pdf.layout import Box, PageLayout
from extraction.pdf.tables.page_tables import take_tables

_PICTURE = 0.5


@dataclass(frozen=True, slots=True)
class PageReading:
    """A page as it was read.

    Attributes:
        layout: Its boxes.
        glyphs: How many characters it has.
        dropped: How many more had no Unicode value.
        pictured: Whether a picture covers most of it, or it holds drawings and no text at all.
    """

    layout: PageLayout
    glyphs: int
    dropped: int
    pictured: bool

    @property
    def number(self) -> int:
        """Page number, from 1."""
        return self.layout.number

    @property
    def texts(self) -> list[str]:
        """All texts on the page."""
        return [box.text for box in (*self.layout.boxes, *self.layout.turned)]

    def with_layout(self, layout: PageLayout) -> PageReading:
        """The same page, its texts changed."""
        return replace(self, layout=layout)


def read_pages(reader: PageReader) -> Iterator[PageReading]:
    """Read every page that can be parsed."""
    for page in reader.pages():
        try:
            yield read_page(page, clean_characters(page.chars, page.bbox))
        except PARSER_ERRORS as error:
            reader.skip(page.page_number, error)


def rescue_pages(reader: PageReader, engine: PdfiumPages) -> Iterator[PageReading]:
    """Read with PDFium what pdfminer could not; the tables and turned text of such a page are lost."""
    for number in list(reader.damaged):
        found = engine.read(number)
        if found is not None and found[0]:
            glyphs, width, height = found
            reader.damaged.remove(number)
            layout = PageLayout(number, width, height, tuple(build_pieces(glyphs, number)))
            yield PageReading(layout, len(glyphs), dropped=0, pictured=False)


def read_page(page: Page, glyphs: PageGlyphs) -> PageReading:
    """Put a page's glyphs into tables and lines."""
    tables, rest = take_tables(page, glyphs)
    number = page.page_number
    boxes: list[Box] = [*tables, *build_pieces(rest.upright, number)]
    turned = turned_lines([(90, rest.rising), (270, rest.falling), *glyphs.slanted.items()], number)
    layout = PageLayout(number, float(page.width), float(page.height), tuple(boxes), tuple(turned))
    return PageReading(layout, glyphs.count, glyphs.dropped, pictured=_is_pictured(page, glyphs.count))


def _is_pictured(page: Page, glyphs: int) -> bool:
    if not glyphs and (page.images or page.curves or page.lines or page.rects):
        return True
    area = sum(_overlap(image, page) for image in page.images)
    return bool(area > _PICTURE * float(page.width) * float(page.height))


def _overlap(image: dict[str, float], page: Page) -> float:
    left, upper, right, lower = page.bbox
    width = min(image["x1"], right) - max(image["x0"], left)
    height = min(image["bottom"], lower) - max(image["top"], upper)
    return max(width, 0.0) * max(height, 0.0)
