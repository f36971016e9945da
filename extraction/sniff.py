"""What kind of file it is: by content first, by name second."""

from __future__ import annotations

import codecs
import contextlib
import io
import re
import zipfile
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from extraction.archive import DAMAGED
from extraction.border import cause_of
from extraction.code.languages import language_of
from extraction.encoding import byte_order_mark, looks_like_utf16
from extraction.text import word_set
from rubrica.errors import (
    CorruptDocumentError,
    EmptyDocumentError,
    EncryptedDocumentError,
    UnsupportedFormatError,
)


class Format(StrEnum):
    """A format that an extractor reads."""

    PDF = "pdf"
    DOCX = "docx"
    PPTX = "pptx"
    XLSX = "xlsx"
    HTML = "html"
    FEED = "feed"
    MARKDOWN = "markdown"
    ASCIIDOC = "asciidoc"
    RST = "rst"
    NOTEBOOK = "notebook"
    CATALOG = "catalog"
    DATA = "data"
    XML = "xml"
    ODF = "odf"
    RTF = "rtf"
    XLS = "xls"
    ODS = "ods"
    EPUB = "epub"
    MHTML = "mhtml"
    MAIL = "mail"
    CSV = "csv"
    TEXT = "text"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Sniffed:
    """The result: which extractor, and the MIME type."""

    format: Format
    media_type: str


_OFFICE = "application/vnd.openxmlformats-officedocument"
PDF = Sniffed(Format.PDF, "application/pdf")
DOCX = Sniffed(Format.DOCX, f"{_OFFICE}.wordprocessingml.document")
PPTX = Sniffed(Format.PPTX, f"{_OFFICE}.presentationml.presentation")
XLSX = Sniffed(Format.XLSX, f"{_OFFICE}.spreadsheetml.sheet")
HTML = Sniffed(Format.HTML, "text/html")
RTF = Sniffed(Format.RTF, "application/rtf")
XLS = Sniffed(Format.XLS, "application/vnd.ms-excel")
EPUB = Sniffed(Format.EPUB, "application/epub+zip")
MHTML = Sniffed(Format.MHTML, "multipart/related")
MAIL = Sniffed(Format.MAIL, "message/rfc822")
FEED = Sniffed(Format.FEED, "application/xml")
TEXT = Sniffed(Format.TEXT, "text/plain")

