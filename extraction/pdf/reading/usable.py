"""Reads the text of a PDF: from its text layer, or by recognition where that cannot be used."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from typing import Any

from pdfplumber.pdf import PDF  # noqa: TID253 - this module is imported lazily

from extraction.pdf.file.pdfium import PdfiumPages
from extraction.pdf.file.reader import PageReader, file_of
from extraction.pdf.layout import PageLayout
from extraction.pdf.reading.mojibake import decode_mojibake
from extraction.pdf.reading.readings import PageReading, read_pages, rescue_pages
from extraction.pdf.reading.recognition import Recognition
from extraction.pdf.reading.textlayer import BROKEN, Defect, check_text_layer, find_defects
from rubrica.log import get_logger
from rubrica.settings import ExtractionSettings

log = get_logger(__name__)


def read_text(pdf: PDF, path: str, settings: ExtractionSettings) -> tuple[list[PageLayout], dict[str, Any]]:
    """Read all pages whose text can be used.

    Args:
        pdf: An open file.
        path: Path of the document, for errors and logs.
        settings: Limits, and whether to recognise pages.

    Returns:
        The pages, and attributes that tell what was lost or recognised.

    Raises:
        CorruptDocumentError: No page can be parsed.
        EmptyDocumentError: There are no pages, or they have no usable text.
        LimitExceededError: There are too many pages, or the time is up.
        FatalError: Recognition is on, but tesseract or a language of it is not installed.
    """
    reader = PageReader(pdf, path, settings)
    with closing(PdfiumPages(file_of(pdf))) as engine:
        pages = {page.number: page for page in read_pages(reader)}
        pages |= {page.number: page for page in rescue_pages(reader, engine)}
        reader.check_damage()
        encoding = _decode(pages)
        defects = find_defects(pages.values())
        recognition = Recognition(reader, engine, settings, path)
        if defects and settings.ocr == "auto":
            defects = _recognise(pages, defects, recognition)
    ordered = [pages[number] for number in sorted(pages)]
    check_text_layer(ordered, defects, path, settings)
    usable = [page for page in ordered if defects.get(page.number) not in BROKEN]
    attributes: dict[str, Any] = {
        "pages": reader.count,
        "dropped_glyphs": sum(page.dropped for page in usable),
        "damaged_pages": sorted(reader.damaged),
        "unreadable_pages": sorted(number for number, defect in defects.items() if defect in BROKEN),
        "pages_without_text": sorted(
            number for number, defect in defects.items() if defect is Defect.PICTURE
        ),
        "decoded_from": encoding,
        "ocr": recognition.attribute if recognition.confidences else None,
    }
    attributes = {name: value for name, value in attributes.items() if value}
    if len(attributes) > 1:
        log.warning("parts of the PDF are lost or were restored", path=path, **attributes)
    return [page.layout for page in usable], attributes


def _decode(pages: dict[int, PageReading]) -> str | None:
    """Put mojibake right, in place; returns the true encoding, if there was any."""
    layouts, encoding = decode_mojibake([page.layout for page in pages.values()])
    if encoding is not None:
        for page, layout in zip(list(pages.values()), layouts, strict=True):
            pages[page.number] = page.with_layout(layout)
    return encoding


def _recognise(
    pages: dict[int, PageReading], defects: Mapping[int, Defect], recognition: Recognition
) -> dict[int, Defect]:
    """Replace pages by what is recognised on them, where that is more; returns what is still wrong."""
    left = dict(defects)
    for reading in recognition.read(sorted(defects)):
        number = reading.number
        least = 0 if defects[number] in BROKEN else pages[number].glyphs
        if reading.glyphs > least and find_defects([reading]).get(number) not in BROKEN:
            pages[number] = reading
            del left[number]
        else:
            del recognition.confidences[number]
    return left
