"""Excel workbooks (XLSX, XLSM, XLTX; transitional and strict).

openpyxl refuses strict workbooks, those with a dangling relation or an unknown style, and the ones of
programs that spell part names in their own way; none of it matters to the texts. So the parts are read
here, one pass over each sheet, and only openpyxl's tables and helpers are used.
"""

from __future__ import annotations

import io
import posixpath
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from lxml import etree
from openpyxl.styles.numbers import BUILTIN_FORMATS
from openpyxl.utils.cell import range_boundaries

from extraction.archive import Archive
from extraction.border import cause_of, reading, refuse_want_of_memory
from extraction.builder import DocumentBuilder
from extraction.result import Extracted
from extraction.sheets.formats import GENERAL
from extraction.sheets.model import Area, DefinedTable, Sheet
from extraction.sheets.writer import write_sheets
from extraction.sheets.xlsx_cells import Context, SheetReader, rich_text
from rubrica.errors import CorruptDocumentError
from rubrica.log import get_logger
from rubrica.settings import ExtractionSettings

_log = get_logger(__name__)

_ERRORS = (etree.LxmlError, SyntaxError, ValueError, KeyError, OverflowError)
_WORKBOOK = "xl/workbook.xml"
_PARSER: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": True,
}


def extract_xlsx(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:
    """Read a workbook: values as Excel last computed and shows them, formulas where it never did.

    Its title is the stated one, else the file's name: the name of a sheet would mislead on the others.

    Raises:
        CorruptDocumentError: It is damaged.
        LimitExceededError: It unpacks to more than the limit.
    """
    archive = Archive(content, settings)
    builder = DocumentBuilder()
    with reading("Excel", *_ERRORS):
        book = _Workbook(archive)
        hidden = write_sheets(builder, book.sheets())
        title = book.title
    attributes = {"hidden_sheets": hidden} if hidden else {}
    return Extracted.from_builder(builder, title=title or PurePosixPath(path).name, attributes=attributes)


class _Workbook:
    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        # Some programs write xl/SharedStrings.xml or use backslashes.
        self._names = {name.replace("\\", "/").lower(): name for name in archive.names}
        self._path = next(
            (target for kind, target, _ in self._relations("") if kind == "officeDocument"), _WORKBOOK
        )
        content = self._member(self._path)
        if not content.strip():
            raise CorruptDocumentError("The Excel file has no workbook in it.", hint="Save the file again.")
        self._book = etree.fromstring(content, etree.XMLParser(**_PARSER))

    @property
    def title(self) -> str:
        """The title in the file's properties."""
        root = self._root("docProps/core.xml")
        return (
            "" if root is None else (root.findtext("{http://purl.org/dc/elements/1.1/}title") or "").strip()
        )

    def sheets(self) -> Iterator[Sheet]:
        """The sheets with cells, in the order of their tabs."""
        relations = {key: (kind, target) for kind, target, key in self._relations(self._path)}
        properties = self._book.find("{*}workbookPr")
        since_1904 = properties is not None and properties.get("date1904") in ("1", "true", "on")
        parts = dict(relations.values())
        context = Context(
            self._strings(parts.get("sharedStrings", "xl/sharedStrings.xml")),
            self._formats(parts.get("styles", "xl/styles.xml")),
            since_1904,
        )
        for node in self._book.iterfind("{*}sheets/{*}sheet"):
            key = next(
                (str(value) for name, value in node.items() if etree.QName(name).localname == "id"), ""
            )
            kind, target = relations.get(key, ("", ""))
            if kind != "worksheet":
                continue  # a chart or a sheet of macros
            sheet = Sheet(node.get("name", ""), hidden=node.get("state", "visible") != "visible")
            self._read(sheet, target, context)
            yield sheet

    def _read(self, sheet: Sheet, target: str, context: Context) -> None:
        content = self._member(target)
        if not content.strip():
            return
        reader = SheetReader(sheet, context)
        for node in _parsed(content, "row", "mergeCell", "tablePart"):
            name = etree.QName(node).localname
            if name == "row":
                reader.row(node)
            elif name == "mergeCell" and (area := _area(node.get("ref", ""))):
                sheet.merges.append(area)
        for kind, part, _ in self._relations(target):
            if kind == "table" and (root := self._root(part)) is not None:
                area = _area(root.get("ref", ""))
                if area:
                    sheet.tables.append(DefinedTable(area, int(root.get("headerRowCount", "1"))))

    def _strings(self, target: str) -> list[str]:
        return [rich_text(node) for node in _parsed(self._member(target), "si")]

    def _formats(self, target: str) -> list[str]:
        root = self._root(target)
        if root is None:
            return []
        codes = {int(key): code for key, code in BUILTIN_FORMATS.items()}
        for node in root.iterfind("{*}numFmts/{*}numFmt"):
            codes[int(node.get("numFmtId", "0"))] = node.get("formatCode", GENERAL)
        used = (int(node.get("numFmtId", "0")) for node in root.iterfind("{*}cellXfs/{*}xf"))
        return [codes.get(key, GENERAL) for key in used]

    def _relations(self, source: str) -> Iterator[tuple[str, str, str]]:
        """Kind, target and id of what a part refers to; the package itself is the part ""."""
        folder, name = posixpath.split(source)
        root = self._root(posixpath.join(folder, "_rels", f"{name}.rels"))
        for node in () if root is None else root:
            if isinstance(node.tag, str) and node.get("TargetMode") != "External":
                target = node.get("Target", "").replace("\\", "/")
                target = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
                yield node.get("Type", "").rpartition("/")[2], posixpath.normpath(target), node.get("Id", "")

    def _member(self, name: str) -> bytes:
        return self._archive.read(self._names.get(name.lower(), name)) or b""

    def _root(self, name: str) -> Any | None:
        """A part that texts can be read without: ``None`` where it is missing or broken."""
        content = self._member(name)
        try:
            return etree.fromstring(content, etree.XMLParser(**_PARSER)) if content.strip() else None
        except etree.XMLSyntaxError as error:
            refuse_want_of_memory(error)
            _log.warning("part of a workbook is broken", part=name, cause=cause_of(error))
            return None


def _parsed(content: bytes, *names: str) -> Iterator[Any]:
    """The elements of some names, each let go after its turn, so that a large part fits in memory."""
    if not content.strip():
        return
    tags = [f"{{*}}{name}" for name in names]
    for _, node in etree.iterparse(io.BytesIO(content), events=("end",), tag=tags, **_PARSER):
        yield node
        node.clear()
        parent = node.getparent()
        while parent is not None and node.getprevious() is not None:
            del parent[0]


def _area(reference: str) -> Area | None:
    try:
        left, top, right, bottom = range_boundaries(reference.replace("$", ""))
    except ValueError:
        return None
    if not (left and top and right and bottom):
        return None
    return Area(top, left, bottom, right)
