"""Why a file that could be read yields no text."""

from __future__ import annotations

from extraction.encoding import decode
from extraction.sniff import Format, only_white_space
from extraction.text import clean
from rubrica.errors import EmptyDocumentError

_MAY_HOLD_PAGES = frozenset({Format.PDF, Format.DOCX, Format.PPTX, Format.ODF, Format.RTF, Format.EPUB})
_SHEETS = frozenset({Format.XLSX, Format.XLS, Format.ODS, Format.CSV})
_WEB = frozenset({Format.HTML, Format.MHTML})
_EXCLUDE = "Fill it in, or exclude it from the source."


def without_text(content: bytes, kind: Format) -> EmptyDocumentError:
    """The error for a file without text, with a hint that its format gives.

    Args:
        content: The whole file.
        kind: Its format.
    """
    if kind in _MAY_HOLD_PAGES:
        hint = "If it holds pictures of pages, it needs text recognition first."
        return EmptyDocumentError("The document has no text.", hint=hint)
    if kind in _SHEETS:
        return EmptyDocumentError("The cells of the table are all empty.", hint=_EXCLUDE)
    if kind in _WEB:
        hint = "If a script writes its text, save the page from a browser."
        return EmptyDocumentError("The page has no text.", hint=hint)
    return _in_markup(decode(content))


def _in_markup(text: str) -> EmptyDocumentError:
    if not clean(text).strip():
        return only_white_space()
    if not any(char.isalnum() for char in text):
        return EmptyDocumentError("The text holds no letters or digits.", hint=_EXCLUDE)
    return EmptyDocumentError("The document has no text beside its markup and metadata.", hint=_EXCLUDE)
