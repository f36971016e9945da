"""Messages of electronic mail (EML): their text; correspondents and names of attachments as attributes."""

from __future__ import annotations

from collections.abc import Iterator
from email import policy
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, TypeAlias

from extraction.border import reading
from extraction.builder import DocumentBuilder
from extraction.encoding import decode
from extraction.html import extract_html
from extraction.plain.reader import extract_text
from extraction.result import Extracted
from rubrica.errors import CorruptDocumentError
from rubrica.settings import ExtractionSettings

_SHOWN = ("from", "to", "cc", "date")
_MOST_PARTS = 1000
_PLAIN, _PAGE = "text/plain", "text/html"

_Part: TypeAlias = "Message[Any, Any]"
_Body = tuple[str, bytes]  # MIME type, content in UTF-8


def extract_mail(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:
    """Read a message: all its texts in order; of alternatives the plain one where there is one.

    Raises:
        CorruptDocumentError: It has no text, or is nested too deeply.
    """
    with reading("mail", ValueError, LookupError, TypeError, AttributeError):
        message = BytesParser(policy=policy.compat32).parsebytes(content)
        parts = list(islice(message.walk(), _MOST_PARTS))
        attributes = {name: _header(message, name) for name in _SHOWN if message[name]}
        attached = [name for part in parts if (name := part.get_filename())]
        subject = _header(message, "subject")
        bodies = list(islice(_bodies(message), _MOST_PARTS))
    if attached:
        attributes["attachments"] = ", ".join(attached)
    extracted = _read(bodies, path, settings)
    return Extracted(extracted.text, extracted.elements, subject, {**extracted.attributes, **attributes})


def _read(bodies: list[_Body], path: str, settings: ExtractionSettings) -> Extracted:
    texts = []
    for kind, group in groupby(bodies, key=itemgetter(0)):
        contents = [content for _, content in group]
        if kind == _PLAIN:
            texts.append(extract_text(b"\n\n".join(contents), path, settings))
        else:
            texts += [extract_html(content, path, settings) for content in contents]
    if not texts:
        raise CorruptDocumentError(
            "The message has no text.", hint="Save its attachments as files of their own."
        )
    return texts[0] if len(texts) == 1 else _joined(texts)


def _joined(texts: list[Extracted]) -> Extracted:
    builder = DocumentBuilder()
    attributes: dict[str, Any] = {}
    for text in texts:
        builder.extend(text.text, text.elements)
        attributes = {**text.attributes, **attributes}
    return Extracted.from_builder(builder, attributes=attributes)


def _bodies(part: _Part) -> Iterator[_Body]:
    """The texts that a reader of the message sees, in order; blank ones and attachments are left out."""
    if part.is_multipart():
        children: Any = part.get_payload()  # messages, as it has several
        shown = [_bodies(child) for child in children]
        if part.get_content_subtype() == "alternative":
            shown = [iter(_chosen([list(bodies) for bodies in shown]))]
        for bodies in shown:
            yield from bodies
    elif not part.get_filename() and part.get_content_type() in (_PLAIN, _PAGE):
        body = _body(part)
        if body.strip():
            yield part.get_content_type(), body


def _chosen(alternatives: list[list[_Body]]) -> list[_Body]:
    """Of texts that say the same the first that is plain, else the last, which is the richest."""
    full = [bodies for bodies in alternatives if bodies]
    plain = (bodies for bodies in full if all(kind == _PLAIN for kind, _ in bodies))
    return next(plain, full[-1] if full else [])


def _body(part: _Part) -> bytes:
    """A part's content in UTF-8."""
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return b""
    charset = part.get_content_charset()
    try:
        text = content.decode(charset) if charset else decode(content)
    except (LookupError, ValueError):  # the name of no encoding, or of another one
        text = decode(content)
    return text.encode("utf-8", "surrogatepass")


def _header(message: _Part, name: str) -> str:
    raw = str(message[name] or "")
    try:
        text = str(make_header(decode_header(raw)))
    except (ValueError, LookupError, HeaderParseError):  # encoded words that are cut off or misnamed
        text = raw
    return " ".join(text.split())
