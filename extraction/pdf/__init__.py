"""PDF: characters on pages in, structured text out.

The package reads from top to bottom:

- ``file`` opens the document, repairs what can be repaired and lets one page at a time into memory;
- ``glyphs`` cleans the characters of a page and makes lines of them, ``tables`` takes those that stand in a
  table;
- ``reading`` puts the two together, page by page, and keeps what can be trusted: a text layer may need to
  be decoded anew, judged nonsense, or replaced by text recognition;
- ``text`` sees all pages: it removes what repeats on their edges, puts lines in reading order and groups
  them to paragraphs;
- ``structure`` says what each paragraph is: heading, list item, caption, footnote, title;
- ``assemble`` runs all of this and writes the document.

``layout`` holds what they hand to each other, ``openings`` how captions, lists and contents begin.
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
