"""Word documents to elements."""

from __future__ import annotations

import re
from typing import Any

from extraction.border import reading
from extraction.builder import DocumentBuilder
from extraction.docx.blocks import blocks, frame_cells, note_texts, read_table
from extraction.docx.numbering import Numbering
from extraction.docx.package import Parts, child_value, open_parts, w
from extraction.docx.runs import ParagraphText, mark_is_deleted, read_paragraph
from extraction.docx.styles import Style, Styles, numbering_of, outline_level
from extraction.plain import BULLET, heading_level
from extraction.result import Extracted
from extraction.tables import guess_header_rows
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings

# A clause of a norm ("5.2.1"), as against the item of a list ("1)", "а)").
_CLAUSE = re.compile(r"(?:[А-ЯA-Z]\.)?\d{1,3}(?:\.\d{1,3})+\.?")
_HEADING_LENGTH = 400
_TITLES = frozenset({"title", "название", "consplustitle", "заголовок документа"})
_CAPTIONS = frozenset({"caption", "название объекта"})
_DC = "{http://purl.org/dc/elements/1.1/}"


def extract_docx(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read a Word document (DOCX, DOCM, DOTX; transitional or strict).

    Raises:
        CorruptDocumentError: It is damaged.
        LimitExceededError: It unpacks to more than the limit.
    """
    with reading("Word"):
        parts = open_parts(content, settings)
        reader = _Reader(parts)
        body = parts.document.find(w("body"))
        if body is not None:
            reader.read(body)
    return Extracted.from_builder(reader.builder, title=_title(parts.core))


def _title(core: Any | None) -> str:
    return (core.findtext(f"{_DC}title") or "") if core is not None else ""


class _Reader:
    def __init__(self, parts: Parts) -> None:
        self.builder = DocumentBuilder()
        self._styles = Styles(parts.styles)
        self._numbering = Numbering(parts.numbering)
        self._notes = {
            "footnote": note_texts(parts.footnotes, "footnote"),
            "endnote": note_texts(parts.endnotes, "endnote"),
        }
        self._carried: list[str] = []  # text of paragraphs whose end is deleted

    def read(self, parent: Any) -> None:
        for block in blocks(parent):
            if block.tag == w("p"):
                self._paragraph(block)
            else:
                self._table(block)

    def _paragraph(self, node: Any) -> None:
        content = read_paragraph(node)
        if mark_is_deleted(node):
            self._carried.append(content.text)
        else:
            properties = node.find(w("pPr"))
            text = "".join([*self._carried, content.text])
            self._carried.clear()
            self._add(text, properties, content)
        for box in content.boxes:
            self.read(box)
        for kind, note in content.notes:
            self.builder.add(ElementKind.FOOTNOTE, self._notes[kind].get(note, ""))

    def _add(self, text: str, properties: Any | None, content: ParagraphText) -> None:
        style = self._styles.of(properties)
        label, ilvl = self._label(properties, style)
        if not text.strip():
            return
        kind, level = self._kind(text, properties, style, label, ilvl)
        if kind is ElementKind.PARAGRAPH and content.only_formula:
            kind = ElementKind.FORMULA
        elif kind is ElementKind.PARAGRAPH and content.bold and (typed := heading_level(text.strip())):
            kind, level = ElementKind.HEADING, typed
        elif kind is ElementKind.PARAGRAPH and BULLET.match(text):
            kind, level, text = ElementKind.LIST_ITEM, 1, BULLET.sub("", text, count=1)
        numbered = f"{label} {text.lstrip()}" if label else text
        clause = label.rstrip(".") if label and _CLAUSE.fullmatch(label) else None
        self.builder.add(kind, numbered, level=level, clause=clause)

    def _cell_label(self, paragraph: Any) -> str:
        properties = paragraph.find(w("pPr"))
        return self._label(properties, self._styles.of(properties))[0] or ""

    def _label(self, properties: Any | None, style: Style) -> tuple[str | None, int]:
        num_id, ilvl = numbering_of(properties)
        num_id = style.num_id if num_id is None else num_id
        if ilvl is None:
            linked = self._numbering.level_of_style(num_id, child_value(properties, "pStyle") or "")
            ilvl = next((level for level in (linked, style.ilvl) if level is not None), 0)
        return self._numbering.label(num_id, ilvl), ilvl

    def _kind(
        self, text: str, properties: Any | None, style: Style, label: str | None, ilvl: int
    ) -> tuple[ElementKind, int | None]:
        own = outline_level(properties)
        heading = style.heading if own is None else own or None
        if heading is not None and len(text) <= _HEADING_LENGTH:
            return ElementKind.HEADING, heading
        if style.name in _TITLES:
            return ElementKind.TITLE, None
        if style.name in _CAPTIONS:
            return ElementKind.CAPTION, None
        if label is not None and not _CLAUSE.fullmatch(label):
            return ElementKind.LIST_ITEM, ilvl + 1
        return ElementKind.PARAGRAPH, None

    def _table(self, node: Any) -> None:
        frame = frame_cells(node)
        if frame:
            for cell in frame:
                self.read(cell)
            return
        rows, marked = read_table(node, self._cell_label)
        self.builder.add_table(
            rows, header_rows=marked if 0 < marked < len(rows) else guess_header_rows(rows)
        )
