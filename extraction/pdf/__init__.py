"""PDF: characters on pages in, structured text out.

The package reads top to bottom: ``reader`` opens the file and lets one page at a time into memory;
``characters`` cleans its glyphs; ``tables`` (with ``rules``, ``grid``, ``cells``) takes those that stand
in a ruled grid; ``lines`` joins the rest to pieces of lines. With every page read, ``furniture`` removes
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
        ``dropped_glyphs`` (glyphs without a Unicode value) and ``damaged_pages``.

    Raises:
        EncryptedDocumentError: It needs a password.
        CorruptDocumentError: It is damaged or not a PDF.
        EmptyDocumentError: It has no pages or no usable text layer.
        LimitExceededError: It has too many pages or takes too long.
    """
    from extraction.pdf.assemble import extract  # noqa: PLC0415 - pdfplumber loads only when a PDF comes

    return extract(content, path, settings)
