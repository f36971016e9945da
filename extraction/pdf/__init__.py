"""PDF: characters on pages in, structured text out.

The package reads top to bottom: ``reader`` (with ``page``, ``streams``, ``faults``) opens the file and
lets one page at a time into memory; ``readings`` reads each: ``characters`` cleans its glyphs, ``tables``
(with ``rules``, ``grid``, ``cells``) takes those that stand in a table, ``lines`` joins the rest to pieces
of lines. ``usable`` keeps what can be used: ``mojibake`` decodes anew, ``textlayer`` (with ``quality``,
``letters``) judges, ``recognition`` (with ``tesseract``, ``ocr_glyphs``) reads pages without a usable text
layer; ``pdfium`` is the second engine. With every page read, ``furniture`` removes
what repeats on page edges, ``columns`` puts the pieces in reading order, ``paragraphs`` (with
``openings``) groups lines, ``continuation`` joins tables over page breaks, ``hyphens`` joins lines,
``headings`` (with ``numbering``, ``title``) finds the structure and ``assemble`` writes the document.
"""

from __future__ import annotations

from extraction.result import Extracted
from rubrica.settings import ExtractionSettings


def extract_pdf(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:
    """Read a PDF.

    Args:
        content: The file's bytes.
        path: Path of the document, for errors and logs.
        settings: Limits.

    Returns:
        Text and elements with pages and boxes; ``attributes`` hold ``pages`` and, where it applies,
        ``dropped_glyphs`` (glyphs without a Unicode value), ``damaged_pages``, ``unreadable_pages``
        (their text layer is nonsense; they are left out), ``pages_without_text`` (pictures),
        ``decoded_from`` (the true encoding of what was mojibake) and ``ocr`` (engine, languages, pages,
        mean confidence in percent).

    Raises:
        EncryptedDocumentError: It needs a password.
        CorruptDocumentError: It is damaged or not a PDF.
        EmptyDocumentError: It has no pages or no usable text layer.
        LimitExceededError: It has too many pages, unpacks to too much or takes too long.
        FatalError: Recognition is on, but tesseract or a language of it is not installed.
    """
    from extraction.pdf.assemble import extract  # noqa: PLC0415 - pdfplumber loads only when a PDF comes

    return extract(content, path, settings)
