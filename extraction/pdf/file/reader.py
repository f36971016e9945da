"""Opens a PDF and lets one page at a time into memory."""

from __future__ import annotations

import io
import itertools
import logging
import time
from collections.abc import Iterator

import pdfplumber  # noqa: TID253 - this module is imported lazily
from pdfminer.pdfpage import PDFPage
from pdfplumber.page import Page  # noqa: TID253
from pdfplumber.pdf import PDF  # noqa: TID253

from extraction.pdf.file.codemaps import check_code_maps
from extraction.pdf.file.faults import PARSER_ERRORS, REPAIR_HINT, describe, explain, root_cause
from extraction.pdf.file.page import SourcePage, TextPage
from extraction.pdf.file.pdfium import repair
from extraction.pdf.glyphs.characters import reading_direction
from rubrica.errors import CorruptDocumentError, EmptyDocumentError, LimitExceededError
from rubrica.log import get_logger
from rubrica.settings import ExtractionSettings

log = get_logger(__name__)

# It warns of every fault that it works around.
logging.getLogger("pdfminer").setLevel(logging.ERROR)


def open_pdf(content: bytes, path: str) -> PDF:
    """Open a PDF from its bytes; one that is damaged is repaired first, if that is possible.

    Raises:
        EncryptedDocumentError: It needs a password.
        CorruptDocumentError: It cannot be parsed.
        LimitExceededError: Its streams unpack to too much.
    """
    try:
        pdf = _parse(content)
        if next(SourcePage.create_pages(pdf.doc), None) is not None:
            return pdf
    except PARSER_ERRORS as error:
        failure = explain(error, path)
        repaired = _open_repaired(content)
        if repaired is None:
            raise failure from error
        return repaired
    return _open_repaired(content) or pdf


def _parse(content: bytes) -> PDF:
    return pdfplumber.open(io.BytesIO(content), raise_unicode_errors=False)


def _open_repaired(content: bytes) -> PDF | None:
    written = repair(content)
    if written is None:
        return None
    try:
        pdf = _parse(written)
        next(SourcePage.create_pages(pdf.doc), None)
    except PARSER_ERRORS as error:
        log.debug("repair failed", reason=describe(root_cause(error)))
        return None
    return pdf


def file_of(pdf: PDF) -> bytes:
    """The bytes that an open PDF is read from: the file, or what its repair has written."""
    stream = pdf.stream
    return stream.getvalue() if isinstance(stream, io.BytesIO) else b""


class PageReader:
    """Hands out the pages of an open PDF, each one for a moment.

    Attributes:
        damaged: Numbers of the pages that could not be parsed.
        count: Pages seen so far.
    """

    def __init__(self, pdf: PDF, path: str, settings: ExtractionSettings) -> None:
        self._pdf = pdf
        self._path = path
        self._settings = settings
        self._deadline = time.monotonic() + settings.extract_timeout_s
        self._sources: list[PDFPage] = []
        self.damaged: list[int] = []
        self.count = 0

    @property
    def seconds_left(self) -> float:
        """Seconds until the time for this document is up."""
        return self._deadline - time.monotonic()

    def pages(self) -> Iterator[Page]:
        """Each page in turn; it is released when the next one is asked for.

        Raises:
            EmptyDocumentError: There are no pages.
            LimitExceededError: There are too many, or the time is up.
            CorruptDocumentError: The page tree cannot be parsed.
        """
        self._sources = self._find_sources()
        for number in range(1, len(self._sources) + 1):
            self.count = number
            self.check_time()
            page = self.page(number)
            if page is not None:
                yield page
                page.close()

    def page(self, number: int, *, rotation: int | None = None) -> Page | None:
        """Open one page; ``None`` if it is damaged.

        Args:
            number: Its number, from 1.
            rotation: Degrees clockwise that replace the page's own rotation; by default it is turned so
                that most of its text is upright.
        """
        source = self._sources[number - 1]
        try:
            check_code_maps(source)
            page = TextPage(self._pdf, source, number)
            if rotation is None:
                rotation = (page.rotation + reading_direction(page.chars)) % 360
            return page if rotation == page.rotation else self._turned(page, rotation)
        except PARSER_ERRORS as error:
            self.skip(number, error)
            return None

    def skip(self, number: int, error: Exception) -> None:
        """Leave out a page that cannot be parsed."""
        if number not in self.damaged:
            self.damaged.append(number)
        log.warning("page skipped", path=self._path, page=number, reason=describe(root_cause(error)))

    def check_damage(self) -> None:
        """Refuse a document none of whose pages could be parsed.

        Raises:
            CorruptDocumentError: All pages are damaged.
        """
        if self.damaged and len(self.damaged) == self.count:
            raise CorruptDocumentError(
                f"None of the {self.count} pages of the PDF can be parsed.",
                document=self._path,
                stage="extract",
                hint=REPAIR_HINT,
            )

    def check_time(self) -> None:
        """Refuse a document that takes too long.

        Raises:
            LimitExceededError: The time is up.
        """
        if self.seconds_left < 0:
            raise LimitExceededError(
                f"Reading the PDF took more than {self._settings.extract_timeout_s} seconds;"
                f" it reached page {self.count}.",
                limit="RUBRICA_EXTRACT_TIMEOUT_S",
                document=self._path,
                stage="extract",
                hint="Split it, or raise RUBRICA_EXTRACT_TIMEOUT_S.",
            )

    def _find_sources(self) -> list[PDFPage]:
        limit = self._settings.max_pages
        try:
            sources = list(itertools.islice(SourcePage.create_pages(self._pdf.doc), limit + 1))
        except PARSER_ERRORS as error:
            raise explain(error, self._path) from error
        if not sources:
            raise EmptyDocumentError(
                "The PDF has no pages.", document=self._path, stage="extract", hint=REPAIR_HINT
            )
        if len(sources) > limit:
            raise LimitExceededError(
                f"The PDF has more than {limit} pages.",
                limit="RUBRICA_MAX_PAGES",
                document=self._path,
                stage="extract",
                hint="Split it, or raise RUBRICA_MAX_PAGES.",
            )
        return sources

    def _turned(self, page: Page, rotation: int) -> Page:
        source = page.page_obj
        source.rotate = rotation
        source.attrs["Rotate"] = rotation
        page.close()
        return TextPage(self._pdf, source, page.page_number)
