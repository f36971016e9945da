"""OpenDocument spreadsheets (ODS, OTS, and the flat FODS).

The file keeps each cell's text as its program last showed it, so numbers and dates need no formatting.
Nothing of a million repeated blank rows is ever made.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from lxml import etree

from extraction.archive import Archive
from extraction.border import reading
from extraction.builder import DocumentBuilder
from extraction.result import Extracted
from extraction.sheets.model import Area, Sheet
from extraction.sheets.writer import write_sheets
from rubrica.errors import CorruptDocumentError, EncryptedDocumentError
from rubrica.settings import ExtractionSettings

_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_MAX_REPEATS = 1000  # of a row or cell with text; more of the same says nothing
_MAX_PUT = 2_000_000  # cells with text that repeats make in one file
_BREAKS = frozenset({f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break"})
_NO_TEXT = frozenset({f"{_OFFICE}annotation", f"{_TEXT}ruby-text"})


def extract_ods(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:
    """Read a spreadsheet: each cell as it was last shown, formulas where they never were computed.

    Raises:
        CorruptDocumentError: It is damaged.
        EncryptedDocumentError: It needs a password.
        LimitExceededError: It unpacks to more than the limit.
    """
    builder = DocumentBuilder()
    with reading("OpenDocument", etree.LxmlError, SyntaxError, ValueError):
        body, meta = _parts(content, settings)
        hidden = write_sheets(builder, _sheets(body))
        title = "" if meta is None else (meta.findtext(f".//{_DC}title") or "").strip()
    attributes = {"hidden_sheets": hidden} if hidden else {}
    return Extracted.from_builder(builder, title=title or PurePosixPath(path).name, attributes=attributes)


def _parts(content: bytes, settings: ExtractionSettings) -> tuple[Any, Any | None]:
    if not content.startswith(b"PK"):
        root = _root(content)
        return root, root
    archive = Archive(content, settings)
    manifest = archive.read("META-INF/manifest.xml") or b""
    if b"encryption-data" in manifest:
        raise EncryptedDocumentError(
            "The spreadsheet is protected with a password.", hint="Save it without a password."
        )
    body = archive.read("content.xml")
    if not body:
        raise CorruptDocumentError("The spreadsheet has no content in it.", hint="Save the file again.")
    meta = archive.read("meta.xml")
    return _root(body), _root(meta) if meta else None


def _root(content: bytes) -> Any:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    return etree.fromstring(content, parser)


def _sheets(root: Any) -> Iterator[Sheet]:
    hidden_styles = {
        style.get(f"{_STYLE}name")
        for style in root.iter(f"{_STYLE}style")
        for item in style.iterchildren(f"{_STYLE}table-properties")
        if item.get(f"{_TABLE}display") == "false"
    }
    budget = _Budget()
    for spreadsheet in root.iter(f"{_OFFICE}spreadsheet"):
        for table in spreadsheet.iterchildren(f"{_TABLE}table"):
            sheet = Sheet(
                table.get(f"{_TABLE}name", ""), hidden=table.get(f"{_TABLE}style-name") in hidden_styles
            )
            _read(sheet, table, budget)
            yield sheet


class _Budget:
    """How many repeated cells may still be written out."""

    def __init__(self) -> None:
        self._left = _MAX_PUT

    def repeats(self, stated: int) -> int:
        """How often a row or cell is really repeated."""
        count = max(1, min(stated, _MAX_REPEATS, self._left))
        self._left -= count - 1
        return count


def _read(sheet: Sheet, table: Any, budget: _Budget) -> None:
    row = 1
    for node in _rows(table):
        stated = _count(node, "number-rows-repeated")
        cells = _cells(node, budget)
        if cells:
            for offset in range(budget.repeats(stated)):
                for column, text, area in cells:
                    sheet.put(row + offset, column, text)
                    if area != (1, 1) and not offset:
                        height, width = area
                        sheet.merges.append(Area(row, column, row + height - 1, column + width - 1))
        row += stated


def _rows(table: Any) -> Iterator[Any]:
    """The rows of a sheet, those in groups and headers included; an inner table's are its own."""
    groups = {f"{_TABLE}{name}" for name in ("table-row-group", "table-header-rows", "table-rows")}
    pending = [iter(table)]
    while pending:
        node = next(pending[-1], None)
        if node is None:
            pending.pop()
        elif node.tag == f"{_TABLE}table-row":
            yield node
        elif node.tag in groups:
            pending.append(iter(node))


def _cells(row: Any, budget: _Budget) -> list[tuple[int, str, tuple[int, int]]]:
    """Column, text and reach of the cells of a row that have a text."""
    found: list[tuple[int, str, tuple[int, int]]] = []
    column = 1
    for cell in row:
        if cell.tag not in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            continue
        stated = _count(cell, "number-columns-repeated")
        text = _cell_text(cell) if cell.tag == f"{_TABLE}table-cell" else ""
        if text:
            area = (_count(cell, "number-rows-spanned"), _count(cell, "number-columns-spanned"))
            found += [(column + offset, text, area) for offset in range(budget.repeats(stated))]
        column += stated
    return found


def _cell_text(cell: Any) -> str:
    paragraphs = [_paragraph(node) for node in cell.iterchildren(f"{_TEXT}p", f"{_TEXT}h", f"{_TEXT}list")]
    text = "\n".join(filter(None, paragraphs)).strip()
    if text:
        return text
    value = (
        cell.get(f"{_OFFICE}string-value") or cell.get(f"{_OFFICE}value") or cell.get(f"{_OFFICE}date-value")
    )
    formula = cell.get(f"{_TABLE}formula", "")
    return value or ("=" + formula.partition("=")[2] if formula else "")


def _paragraph(node: Any) -> str:
    parts = [node.text or ""]
    for child in node.iterchildren(etree.Element):
        if child.tag in _BREAKS:
            parts.append(" ")
        elif child.tag not in _NO_TEXT:
            parts.append(_paragraph(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _count(node: Any, name: str) -> int:
    text = node.get(f"{_TABLE}{name}", "1")
    return max(int(text), 1) if text.isascii() and text.isdigit() and len(text) < 9 else 1
