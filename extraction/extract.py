"""A file's bytes in, a document out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import groupby
from pathlib import PurePosixPath
from typing import cast

from extraction.attributes import plain_attributes
from extraction.language import detect_language
from extraction.result import Extracted
from extraction.sniff import Format, Sniffed, sniff
from extraction.text import clean_line
from rubrica.errors import EmptyDocumentError, LimitExceededError, PoisonDocumentError
from rubrica.identity import content_hash
from rubrica.model import Document, Element, ElementKind, Stage
from rubrica.settings import ExtractionSettings

Extractor = Callable[[bytes, str, ExtractionSettings], Extracted]

# Imported on first use: a run over Markdown pays for no PDF library.
_EXTRACTORS: dict[Format, tuple[str, str]] = {
    Format.PDF: ("extraction.pdf", "extract_pdf"),
    Format.DOCX: ("extraction.docx.reader", "extract_docx"),
    Format.XLSX: ("extraction.workbook", "extract_xlsx"),
    Format.HTML: ("extraction.html", "extract_html"),
    Format.FEED: ("extraction.feed", "extract_feed"),
    Format.MARKDOWN: ("extraction.markdown", "extract_markdown"),
    Format.ASCIIDOC: ("extraction.asciidoc", "extract_asciidoc"),
    Format.CSV: ("extraction.delimited", "extract_csv"),
    Format.TEXT: ("extraction.plain", "extract_text"),
    Format.CODE: ("extraction.code", "extract_code"),
}
_TITLE_LENGTH = 300


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
        return extractor(content, path, settings)


def _document(content: bytes, path: str, sniffed: Sniffed, extracted: Extracted) -> Document:
    if not extracted.elements:
        raise EmptyDocumentError(
            "The document has no text.",
            hint="If it holds pictures of pages, it needs text recognition first.",
        )
    return Document(
        id=path,
        source="",
        path=path,
        revision="",
        content_hash=content_hash(content),
        media_type=sniffed.media_type,
        language=_language(extracted),
        title=_title(extracted, path),
        text=extracted.text,
        elements=extracted.elements,
        attributes=plain_attributes(extracted.attributes),
    )


def _language(extracted: Extracted) -> str:
    """The language of the prose; of everything, where there is none."""
    prose = [item for item in extracted.elements if item.kind is not ElementKind.CODE]
    text = "\n".join(extracted.text[item.start : item.end] for item in prose or extracted.elements)
    return detect_language(text)


def _title(extracted: Extracted, path: str) -> str:
    stated = clean_line(extracted.title)
    if stated:
        return stated[:_TITLE_LENGTH]
    # A title page spreads the title over several lines.
    runs = groupby(extracted.elements, key=lambda item: item.kind is ElementKind.TITLE)
    lines = next((list(items) for is_title, items in runs if is_title), [])
    lines = lines or _leading_heading(extracted.elements)
    text = " ".join(extracted.text[item.start : item.end] for item in lines)
    return text[:_TITLE_LENGTH] or clean_line(PurePosixPath(path).name)


def _leading_heading(elements: Sequence[Element]) -> list[Element]:
    """The first heading, unless it opens only the first of several parts: «1 Область применения»."""
    headings = [item for item in elements if item.kind is ElementKind.HEADING]
    if not headings:
        return []
    first, *others = headings
    is_part = first.clause is not None and any((item.level or 1) <= (first.level or 1) for item in others)
    return [] if is_part else [first]
