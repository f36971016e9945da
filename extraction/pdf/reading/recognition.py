"""Reads pages whose text layer cannot be used: draws them and has tesseract recognise them."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

from extraction.pdf.file.faults import PARSER_ERRORS
from extraction.pdf.file.pdfium import PdfiumPages
from extraction.pdf.file.reader import PageReader
from extraction.pdf.glyphs.characters import PageGlyphs
from extraction.pdf.reading.ocr_glyphs import glyphs_of
from extraction.pdf.reading.readings import PageReading, read_page
from extraction.pdf.reading.tesseract import (
    RecognisedLine,
    RecognitionTimeoutError,
    check_tesseract,
    find_rotation,
    mean_confidence,
    recognise,
)
from rubrica.log import get_logger
from rubrica.settings import ExtractionSettings

log = get_logger(__name__)

_DPI = 300.0
_POINTS_PER_INCH = 72
_PAGE_TIMEOUT_S = 180.0
# Below this, in percent, the page may lie on its side.
_DOUBTFUL = 60.0


@dataclass(frozen=True, slots=True)
class _Found:
    """What was recognised on a page when it is drawn with a rotation."""

    rotation: int
    lines: list[RecognisedLine]
    scale: float
    picture: bytes

    @property
    def score(self) -> float:
        """Letters, each as much as it is sure."""
        words = (word for line in self.lines for word in line.words)
        return sum(word.confidence * len(word.text) for word in words)


@dataclass(slots=True)
class Recognition:
    """Recognises pages of one document.

    Attributes:
        reader: Its pages.
        engine: The same pages, to be drawn.
        settings: Languages.
        path: Path of the document, for logs.
        confidences: Mean confidence, in percent, by number of each page that was read.
    """

    reader: PageReader
    engine: PdfiumPages
    settings: ExtractionSettings
    path: str
    confidences: dict[int, float] = field(default_factory=dict)

    @property
    def attribute(self) -> Mapping[str, Any]:
        """What the document says about how it was read."""
        return {
            "engine": f"tesseract {check_tesseract(self.settings.ocr_languages)}",
            "languages": self.settings.ocr_languages,
            "pages": sorted(self.confidences),
            "confidence": round(mean(self.confidences.values()), 1),
        }

    def read(self, numbers: Sequence[int]) -> Iterator[PageReading]:
        """Recognise pages; one on which nothing is found is left out.

        Raises:
            FatalError: Tesseract or one of its languages is not installed.
            LimitExceededError: The time for the document is up.
        """
        check_tesseract(self.settings.ocr_languages)
        for number in numbers:
            self.reader.check_time()
            try:
                reading = self._read(number)
            except RecognitionTimeoutError:
                self.reader.check_time()
                log.warning("recognition takes too long", path=self.path, page=number)
            except PARSER_ERRORS as error:
                self.reader.skip(number, error)
            else:
                if reading is not None:
                    yield reading

    def _read(self, number: int) -> PageReading | None:
        found = self._find(number)
        page = self.reader.page(number, rotation=found.rotation) if found and found.lines else None
        if found is None or page is None:
            return None
        self.confidences[number] = mean_confidence(found.lines)
        left, upper = page.cropbox[:2]
        glyphs = glyphs_of(found.lines, found.scale, float(left), float(upper))
        reading = read_page(page, PageGlyphs(upright=list(glyphs)))
        page.close()
        return reading

    def _find(self, number: int) -> _Found | None:
        """Recognise a page, and if little can be read, once more turned upright."""
        page = self.reader.page(number)
        if page is None:
            return None
        rotation = page.rotation
        page.close()
        found = self._recognise(number, rotation)
        if found is None or mean_confidence(found.lines) >= _DOUBTFUL:
            return found
        turn = find_rotation(found.picture, self._timeout_s)
        turned = self._recognise(number, (rotation + turn) % 360) if turn else None
        return max(found, turned, key=lambda one: one.score) if turned else found

    def _recognise(self, number: int, rotation: int) -> _Found | None:
        drawn = self.engine.draw(number, dpi=_DPI, rotation=rotation)
        if drawn is None:
            return None
        picture = io.BytesIO()
        drawn.image.save(picture, "PPM")
        dpi = drawn.scale * _POINTS_PER_INCH
        lines = recognise(picture.getvalue(), self.settings.ocr_languages, dpi, self._timeout_s)
        return _Found(rotation, lines, drawn.scale, picture.getvalue())

    @property
    def _timeout_s(self) -> float:
        return min(self.reader.seconds_left, _PAGE_TIMEOUT_S)
