"""Opens a PDF and lets one page at a time into memory."""

from __future__ import annotations

import io
import itertools
import struct
import time
import zlib
from collections.abc import Iterator
from typing import Any

import pdfplumber  # noqa: TID253 - this module is imported lazily
import pypdfium2  # type: ignore[import-untyped]
from pdfminer.layout import LTChar, LTItem
from pdfminer.pdfdocument import PDFEncryptionError, PDFPasswordIncorrect
from pdfminer.pdfexceptions import PDFException
from pdfminer.pdfpage import PDFPage
from pdfminer.psexceptions import PSException
from pdfplumber.page import Page  # noqa: TID253
from pdfplumber.pdf import PDF  # noqa: TID253
from pdfplumber.utils.exceptions import PdfminerException  # noqa: TID253

from extraction.pdf.characters import reading_direction
from rubrica.errors import (
    CorruptDocumentError,
    EmptyDocumentError,
    EncryptedDocumentError,
    LimitExceededError,
)
from rubrica.log import get_logger
from rubrica.settings import ExtractionSettings

log = get_logger(__name__)

# What pdfminer lets escape on damaged or hostile files, as its issue tracker and fuzzed files show it.
PARSER_ERRORS: tuple[type[Exception], ...] = (
    PdfminerException,
    PDFException,
    PSException,
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
_ENCRYPTED = (PDFPasswordIncorrect, PDFEncryptionError)
_REPAIR_HINT = "Open it in a PDF viewer and save it anew, or get another copy."


class TextPage(Page):
    """A page whose characters carry only what extraction needs, which halves the time to read it."""

    def process_object(self, obj: LTItem) -> dict[str, Any]:
        """Turn a layout object into pdfplumber's dictionary; see ``Page.process_object``."""
        if not isinstance(obj, LTChar):
            return super().process_object(obj)
        left, upper = self.mediabox[:2]
        return {
            "object_type": "char",
            "text": obj.get_text(),
            "fontname": obj.fontname,
            "size": obj.size,
            "matrix": obj.matrix,
            "x0": obj.x0 + left,
            "x1": obj.x1 + left,
            "top": self.height - obj.y1 + upper,
            "bottom": self.height - obj.y0 + upper,
        }


def open_pdf(content: bytes, path: str) -> PDF:
    """Open a PDF from its bytes; one that is damaged is repaired first, if that is possible.

    Raises:
        EncryptedDocumentError: It needs a password.
        CorruptDocumentError: It cannot be parsed.
    """
    try:
        pdf = _parse(content)
        if next(PDFPage.create_pages(pdf.doc), None) is not None:
            return pdf
    except PARSER_ERRORS as error:
        failure = _explain(error, path)
        repaired = None if isinstance(failure, EncryptedDocumentError) else _repair(content)
        if repaired is None:
            raise failure from error
        return repaired
    return _repair(content) or pdf


def _parse(content: bytes) -> PDF:
    return pdfplumber.open(io.BytesIO(content), raise_unicode_errors=False)


def _repair(content: bytes) -> PDF | None:
    """Let PDFium, which forgives more, write the file anew."""
    written = io.BytesIO()
    try:
        document = pypdfium2.PdfDocument(content)
        try:
            document.save(written)
        finally:
            document.close()
        return _parse(written.getvalue())
    except (pypdfium2.PdfiumError, *PARSER_ERRORS):
        return None


def _explain(error: Exception, path: str) -> CorruptDocumentError | EncryptedDocumentError:
    cause = _root(error)
    if isinstance(cause, _ENCRYPTED):
        return EncryptedDocumentError(
            "The PDF is encrypted and needs a password.",
            document=path,
            stage="extract",
            hint="Save a copy without a password.",
        )
    return CorruptDocumentError(
        f"The PDF cannot be parsed ({describe(cause)}).", document=path, stage="extract", hint=_REPAIR_HINT
    )


def _root(error: Exception) -> Exception:
    """The error that pdfplumber wrapped, which it hands over as its only argument.

    Raises:
        MemoryError: That was it; it is no fault of the file's syntax.
    """
    while error.args and isinstance(error.args[0], Exception):
        error = error.args[0]
    if isinstance(error, MemoryError):
        raise error
    return error


def describe(error: Exception) -> str:
    """Name and message of an error in one line that is never empty."""
    message = " ".join(str(error).split())[:200]
    name = type(error).__name__
    return f"{name}: {message}" if message else name


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
        self.damaged: list[int] = []
        self.count = 0

    def pages(self) -> Iterator[Page]:
        """Each page in turn; it is released when the next one is asked for.

        Raises:
            EmptyDocumentError: There are no pages.
            LimitExceededError: There are too many, or the time is up.
            CorruptDocumentError: The page tree cannot be parsed.
        """
        for number, source in enumerate(self._sources(), start=1):
            self.count = number
            self._check_time()
            try:
                page = self._open(source, number)
            except PARSER_ERRORS as error:
                self.skip(number, error)
                continue
            yield page
            page.close()

    def skip(self, number: int, error: Exception) -> None:
        """Leave out a page that cannot be parsed."""
        self.damaged.append(number)
        log.warning("page skipped", path=self._path, page=number, reason=describe(_root(error)))

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
                hint=_REPAIR_HINT,
            )

    def _sources(self) -> list[PDFPage]:
        limit = self._settings.max_pages
        try:
            sources = list(itertools.islice(PDFPage.create_pages(self._pdf.doc), limit + 1))
        except PARSER_ERRORS as error:
            raise _explain(error, self._path) from error
        if not sources:
            raise EmptyDocumentError(
                "The PDF has no pages.", document=self._path, stage="extract", hint=_REPAIR_HINT
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

    def _check_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise LimitExceededError(
                f"Reading the PDF took more than {self._settings.extract_timeout_s} seconds;"
                f" it reached page {self.count}.",
                limit="RUBRICA_EXTRACT_TIMEOUT_S",
                document=self._path,
                stage="extract",
                hint="Split it, or raise RUBRICA_EXTRACT_TIMEOUT_S.",
            )

    def _open(self, source: PDFPage, number: int) -> Page:
        """Open a page, turned so that most of its text is upright."""
        page = TextPage(self._pdf, source, number)
        turn = reading_direction(page.chars)
        if turn:
            source.rotate = (page.rotation + turn) % 360
            source.attrs["Rotate"] = source.rotate
            page.close()
            page = TextPage(self._pdf, source, number)
        return page
