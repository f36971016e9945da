"""Writes a source text as DOCX."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docx import Document
from docx.document import Document as DocumentType
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_TAB_ALIGNMENT
from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.oxml.xmlchemy import BaseOxmlElement
from docx.shared import Mm, Pt, RGBColor
from docx.styles.style import ParagraphStyle
from docx.text.paragraph import Paragraph as WordParagraph

from examples.builders.source import Block, Formula, Heading, Item, Paragraph, Source, Table, split_clause
from examples.builders.zips import write_normalised

_FONT = "Times New Roman"
_SIZES = {"Normal": 11, "Title": 18, "Subtitle": 12, "Heading 1": 15, "Heading 2": 12.5, "Caption": 10.5}
_KEPT = frozenset(
    {
        "Title",
        "Subtitle",
        "heading 1",
        "heading 2",
        "caption",
        "List Bullet",
        "Table Grid",
        "header",
        "footer",
    }
)
_DATE = dt.datetime(2024, 4, 15)  # noqa: DTZ001 - python-docx writes a naive date as UTC
_CLAUSES = 77  # id of our numbering; the template uses small ones
_LEVELS = 3


def write_docx(source: Source, target: Path) -> None:
    """Write the document.

    Raises:
        ValueError: The source asks for automatic numbers and its written ones are not what a word
            processor will count.
    """
    document = Document()
    _set_up(document, source)
    _cover(document, source)
    numbers = _Numbers() if source.automatic else None
    if numbers is not None:
        _add_numbering(document)
    notes: list[str] = []
    for block in source.blocks:
        _add(document, block, numbers, notes)
    if notes:
        _add_notes(document, notes)
    _trim(document)
    buffer = io.BytesIO()
    document.save(buffer)
    write_normalised(buffer.getvalue(), target, f"{_DATE.isoformat()}Z")


def _trim(document: DocumentType) -> None:
    """Drop what python-docx's template carries and nothing here uses: most styles and a thumbnail."""
    styles = document.styles.element
    for style in list(styles.style_lst):
        if style.name_val not in _KEPT and style.get(qn("w:default")) != "1":
            styles.remove(style)
    for link in styles.xpath("w:style/w:link"):
        link.getparent().remove(link)  # to a character style, all of which are gone
    for holder in (document.part, document.part.package):
        assert holder is not None
        for key, relation in list(holder.rels.items()):
            if relation.reltype.endswith(("/stylesWithEffects", "/thumbnail")):
                del holder.rels[key]


class _Numbers:
    """Counts clauses as a word processor does, to check the written numbers."""

    def __init__(self) -> None:
        self._counts = [0] * _LEVELS

    def take(self, text: str) -> tuple[int, str]:
        """Level (from 0) and text without the number; the level is -1 where there is no number."""
        number, rest = split_clause(text)
        if not number:
            return -1, text
        level = number.count(".")
        self._counts[level] += 1
        self._counts[level + 1 :] = [0] * (_LEVELS - level - 1)
        counted = ".".join(map(str, self._counts[: level + 1]))
        if counted != number:
            raise ValueError(f"Clause {number} would be numbered {counted}: {rest[:60]}")
        return level, rest


def _set_up(document: DocumentType, source: Source) -> None:
    properties = document.core_properties
    properties.title, properties.language = source.title, source.language
    properties.author = "Озёрное лодочное бюро" if source.language == "ru" else "Lake District Boating Office"
    properties.comments, properties.revision = "", 1
    properties.created = properties.modified = _DATE
    for name, size in _SIZES.items():
        style = document.styles[name]
        assert isinstance(style, ParagraphStyle)
        _set_font(style, size)
    section = document.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin, section.right_margin = Mm(25), Mm(15)
    section.top_margin, section.bottom_margin = Mm(22), Mm(20)
    _two_sides(section.header.paragraphs[0], *source.header)
    _page_number(_two_sides(section.footer.paragraphs[0], source.footer, f"{source.page_word} "))


def _set_font(style: ParagraphStyle, size: float) -> None:
    style.font.name, style.font.size, style.font.color.rgb = _FONT, Pt(size), RGBColor(0, 0, 0)
    fonts = style.element.rPr.rFonts
    for key in [key for key in fonts.attrib if key.lower().endswith("theme")]:
        del fonts.attrib[key]  # the theme's font would win over the named one
    fonts.set(qn("w:cs"), _FONT)
    if style.name == "Caption":
        style.font.bold = False
        style.paragraph_format.keep_with_next = True
    if style.name == "Title":
        border = style.element.pPr.find(qn("w:pBdr"))
        style.element.pPr.remove(border)
        style.font.bold = True


def _two_sides(paragraph: WordParagraph, left: str, right: str) -> WordParagraph:
    paragraph.paragraph_format.tab_stops.clear_all()
    paragraph.paragraph_format.tab_stops.add_tab_stop(Mm(170), WD_TAB_ALIGNMENT.RIGHT)
    paragraph.style.paragraph_format.tab_stops.clear_all()  # type: ignore[union-attr]
    paragraph.add_run(f"{left}\t{right}").font.size = Pt(8)
    return paragraph


