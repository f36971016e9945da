"""Fonts whose codes pdfminer cannot read."""

from __future__ import annotations

from pdfminer.cmapdb import CMapDB
from pdfminer.pdfexceptions import PDFException
from pdfminer.pdffont import IDENTITY_ENCODER
from pdfminer.pdfpage import PDFPage
from pdfminer.pdftypes import PDFStream, resolve1
from pdfminer.psparser import literal_name


class UnreadCodesError(PDFException):
    """A font has a code map that pdfminer passes over, and with it all text in that font."""


def check_code_maps(page: PDFPage) -> None:
    """Refuse a page that pdfminer would read without the text in some of its fonts.

    A composite font may bring a CMap of its own (ISO 32000-1, 9.7.5.3); pdfminer knows only those that
    are named, and gives no character, not even an unknown one, for codes in any other.

    Raises:
        UnreadCodesError: The page has such a font.
    """
    fonts = resolve1(page.resources.get("Font"))
    for name, reference in fonts.items() if isinstance(fonts, dict) else ():
        font = resolve1(reference)
        encoding = resolve1(font.get("Encoding")) if isinstance(font, dict) else None
        if isinstance(encoding, PDFStream) and not _is_known(literal_name(encoding.get("CMapName"))):
            raise UnreadCodesError(f"The font {name} has a code map of its own.")


def _is_known(name: str) -> bool:
    if name in IDENTITY_ENCODER:
        return True
    try:
        CMapDB.get_cmap(name)
    except CMapDB.CMapNotFound:
        return False
    return True
