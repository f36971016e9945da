"""A file's bytes in, a document out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import cast

from extraction.attributes import plain_attributes
from extraction.border import too_deep
from extraction.emptiness import without_text
from extraction.language import detect_language
from extraction.result import Extracted
from extraction.sections.flat import with_sections
from extraction.sniff import Format, Sniffed, sniff
from extraction.standards import describe_standard, standard_title
from extraction.titles import document_title
from rubrica.errors import LimitExceededError, PoisonDocumentError
from rubrica.identity import content_hash
from rubrica.model import Document, ElementKind, Stage
from rubrica.settings import ExtractionSettings

Extractor = Callable[[bytes, str, ExtractionSettings], Extracted]

# Imported on first use: a run over Markdown pays for no PDF library.
_EXTRACTORS: dict[Format, tuple[str, str]] = {
    Format.PDF: ("extraction.pdf", "extract_pdf"),
    Format.DOCX: ("extraction.docx.reader", "extract_docx"),
    Format.XLSX: ("extraction.sheets.xlsx", "extract_xlsx"),
    Format.XLS: ("extraction.sheets.xls", "extract_xls"),
    Format.ODS: ("extraction.sheets.ods", "extract_ods"),
    Format.EPUB: ("extraction.epub", "extract_epub"),
    Format.MHTML: ("extraction.mhtml", "extract_mhtml"),
    Format.MAIL: ("extraction.mail", "extract_mail"),
    Format.HTML: ("extraction.html", "extract_html"),
    Format.FEED: ("extraction.feed", "extract_feed"),
    Format.MARKDOWN: ("extraction.markdown.reader", "extract_markdown"),
    Format.ASCIIDOC: ("extraction.asciidoc.reader", "extract_asciidoc"),
    Format.RST: ("extraction.rst.reader", "extract_rst"),
    Format.PPTX: ("extraction.slides.reader", "extract_pptx"),
    Format.NOTEBOOK: ("extraction.notebook", "extract_notebook"),
    Format.CATALOG: ("extraction.data.catalog", "extract_catalog"),
    Format.DATA: ("extraction.data.reader", "extract_data"),
    Format.XML: ("extraction.data.xml_text", "extract_xml"),
    Format.ODF: ("extraction.odf.reader", "extract_odf"),
    Format.RTF: ("extraction.rtf.reader", "extract_rtf"),
    Format.CSV: ("extraction.sheets.delimited", "extract_csv"),
    Format.TEXT: ("extraction.plain.reader", "extract_text"),
    Format.CODE: ("extraction.code.reader", "extract_code"),
}
_FLAT_FORMATS = frozenset({Format.TEXT, Format.DOCX, Format.HTML, Format.MHTML, Format.ODF, Format.RTF})
# Data and source code name standards, but are none.
_NO_NORM_FORMATS = frozenset(
    {Format.CODE, Format.DATA, Format.CATALOG, Format.CSV, Format.XLSX, Format.XLS, Format.ODS, Format.FEED}
)


def extract(content: bytes, path: str, settings: ExtractionSettings) -> Document:
    """Read a file.

    Args:
        content: The whole file.
        path: Its path inside the source, ``/`` between folders.
        settings: Limits.

    Returns:
        The document; its ``id`` is the path, ``source`` and ``revision`` are empty, for a caller that
        knows them to fill in.

    Raises:
        PoisonDocumentError: It cannot be read; the subclass and the reason tell why.
    """
    try:
        sniffed = sniff(content, path)
        extracted = _read(sniffed.format, content, path, settings)
        return _document(content, path, sniffed, extracted)
    except PoisonDocumentError as error:
        error.at(document=path, stage=Stage.EXTRACT)
        raise
    except RecursionError as error:
        raise too_deep("file").at(document=path, stage=Stage.EXTRACT) from error
    except MemoryError as error:
        raise LimitExceededError(
            f"Reading the file needs more than {settings.extract_memory_mb} MiB of memory.",
            limit="RUBRICA_EXTRACT_MEMORY_MB",
            hint="Raise RUBRICA_EXTRACT_MEMORY_MB if the file is honest.",
            document=path,
            stage=Stage.EXTRACT,
        ) from error


def _read(kind: Format, content: bytes, path: str, settings: ExtractionSettings) -> Extracted:
    module, name = _EXTRACTORS[kind]
    extractor = cast("Extractor", getattr(import_module(module), name))
    with warnings.catch_warnings():
        # Libraries warn about what they skip (charts, data validation); none of it is text.
        warnings.simplefilter("ignore")
        extracted = extractor(content, path, settings)
    return _sectioned(extracted, kind, path, settings)


def _sectioned(extracted: Extracted, kind: Format, path: str, settings: ExtractionSettings) -> Extracted:
    """Headings by a language model for the formats that may come without any; PDF has its own."""
    if settings.sections == "llm" and kind in _FLAT_FORMATS:
        return with_sections(extracted, settings, path)
    return extracted


def _document(content: bytes, path: str, sniffed: Sniffed, extracted: Extracted) -> Document:
    if not extracted.elements:
        raise without_text(content, sniffed.format)
    standard = describe_standard(extracted) if sniffed.format not in _NO_NORM_FORMATS else {}
    return Document(
        id=path,
        source="",
        path=path,
        revision="",
        content_hash=content_hash(content),
        media_type=sniffed.media_type,
        language=_language(extracted),
        title=document_title(extracted, path, printed=standard_title(extracted, standard)),
        text=extracted.text,
        elements=extracted.elements,
        attributes=plain_attributes({**standard, **extracted.attributes}),
    )


def _language(extracted: Extracted) -> str:
    """The language of the prose; of everything, where there is none."""
    prose = [item for item in extracted.elements if item.kind is not ElementKind.CODE]
    text = "\n".join(extracted.text[item.start : item.end] for item in prose or extracted.elements)
    return detect_language(text)
