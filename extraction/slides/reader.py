"""PowerPoint presentations: slide by slide, each with its title, texts, tables, charts and notes."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from lxml import etree
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.exc import PythonPptxError
from pptx.opc.constants import CONTENT_TYPE
from pptx.opc.package import PartFactory
from pptx.package import Package
from pptx.parts.presentation import PresentationPart

from extraction.archive import Archive
from extraction.border import reading
from extraction.builder import DocumentBuilder, Place
from extraction.result import Extracted
from extraction.slides.shapes import chart_table, diagram_texts, frame_table, text_blocks
from rubrica.errors import CorruptDocumentError, LimitExceededError
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings

# Templates and shows are presentations under another name.
for _kind in (
    CONTENT_TYPE.PML_TEMPLATE_MAIN,
    CONTENT_TYPE.PML_SLIDESHOW_MAIN,
    CONTENT_TYPE.PML_PRES_MACRO_MAIN,
):
    PartFactory.part_type_for[_kind] = PresentationPart

_DAMAGED: tuple[type[Exception], ...] = (
    KeyError, ValueError, AttributeError, IndexError, TypeError, NotImplementedError, OSError, EOFError,
    struct.error, zlib.error, zipfile.BadZipFile, etree.LxmlError, PythonPptxError,
)  # fmt: skip
_FURNITURE = frozenset(
    {PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.HEADER}
)
_TITLES = frozenset({PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE, PP_PLACEHOLDER.VERTICAL_TITLE})
_BODIES = frozenset(
    {PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT, PP_PLACEHOLDER.VERTICAL_BODY, PP_PLACEHOLDER.VERTICAL_OBJECT}
)
_ROW = 200_000  # shapes whose tops differ by less (in EMU; about half a centimetre) stand side by side


def extract_pptx(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read a presentation; pages are slides, hidden ones too, which an attribute names.

    Raises:
        CorruptDocumentError: It is damaged.
        LimitExceededError: It has more slides than ``max_pages``, or unpacks to too much.
    """
    Archive(content, settings).check()
    builder = DocumentBuilder()
    hidden: list[int] = []
    with reading("PowerPoint", *_DAMAGED):
        part = Package.open(io.BytesIO(content)).main_document_part
        if not isinstance(part, PresentationPart):
            raise CorruptDocumentError(
                "The archive holds no presentation.", hint="Save it again in PowerPoint."
            )
        slides = part.presentation.slides
        if len(slides) > settings.max_pages:
            raise _too_many(len(slides), settings.max_pages)
        for number, slide in enumerate(slides, 1):
            _write_slide(builder, slide, Place(number, number))
            if slide._element.get("show") in {"0", "false"}:  # noqa: SLF001 (python-pptx has no name for it)
                hidden.append(number)
        properties = part.core_properties
        title, author = properties.title, properties.author
    attributes: dict[str, Any] = {"author": author} if author else {}
    if hidden:
        attributes["hidden_slides"] = hidden
    return Extracted.from_builder(builder, title=_title(title), attributes=attributes)


def _title(stated: str) -> str:
    """The title, unless it is what PowerPoint writes where none was given."""
    return "" if stated.strip().lower() in {"powerpoint presentation", "презентация powerpoint"} else stated


def _too_many(count: int, limit: int) -> LimitExceededError:
    return LimitExceededError(
        f"The presentation has {count} slides, more than {limit}.",
        limit="RUBRICA_MAX_PAGES",
        hint="Raise RUBRICA_MAX_PAGES if the file is honest.",
    )


def _write_slide(builder: DocumentBuilder, slide: Any, place: Place) -> None:
    title = next((shape for shape in slide.placeholders if _placeholder(shape) in _TITLES), None)
    if title is not None and title.has_text_frame:
        builder.add(ElementKind.HEADING, title.text_frame.text.replace("\v", " "), level=1, place=place)
    for shape in _in_order(slide.shapes):
        if title is None or shape.shape_id != title.shape_id:
            _write_shape(builder, shape, place)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        for line in slide.notes_slide.notes_text_frame.text.splitlines():
            builder.add(ElementKind.PARAGRAPH, line, place=place)


def _in_order(shapes: Any) -> Iterator[Any]:
    """Shapes as they are read: from the top, in a row from the left; a group stays together."""
    found = [shape for shape in shapes if _placeholder(shape) not in _FURNITURE]
    found.sort(key=lambda shape: shape.top or 0)
    for row in _rows(found):
        for shape in sorted(row, key=lambda item: item.left or 0):
            if hasattr(shape, "shapes"):
                yield from _in_order(shape.shapes)
            else:
                yield shape


def _rows(shapes: Sequence[Any]) -> Iterator[list[Any]]:
    row: list[Any] = []
    for shape in shapes:
        if row and (shape.top or 0) - (row[0].top or 0) > _ROW:
            yield row
            row = []
        row.append(shape)
    if row:
        yield row


def _placeholder(shape: Any) -> Any:
    return shape.placeholder_format.type if shape.is_placeholder else None


def _write_shape(builder: DocumentBuilder, shape: Any, place: Place) -> None:
    if getattr(shape, "has_table", False):
        rows, headers = frame_table(shape.table)
        builder.add_table(rows, header_rows=headers, place=place)
    elif getattr(shape, "has_chart", False):
        title, rows = chart_table(shape.chart)
        builder.add(ElementKind.CAPTION, title, place=place)
        builder.add_table(rows, header_rows=1, place=place)
    elif shape.has_text_frame:
        for block in text_blocks(shape.text_frame, listed=_placeholder(shape) in _BODIES):
            kind = ElementKind.PARAGRAPH if block.level is None else ElementKind.LIST_ITEM
            builder.add(kind, block.text, level=block.level, place=place)
    else:
        for text in diagram_texts(shape):
            builder.add(ElementKind.PARAGRAPH, text, place=place)
