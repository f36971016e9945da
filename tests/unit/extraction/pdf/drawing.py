"""PDFs that the tests draw themselves."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache
from typing import Any

import font_roboto  # type: ignore[import-untyped]
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from extraction.pdf import extract_pdf
from extraction.result import Extracted
from rubrica.model import Element, ElementKind
from rubrica.settings import ExtractionSettings

LEFT = 70.0
RIGHT = 525.0


@cache
def register_fonts() -> None:
    pdfmetrics.registerFont(TTFont("Regular", font_roboto.Roboto))
    pdfmetrics.registerFont(TTFont("Roboto-Bold", font_roboto.RobotoBold))


class Sheets:
    """Draws pages; ``y`` is the distance of the next baseline from the upper edge."""

    def __init__(self, **options: Any) -> None:
        register_fonts()
        self._buffer = io.BytesIO()
        self.canvas = Canvas(self._buffer, pagesize=A4, **options)
        self.height = A4[1]
        self.y = 80.0

    def line(
        self, text: str, *, x: float = LEFT, y: float | None = None, size: float = 10, bold: bool = False
    ) -> None:
        """Draw one line; without ``y`` it goes below the last one."""
        if y is None:
            y = self.y
            self.y += size * 1.3
        self.canvas.setFont("Roboto-Bold" if bold else "Regular", size)
        self.canvas.drawString(x, self.height - y, text)

    def centered(self, text: str, *, size: float = 10, bold: bool = False) -> None:
        width = pdfmetrics.stringWidth(text, "Roboto-Bold" if bold else "Regular", size)
        self.line(text, x=(LEFT + RIGHT - width) / 2, size=size, bold=bold)

    def paragraph(
        self, text: str, *, x: float = LEFT, right: float = RIGHT, indent: float = 20, size: float = 10
    ) -> None:
        """Draw a paragraph, wrapped at ``right``."""
        start, words = x + indent, text.split(" ")
        while words:
            count = 1
            while count < len(words) and self._fits(words[: count + 1], right - start, size):
                count += 1
            self.line(" ".join(words[:count]), x=start, size=size)
            words, start = words[count:], x

    @staticmethod
    def _fits(words: Sequence[str], width: float, size: float) -> bool:
        return bool(pdfmetrics.stringWidth(" ".join(words), "Regular", size) <= width)

    def skip(self, points: float = 10) -> None:
        self.y += points

    def page(self) -> None:
        self.canvas.showPage()
        self.y = 80.0

    def grid(
        self,
        rows: Sequence[Sequence[str]],
        widths: Sequence[float],
        *,
        height: float = 20,
        top: float | None = None,
        open_top: bool = False,
        open_sides: bool = False,
    ) -> None:
        """Draw a ruled table; a cell of ``None``-like "<" continues the one at its left."""
        top = self.y if top is None else top
        edges = [LEFT + sum(widths[:i]) for i in range(len(widths) + 1)]
        for r in range(len(rows) + 1):
            if not (r == 0 and open_top):
                self._rule(edges[0], top + r * height, edges[-1], top + r * height)
        for r, row in enumerate(rows):
            upper, lower = top + r * height, top + (r + 1) * height
            for c, edge in enumerate(edges):
                merged = c < len(row) and row[c] == "<"
                outer = c in (0, len(widths))
                if not merged and not (outer and open_sides):
                    self._rule(edge, upper, edge, lower)
            for c, cell in enumerate(row):
                if cell and cell != "<":
                    self.line(cell, x=edges[c] + 3, y=lower - 6, size=9)
        self.y = top + len(rows) * height + 20

    def _rule(self, x0: float, y0: float, x1: float, y1: float) -> None:
        self.canvas.setLineWidth(0.5)
        self.canvas.line(x0, self.height - y0, x1, self.height - y1)

    def pdf(self) -> bytes:
        self.canvas.save()
        return self._buffer.getvalue()

    def read(self, **settings: Any) -> Extracted:
        return extract_pdf(self.pdf(), "лист.pdf", ExtractionSettings(**settings))


def texts(document: Extracted, *kinds: ElementKind) -> list[str]:
    """Texts of the elements, of the given kinds or of all."""
    return [document.text[e.start : e.end] for e in document.elements if not kinds or e.kind in kinds]


def element(document: Extracted, beginning: str) -> Element:
    """The element that begins so."""
    return next(e for e in document.elements if document.text[e.start :].startswith(beginning))
