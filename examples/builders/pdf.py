"""Writes a source text as PDF."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from itertools import count
from pathlib import Path

from font_roboto import Roboto, RobotoBold, RobotoItalic  # type: ignore[import-untyped]
from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    KeepTogether,
    LongTable,
    PageTemplate,
    Spacer,
    TableStyle,
)
from reportlab.platypus import Paragraph as Flow

from examples.builders.source import Block, Formula, Heading, Item, Paragraph, Source, Table

_LEFT, _RIGHT, _TOP, _BOTTOM = 25 * mm, 15 * mm, 25 * mm, 22 * mm
_NOTE_ZONE = 12 * mm
_WIDTH = A4[0] - _LEFT - _RIGHT
_WHOLE_ROWS = 12  # a table of up to so many rows is not parted by a page break
_CENTRED = 14  # a column with cells of up to so many characters is centred
_GREY = colors.Color(0.45, 0.45, 0.45)

_BODY = ParagraphStyle(
    "body",
    fontName="Roboto",
    fontSize=10,
    leading=14.5,
    alignment=TA_JUSTIFY,
    firstLineIndent=9 * mm,
    spaceAfter=4,
)
_ITEM = ParagraphStyle(
    "item", _BODY, firstLineIndent=0, leftIndent=14 * mm, bulletIndent=9 * mm, spaceAfter=2
)
_FORMULA = ParagraphStyle(
    "formula", _BODY, alignment=TA_CENTER, firstLineIndent=0, spaceBefore=4, spaceAfter=8
)
_CAPTION = ParagraphStyle("caption", _BODY, firstLineIndent=0, spaceBefore=8)
_HEADINGS = {
    1: ParagraphStyle(
        "h1", fontName="RobotoBold", fontSize=14, leading=18, spaceBefore=14, spaceAfter=6, keepWithNext=1
    ),
    2: ParagraphStyle(
        "h2", fontName="RobotoBold", fontSize=12, leading=16, spaceBefore=9, spaceAfter=5, keepWithNext=1
    ),
}
_COVER = ParagraphStyle(
    "cover", fontName="Roboto", fontSize=11, leading=15, alignment=TA_CENTER, spaceAfter=4
)
_TITLE = ParagraphStyle(
    "title", _COVER, fontName="RobotoBold", fontSize=18, leading=23, spaceBefore=4, spaceAfter=6
)
_CELL = ParagraphStyle("cell", fontName="Roboto", fontSize=9, leading=11.5)
_NUMBER_CELL = ParagraphStyle("number", _CELL, alignment=TA_CENTER)
_HEADER_CELL = ParagraphStyle("header", _NUMBER_CELL, fontName="RobotoBold")
_NOTE = ParagraphStyle("note", fontName="Roboto", fontSize=7.5, leading=9.5)


class _Marked(Flow):
    """A paragraph that leaves its footnote to the page it is drawn on."""

    def __init__(self, text: str, mark: int, note: str, page_notes: list[str]) -> None:
        super().__init__(f"{text}<super size='7'>{mark}</super>", _BODY)
        self._note = f"<super size='6'>{mark}</super> {escape(note)}"
        self._page_notes = page_notes

    def draw(self) -> None:
        super().draw()
        self._page_notes.append(self._note)


class _Bookmarked(Flow):
    """A heading with an entry in the outline."""

    def __init__(self, heading: Heading) -> None:
        super().__init__(escape(heading.text), _HEADINGS[heading.level])
        self._heading = heading

    def draw(self) -> None:
        super().draw()
        key = f"h{self.canv.getPageNumber()}-{self._heading.text}"
        self.canv.bookmarkHorizontal(key, 0, self.height)
        self.canv.addOutlineEntry(self._heading.text, key, level=self._heading.level - 1)


def write_pdf(source: Source, target: Path) -> None:
    """Write the document, uncompressed: the bytes then do not depend on a build of zlib."""
    for name, path in (("Roboto", Roboto), ("RobotoBold", RobotoBold), ("RobotoItalic", RobotoItalic)):
        pdfmetrics.registerFont(TTFont(name, path))
    document = BaseDocTemplate(
        str(target),
        pagesize=A4,
        invariant=1,
        pageCompression=0,
        title=source.title,
        author="Озёрное лодочное бюро" if source.language == "ru" else "Lake District Boating Office",
        lang=source.language,
    )
    notes = _NOTE_ZONE if any(isinstance(b, Paragraph) and b.note for b in source.blocks) else 0
    frame = Frame(_LEFT, _BOTTOM + notes, _WIDTH, A4[1] - _TOP - _BOTTOM - notes, 0, 0, 0, 0)
    page_notes: list[str] = []
    template = PageTemplate(frames=[frame], onPage=_furniture(source), onPageEnd=_footnotes(page_notes))
    document.addPageTemplates(template)
    document.build(list(_story(source, page_notes)))


def _story(source: Source, page_notes: list[str]) -> Iterator[Flowable]:
    largest = min(1, len(source.cover) - 1)
    for i, line in enumerate(source.cover):
        yield Flow(escape(line), _TITLE if i == largest else _COVER)
    if source.dateline:
        yield Flow(
            escape(source.dateline), ParagraphStyle("date", _COVER, fontName="RobotoItalic", fontSize=10)
        )
    yield Spacer(0, 4 * mm)
    marks = count(1)
    for block in source.blocks:
        yield from _flowables(block, marks, page_notes)


def _flowables(block: Block, marks: Iterator[int], page_notes: list[str]) -> Iterator[Flowable]:
    match block:
        case Heading():
            yield _Bookmarked(block)
        case Paragraph(text, None):
            yield Flow(escape(text), _BODY)
        case Paragraph(text, str(note)):
            yield _Marked(escape(text), next(marks), note, page_notes)
        case Item(text):
            yield Flow(escape(text), _ITEM, bulletText="–")
        case Formula(text):
            yield Flow(escape(text), _FORMULA)
        case Table():
            caption, table = Flow(escape(block.caption), _CAPTION), _table(block)
            if len(block.rows) <= _WHOLE_ROWS:
                yield KeepTogether([caption, table])
            else:
                yield from (CondPageBreak(35 * mm), caption, table)
            yield Spacer(0, 3 * mm)


def _table(table: Table) -> LongTable:
    header, *rows = table.rows
    longest = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    shares = [
        max(length, len(word)) + 4 for length, word in zip(longest, map(_longest_word, header), strict=True)
    ]
    cells = [[Flow(escape(cell), _HEADER_CELL) for cell in header]]
    styles = [_CELL if i == 0 or length > _CENTRED else _NUMBER_CELL for i, length in enumerate(longest)]
    cells += [[Flow(escape(cell), style) for cell, style in zip(row, styles, strict=True)] for row in rows]
    style = TableStyle(
        [
            ("GRID", (0, 0), (-1, -1), 0.5, colors.black),
            ("BACKGROUND", (0, 0), (-1, 0), colors.Color(0.92, 0.92, 0.92)),
            ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
            ("TOPPADDING", (0, 0), (-1, -1), 3),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
        ]
    )
    return LongTable(cells, [_WIDTH * share / sum(shares) for share in shares], repeatRows=1, style=style)


def _longest_word(text: str) -> str:
    return max(text.split(), key=len)


def _furniture(source: Source) -> Callable[[Canvas, BaseDocTemplate], None]:
    def draw(canvas: Canvas, _document: BaseDocTemplate) -> None:
        right, top, bottom = A4[0] - _RIGHT, A4[1] - 15 * mm, 12 * mm
        canvas.saveState()
        canvas.setFont("Roboto", 8)
        canvas.setFillColor(_GREY)
        canvas.drawString(_LEFT, top, source.header[0])
        canvas.drawRightString(right, top, source.header[1])
        canvas.drawString(_LEFT, bottom, source.footer)
        canvas.drawRightString(right, bottom, f"{source.page_word} {canvas.getPageNumber()}")
        canvas.setStrokeColor(_GREY)
        canvas.setLineWidth(0.4)
        canvas.line(_LEFT, top - 2 * mm, right, top - 2 * mm)
        canvas.restoreState()

    return draw


def _footnotes(page_notes: list[str]) -> Callable[[Canvas, BaseDocTemplate], None]:
    def draw(canvas: Canvas, _document: BaseDocTemplate) -> None:
        if not page_notes:
            return
        top = _BOTTOM + _NOTE_ZONE - 2 * mm
        canvas.setLineWidth(0.4)
        canvas.line(_LEFT, top, _LEFT + 40 * mm, top)
        for note in page_notes:
            paragraph = Flow(note, _NOTE)
            _, height = paragraph.wrap(_WIDTH, _NOTE_ZONE)
            top -= height + 1 * mm
            paragraph.drawOn(canvas, _LEFT, top)
        page_notes.clear()

    return draw
