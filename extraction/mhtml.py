"""Web archives (MHT, MHTML): a page and its pictures in the form of a mail."""

from __future__ import annotations

from email import policy
from email.message import EmailMessage
from email.parser import BytesParser

from extraction.border import reading
from extraction.html import extract_html
from extraction.result import Extracted
from rubrica.errors import CorruptDocumentError
from rubrica.settings import ExtractionSettings

_MAX_PARTS = 10_000


def extract_mhtml(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:
    """Read the page that a web archive was made of; frames inside it are left out.

    Raises:
        CorruptDocumentError: There is no page in it, or its parts are nested too deeply.
    """
    with reading("MHTML", ValueError, LookupError, TypeError, AttributeError):
        page = _page(content)
    if page is None:
        raise CorruptDocumentError(
            "The web archive holds no page.", hint="Save the page again, as HTML for example."
        )
    return extract_html(page, path, settings)


def _page(content: bytes) -> bytes | None:
    message = BytesParser(EmailMessage, policy=policy.compat32).parsebytes(content)
    for number, part in enumerate(message.walk()):
        if number > _MAX_PARTS:
            break
        if part.get_content_type() in ("text/html", "application/xhtml+xml"):
            payload = part.get_payload(decode=True)
            charset = part.get_content_charset()
            if isinstance(payload, bytes):
                return _in_utf8(payload, charset)
    return None


def _in_utf8(payload: bytes, charset: str | None) -> bytes:
    """The page in UTF-8 where its header names its encoding, else as it is, to be told by content."""
    try:
        return payload.decode(charset).encode("utf-8-sig") if charset else payload
    except (LookupError, ValueError):  # the name of no encoding, or of another one
        return payload
