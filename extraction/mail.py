"""Messages of electronic mail (EML): their text; correspondents and names of attachments as attributes."""

from __future__ import annotations

from email import policy
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from typing import Any

from extraction.border import reading
from extraction.encoding import decode
from extraction.html import extract_html
from extraction.plain.reader import extract_text
from extraction.result import Extracted
from rubrica.errors import CorruptDocumentError
from rubrica.settings import ExtractionSettings

_SHOWN = ("from", "to", "cc", "date")
_MOST_PARTS = 1000


def extract_mail(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:
    """Read a message: its plain text where it has one, else its page.

    Raises:
        CorruptDocumentError: It has no text, or is nested too deeply.
    """
    with reading("mail", ValueError, LookupError, TypeError, AttributeError):
        message = BytesParser(policy=policy.compat32).parsebytes(content)
        parts = list(zip(range(_MOST_PARTS), message.walk(), strict=False))
        attributes = {name: _header(message, name) for name in _SHOWN if message[name]}
        attached = [name for _, part in parts if (name := part.get_filename())]
        subject = _header(message, "subject")
        bodies = [(part.get_content_type(), _body(part)) for _, part in parts if not part.get_filename()]
    if attached:
        attributes["attachments"] = ", ".join(attached)
    extracted = _read(bodies, path, settings)
    return Extracted(extracted.text, extracted.elements, subject, {**extracted.attributes, **attributes})


def _read(bodies: list[tuple[str, bytes]], path: str, settings: ExtractionSettings) -> Extracted:
    for kind, extractor in (("text/plain", extract_text), ("text/html", extract_html)):
        body = b"\n\n".join(content for found, content in bodies if found == kind and content.strip())
        if body:
            return extractor(body, path, settings)
    raise CorruptDocumentError("The message has no text.", hint="Save its attachments as files of their own.")


def _body(part: Message[Any, Any]) -> bytes:
    """A part's content in UTF-8."""
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes) or part.get_content_maintype() != "text":
        return b""
    charset = part.get_content_charset()
    try:
        text = content.decode(charset) if charset else decode(content)
    except (LookupError, ValueError):  # the name of no encoding, or of another one
        text = decode(content)
    return text.encode("utf-8", "surrogatepass")


def _header(message: Message[Any, Any], name: str) -> str:
    return " ".join(str(make_header(decode_header(str(message[name] or "")))).split())