def _page_number(paragraph: WordParagraph) -> None:
    for kind in ("begin", "PAGE", "end"):
        run = paragraph.add_run()
        run.font.size = Pt(8)
        element = OxmlElement("w:instrText" if kind == "PAGE" else "w:fldChar")
        if kind == "PAGE":
            element.text = kind
        else:
            element.set(qn("w:fldCharType"), kind)
        run._r.append(element)  # noqa: SLF001 - python-docx has no fields


def _cover(document: DocumentType, source: Source) -> None:
    largest = min(1, len(source.cover) - 1) if len(source.cover) > 2 else 0
    lines = [(line, "Title" if i == largest else "Subtitle") for i, line in enumerate(source.cover)]
    lines += [(source.dateline, "Subtitle")] if source.dateline else []
    for line, style in lines:
        document.add_paragraph(line, style).alignment = WD_ALIGN_PARAGRAPH.CENTER


def _add(document: DocumentType, block: Block, numbers: _Numbers | None, notes: list[str]) -> None:
    match block:
        case Heading(level, text):
            _numbered(document, text, f"Heading {level}", numbers)
        case Paragraph(text, note):
            paragraph = _numbered(document, text, "Normal", numbers)
            paragraph.alignment = WD_ALIGN_PARAGRAPH.JUSTIFY
            if note is not None:
                notes.append(note)
                paragraph._p.append(_note_reference(len(notes)))  # noqa: SLF001 - no footnotes there
        case Item(text):
            document.add_paragraph(text, "List Bullet")
        case Formula(text):
            document.add_paragraph(text).alignment = WD_ALIGN_PARAGRAPH.CENTER
        case Table():
            _add_table(document, block)


def _numbered(document: DocumentType, text: str, style: str, numbers: _Numbers | None) -> WordParagraph:
    level, rest = numbers.take(text) if numbers else (-1, text)
    paragraph = document.add_paragraph(rest, style)
    if level >= 0:
        properties: Any = paragraph._p.get_or_add_pPr()  # noqa: SLF001 - no lists there
        numbering = properties.get_or_add_numPr()
        numbering.get_or_add_ilvl().val = level
        numbering.get_or_add_numId().val = _CLAUSES
    return paragraph


def _add_table(document: DocumentType, block: Table) -> None:
    document.add_paragraph(block.caption, "Caption")
    table = document.add_table(len(block.rows), len(block.rows[0]), "Table Grid")
    for row, cells in zip(table.rows, block.rows, strict=True):
        row._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))  # noqa: SLF001 - not in its interface
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    table.rows[0]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))  # noqa: SLF001 - as above
    for cell in table.rows[0].cells:
        cell.paragraphs[0].runs[0].font.bold = True
    document.add_paragraph()


def _add_numbering(document: DocumentType) -> None:
    """Add a list of three levels: 1, 1.1, 1.1.1."""
    root = document.part.numbering_part.element
    levels = "".join(
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:suff w:val="space"/>'
        f'<w:lvlText w:val="{".".join(f"%{i + 1}" for i in range(level + 1))}"/>'
        f'<w:lvlJc w:val="left"/><w:pPr><w:ind w:left="0" w:firstLine="0"/></w:pPr></w:lvl>'
        for level in range(_LEVELS)
    )
    abstract = parse_xml(
        f'<w:abstractNum {nsdecls("w")} w:abstractNumId="{_CLAUSES}">'
        f'<w:multiLevelType w:val="multilevel"/>{levels}</w:abstractNum>'
    )
    root.insert(0, abstract)  # the schema wants abstract numberings before their uses
    root.append(
        parse_xml(f'<w:num {nsdecls("w")} w:numId="{_CLAUSES}"><w:abstractNumId w:val="{_CLAUSES}"/></w:num>')
    )


def _note_reference(number: int) -> BaseOxmlElement:
    return parse_xml(
        f'<w:r {nsdecls("w")}><w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'
        f'<w:footnoteReference w:id="{number}"/></w:r>'
    )


def _add_notes(document: DocumentType, notes: list[str]) -> None:
    package = document.part.package
    assert package is not None
    body = f"<w:footnotes {nsdecls('w')}>{''.join(_note_elements(notes))}</w:footnotes>"
    blob = f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n{body}'.encode()
    part = Part(PackURI("/word/footnotes.xml"), CONTENT_TYPE.WML_FOOTNOTES, blob, package)
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)


def _note_elements(notes: list[str]) -> Iterator[str]:
    for number, kind in ((-1, "separator"), (0, "continuationSeparator")):
        yield f'<w:footnote w:type="{kind}" w:id="{number}"><w:p><w:r><w:{kind}/></w:r></w:p></w:footnote>'
    for number, note in enumerate(notes, 1):
        yield (
            f'<w:footnote w:id="{number}"><w:p>'
            '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteRef/></w:r>'
            f'<w:r><w:rPr><w:sz w:val="18"/></w:rPr><w:t xml:space="preserve"> {escape(note)}</w:t></w:r>'
            "</w:p></w:footnote>"
        )