_BY_EXTENSION = {
    **dict.fromkeys(
        ("md", "markdown", "mdown", "mkd", "mdx", "mdc"), Sniffed(Format.MARKDOWN, "text/markdown")
    ),
    **dict.fromkeys(("htm", "html", "xhtml", "shtml"), HTML),
    **dict.fromkeys(("csv", "tsv", "tab"), Sniffed(Format.CSV, "text/csv")),
    **dict.fromkeys(("adoc", "asciidoc", "asc"), Sniffed(Format.ASCIIDOC, "text/asciidoc")),
    **dict.fromkeys(("rst", "rest"), Sniffed(Format.RST, "text/x-rst")),
    **dict.fromkeys(
        ("json", "jsonl", "ndjson", "geojson", "jsonc", "json5"), Sniffed(Format.DATA, "application/json")
    ),
    **dict.fromkeys(("yaml", "yml"), Sniffed(Format.DATA, "application/yaml")),
    "toml": Sniffed(Format.DATA, "application/toml"),
    **dict.fromkeys(("ini", "cfg", "conf", "editorconfig"), Sniffed(Format.DATA, "text/x-ini")),
    "ipynb": Sniffed(Format.NOTEBOOK, "application/x-ipynb+json"),
    **dict.fromkeys(("po", "pot"), Sniffed(Format.CATALOG, "text/x-gettext-translation")),
    **dict.fromkeys(("txt", "text", "log"), TEXT),
}
_MAGIC = (
    (b"\x89PNG\r\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF87a", "GIF image"),
    (b"GIF89a", "GIF image"),
    (b"II*\x00", "TIFF image"),
    (b"MM\x00*", "TIFF image"),
    (b"\x00\x00\x01\x00", "icon"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh91AY&SY", "bzip2 archive"),
    (b"\xfd7zXZ", "xz archive"),
    (b"7z\xbc\xaf", "7-Zip archive"),
    (b"Rar!\x1a\x07", "RAR archive"),
    (b"\x7fELF", "program"),
    (b"OggS\0", "Ogg media"),
    *((b"ID3" + bytes([version]), "MP3 audio") for version in (2, 3, 4)),
    (b"SQLite format 3\x00", "SQLite database"),
    (b"%!PS", "PostScript"),
    (b"AT&TFORM", "DjVu"),
)
_TAR = (257, b"ustar")
_RIFF = {b"WEBP": "WebP image", b"WAVE": "WAV audio", b"AVI ": "AVI video", b"CDXA": "video CD"}
_PDF_MARK, _PDF_MARK_WITHIN = b"%PDF-", 1024
_BOM = codecs.BOM_UTF8
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP_ERRORS: tuple[type[Exception], ...] = (*DAMAGED, RuntimeError)  # the last: a password is needed
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # with members, without any
_SPREADSHEET = re.compile(r"application/vnd\.oasis\.opendocument\.spreadsheet(?:-template)?(?![\w-])")
_MAIL_MAY_HIDE_IN = frozenset({"", "mht", "mhtml", "doc", "xls", "eml", "txt"})
_MAIL_HEADER = re.compile(rb"[A-Za-z][\w-]{0,40}:[ \t]")
_MAIL_MARK = re.compile(
    rb"^(?:MIME-Version:|Message-ID:[ \t]*<|Received:[ \t]+from )", re.IGNORECASE | re.MULTILINE
)
_MAIL_PAGE = re.compile(rb"^Content-Type:\s*multipart/related", re.IGNORECASE | re.MULTILINE)
_OPEN_DOCUMENT = re.compile(
    r"application/vnd\.oasis\.opendocument\.(?:text|presentation)(?:-template|-master|-web)?(?![\w-])"
)
_FLAT = re.compile(rb"<office:document\b[^>]{0,8000}office:mimetype=\"([\w./+-]+)\"")
_WORD_TYPE = re.compile(r"wordprocessingml\.(?:document|template)\.main|ms-word\.\w+\.macroEnabled")
_RTF = b"{\\rtf"
_HTML_START = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_TAG = re.compile(rb"</?[a-z][^<>]*>", re.IGNORECASE)
_XML_DECLARATION = re.compile(rb"\s*<\?xml\s")
_FEED_START = re.compile(
    rb"\s*(?:(?:<\?xml[^>]*>|<!--(?:(?!-->).)*-->|<!doctype[^>]*>)\s*)*+"
    rb"<(?:rss(?![\w:.-])|feed(?![\w:.-])|rdf:RDF(?=[^>]*purl\.org/rss/1\.0))",
    re.IGNORECASE | re.DOTALL,
)
_MARKUP_MAY_HIDE_IN = frozenset({"", "txt", "xml", "doc", "xls", "docx", "xlsx", "php", "asp", "aspx", "jsp"})
_NEVER_TEXT = word_set("pdf doc docx docm xls xlsx xlsm ppt pptx odt ods odp epub zip png jpg jpeg gif")
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\v\b\x1b")) + b"\x7f"
_BLANK = b" \t\n\r\f\v\0"
_FEW_CONTROLS = 4  # that a text of any length may hold
_CONTROL_SHARE = 0.05  # and that a longer one may
_NUL_SHARE = 0.25  # of NUL bytes between words that a text in UTF-8 may hold
_LONG_GAP = b"\0" * 16  # binary formats fill up their blocks with such
_SAMPLE = 8192
_HEAD = 4096


def sniff(content: bytes, path: str) -> Sniffed:
    """Tell the format of a file.

    Args:
        content: The whole file.
        path: Its path, for the extension.

    Raises:
        EmptyDocumentError: It has no bytes, or only white space or NUL bytes.
        UnsupportedFormatError: It is of a kind that is not read; the reason names the kind.
        EncryptedDocumentError: It is an Office file with a password.
        CorruptDocumentError: It is a zipped format, but damaged.
    """
    _refuse_blank(content)
    if _is_pdf(content, PurePosixPath(path)):
        return PDF
    if content.startswith(_ZIP):
        return _zipped(content)
    if content.startswith(_OLE):
        return _ole(content)
    if content[:_SAMPLE].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(_RTF):
        return RTF
    kind = next((kind for magic, kind in _MAGIC if content.startswith(magic)), _by_later_mark(content))
    if kind is not None:
        raise _unsupported(kind)
    _refuse_binary(content)
    return _text(content, path)


def only_white_space() -> EmptyDocumentError:
    """The error for a file in which nothing is seen; decoding may show it later than the bytes do."""
    return EmptyDocumentError("The file holds only white space.", hint="Restore its content or remove it.")


def _is_pdf(content: bytes, name: PurePosixPath) -> bool:
    """Whether there is the mark of a PDF, which other bytes may precede; a text may also write about it."""
    before, mark, _ = content[:_PDF_MARK_WITHIN].partition(_PDF_MARK)
    if not mark or not before.strip(_BOM + _BLANK):
        return bool(mark)
    is_named_text = name.suffix.lower().lstrip(".") in _BY_EXTENSION or language_of(name.name) is not None
    return not is_named_text or _has_controls(content[:_SAMPLE])


def _refuse_blank(content: bytes) -> None:
    if not _is_blank(content[:_SAMPLE]) or not _is_blank(content):
        return
    if not content.removeprefix(byte_order_mark(content)):
        raise EmptyDocumentError("The file is empty.", hint="Restore its content or remove it.")
    if not content.strip(b"\0"):
        raise EmptyDocumentError(
            "The file holds nothing but NUL bytes.",
            hint="It was not written to its end; fetch it again or remove it.",
        )
    raise only_white_space()


def _is_blank(content: bytes) -> bool:
    return not content.removeprefix(byte_order_mark(content)).strip(_BLANK)


def _unsupported(kind: str) -> UnsupportedFormatError:
    return UnsupportedFormatError(
        f"Files of this kind are not read: {kind}.",
        hint="Convert it to PDF, DOCX, HTML or text, or exclude it from the source.",
    )


def _by_later_mark(content: bytes) -> str | None:
    """The kind by a mark that does not stand at the beginning."""
    offset, mark = _TAR
    if content.startswith(mark, offset):
        return "tar archive"
    if content.startswith(b"RIFF") and (kind := _RIFF.get(content[8:12])):
        return kind
    return "media" if content[4:8] == b"ftyp" else None


def _zipped(content: bytes) -> Sniffed:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            mimetype = _head_of(archive, "mimetype").strip() or _head_of(archive, "META-INF/manifest.xml")
            types = _head_of(archive, "[Content_Types].xml")
    except _ZIP_ERRORS as error:
        raise CorruptDocumentError(
            f"The zip archive is damaged or cut off: {cause_of(error)}.", hint="Fetch the file again."
        ) from error
    folders = {name.replace("\\", "/").lstrip("/").partition("/")[0].lower() for name in names}
    if "word" in folders or _WORD_TYPE.search(types):
        return DOCX
    if "xl" in folders:
        if "xl/workbook.bin" in names:
            raise _unsupported("binary workbook (XLSB)")
        return XLSX
    if "ppt" in folders:
        return PPTX
    if document := _OPEN_DOCUMENT.search(mimetype):
        return Sniffed(Format.ODF, document[0])
    if sheet := _SPREADSHEET.search(mimetype):
        return Sniffed(Format.ODS, sheet[0])
    if "application/epub" in mimetype or _is_book(names):
        return EPUB
    raise _unsupported("zip archive")


def _is_book(names: list[str]) -> bool:
    return "META-INF/container.xml" in names and any(name.endswith(".opf") for name in names)


def _head_of(archive: zipfile.ZipFile, name: str) -> str:
    """The beginning of a member; empty where there is none, or where it alone is damaged."""
    with contextlib.suppress(KeyError, *DAMAGED), archive.open(name) as stream:
        return stream.read(_SAMPLE).decode("ascii", "replace")
    return ""


def _ole(content: bytes) -> Sniffed:
    if "EncryptedPackage".encode("utf-16-le") in content:
        raise EncryptedDocumentError(
            "The Office file is protected with a password.", hint="Save it without a password."
        )
    # Names of streams; a document or a presentation may hold a workbook, but none holds these.
    streams = [name.encode("utf-16-le") for name in ("WordDocument", "PowerPoint Document", "__properties")]
    books = [f"{name}\0".encode("utf-16-le") for name in ("Workbook", "Book")]
    if any(name in content for name in books) and not any(name in content for name in streams):
        return XLS
    raise _unsupported("old Office file (DOC, PPT or MSG)")


def _refuse_binary(content: bytes) -> None:
    sample = content[:_SAMPLE].rstrip(b"\0")  # what a crash fills the end of a text file with
    if byte_order_mark(content) or looks_like_utf16(content) or not _has_controls(sample):
        return
    text = sample.replace(b"\0", b"")
    if _has_controls(text):
        raise _unsupported("binary data")
    nuls = len(sample) - len(text)
    if nuls > _NUL_SHARE * len(sample) or _LONG_GAP in sample or not _begins_as_utf8(text):
        raise UnsupportedFormatError(
            f"The file holds {nuls:,} NUL bytes among its first {len(sample):,}, as no text does.",
            hint="If it is text, save it as UTF-8 without them; else exclude it from the source.",
        )


def _has_controls(sample: bytes) -> bool:
    """Whether there are more control characters than a text may hold."""
    controls = len(sample) - len(sample.translate(None, _CONTROL))
    return controls > max(_FEW_CONTROLS, _CONTROL_SHARE * len(sample))


def _begins_as_utf8(sample: bytes) -> bool:
    """Whether bytes are UTF-8, the last character perhaps cut off."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return False
    return True


def _text(content: bytes, path: str) -> Sniffed:
    name = PurePosixPath(path)
    extension = name.suffix.lower().lstrip(".")
    head = content.replace(b"\0", b"")[:_HEAD].lstrip(b"\xef\xbb\xbf\xfe\xff")
    found = _by_content(content, head, extension)
    if found is not None:
        return found
    if known := _BY_EXTENSION.get(extension):
        return TEXT if known is HTML and not _TAG.search(content.replace(b"\0", b"")) else known
    if extension == "svg":
        raise _unsupported("SVG image")
    if extension in _NEVER_TEXT:
        raise CorruptDocumentError(
            f"The file is named .{extension} but holds plain text.", hint="Fetch the file again or rename it."
        )
    return _by_language(name.name, head)


def _by_content(content: bytes, head: bytes, extension: str) -> Sniffed | None:
    """What a text says of itself, whatever its name."""
    if extension in _MARKUP_MAY_HIDE_IN and _HTML_START.match(head):
        return HTML
    if extension not in _BY_EXTENSION and _FEED_START.match(head):
        return FEED
    if flat := _FLAT.search(content[:_SAMPLE]):
        return _flat_document(flat[1].decode("ascii"))
    if extension in _MAIL_MAY_HIDE_IN and _MAIL_HEADER.match(head):
        if _MAIL_PAGE.search(head) and extension != "eml":
            return MHTML
        return MAIL if _MAIL_MARK.search(head) else None
    return None


def _flat_document(kind: str) -> Sniffed | None:
    if document := _OPEN_DOCUMENT.fullmatch(kind):
        return Sniffed(Format.ODF, document[0])
    sheet = _SPREADSHEET.fullmatch(kind)
    return Sniffed(Format.ODS, sheet[0]) if sheet else None


def _by_language(name: str, head: bytes) -> Sniffed:
    language = language_of(name)
    if language == "xml" or (language is None and _XML_DECLARATION.match(head)):
        return Sniffed(Format.XML, "application/xml")
    return Sniffed(Format.CODE, f"text/x-{language}") if language else TEXT
