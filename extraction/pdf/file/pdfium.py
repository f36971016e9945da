"""The second engine: PDFium repairs files, reads pages that pdfminer cannot, and draws them for OCR."""

from __future__ import annotations

import ctypes
import io
from dataclasses import dataclass

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]
from PIL import Image

from extraction.pdf.layout import Glyph

_POINTS_PER_INCH = 72
# A sheet of the size A3 at 300 dots an inch; larger ones are drawn coarser.
_MOST_PIXELS = 18_000_000
_SURROGATES = range(0xD800, 0xE000)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A page as a picture.

    Attributes:
        image: Grey levels.
        scale: Pixels a point.
    """

    image: Image.Image
    scale: float


def repair(content: bytes) -> bytes | None:
    """Let PDFium, which forgives more, write a file anew, without encryption; ``None`` if it cannot."""
    written = io.BytesIO()
    try:
        document = pypdfium2.PdfDocument(content)
        try:
            document.save(written, flags=pdfium.FPDF_REMOVE_SECURITY)
        finally:
            document.close()
    except pypdfium2.PdfiumError:
        return None
    return written.getvalue()


class PdfiumPages:
    """Pages of a file, by number from 1; those that PDFium cannot open either are ``None``."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._document: pypdfium2.PdfDocument | None = None

    def draw(self, number: int, *, dpi: float, rotation: int) -> Drawn | None:
        """Draw a page.

        Args:
            number: Page number, from 1.
            dpi: Dots an inch; fewer on a page that is very large.
            rotation: Degrees clockwise that replace the page's own rotation: 0, 90, 180 or 270.
        """
        page = self._page(number)
        if page is None:
            return None
        try:
            page.set_rotation(rotation)
            width, height = page.get_size()
            scale = min(dpi / _POINTS_PER_INCH, (_MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
            bitmap = page.render(scale=scale, grayscale=True)
            image = bitmap.to_pil().copy()
            bitmap.close()
        except (pypdfium2.PdfiumError, LookupError, ValueError):
            return None
        finally:
            page.close()
        return Drawn(image, scale)

    def read(self, number: int) -> tuple[list[Glyph], float, float] | None:
        """The characters of an upright page, its width and its height."""
        page = self._page(number)
        if page is None:
            return None
        try:
            width, height = page.get_size()
            text = page.get_textpage()
            try:
                count = text.count_chars() if page.get_rotation() == 0 else 0
                left, _, _, upper = page.get_cropbox()
                found = (_glyph(text, index, left, upper) for index in range(count))
                return [glyph for glyph in found if glyph], width, height
            finally:
                text.close()
        except pypdfium2.PdfiumError:
            return None
        finally:
            page.close()

    def close(self) -> None:
        """Release the file."""
        if self._document is not None:
            self._document.close()
            self._document = None

    def _page(self, number: int) -> pypdfium2.PdfPage | None:
        try:
            if self._document is None:
                self._document = pypdfium2.PdfDocument(self._content)
            return self._document[number - 1]
        except (pypdfium2.PdfiumError, IndexError):
            return None


def _glyph(text: pypdfium2.PdfTextPage, index: int, left: float, upper: float) -> Glyph | None:
    code = pdfium.FPDFText_GetUnicode(text, index)
    if code < 0x20 or code in _SURROGATES or pdfium.FPDFText_IsGenerated(text, index) == 1:
        return None
    box = pdfium.FS_RECTF()
    if not pdfium.FPDFText_GetLooseCharBox(text, index, ctypes.byref(box)):
        return None
    size = pdfium.FPDFText_GetFontSize(text, index)
    x0, top, x1, bottom = box.left - left, upper - box.top, box.right - left, upper - box.bottom
    return Glyph(chr(code), x0, top, x1, bottom, size or bottom - top, bold=False)
