"""Jupyter notebooks: text through the Markdown reader, code as code, text that it printed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from extraction.border import reading
from extraction.builder import DocumentBuilder
from extraction.encoding import decode
from extraction.html import append_html
from extraction.markdown.reader import append_markdown
from extraction.result import Extracted
from extraction.text import drop_terminal_codes
from rubrica.errors import CorruptDocumentError
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings

_OUTPUT_LINES = 30
_OUTPUT_CHARACTERS = 2000


def extract_notebook(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read a notebook; long outputs are cut, pictures left out.

    Raises:
        CorruptDocumentError: It is no JSON, or holds no cells.
    """
    with reading("notebook", ValueError):
        notebook = json.loads(decode(content))
    builder = DocumentBuilder()
    for cell in _cells(notebook):
        _write(builder, cell)
    language = _language(notebook)
    return Extracted.from_builder(builder, attributes={"programming_language": language} if language else {})


def _cells(notebook: Any) -> list[Mapping[str, Any]]:
    """The cells of a notebook of format 4, or of format 3, which has worksheets."""
    values = notebook if isinstance(notebook, dict) else {}
    cells = values.get("cells")
    if not isinstance(cells, list):
        sheets = values.get("worksheets")
        sheets = sheets if isinstance(sheets, list) else []
        lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        cells = [cell for found in lists if isinstance(found, list) for cell in found]
        if not lists:
            raise CorruptDocumentError(
                "The notebook has no cells.", hint="Open and save it again in Jupyter."
            )
    return [cell for cell in cells if isinstance(cell, dict)]


def _language(notebook: Mapping[str, Any]) -> str:
    metadata = notebook.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    for key, field in (("language_info", "name"), ("kernelspec", "language")):
        values = metadata.get(key)
        name = values.get(field) if isinstance(values, dict) else None
        if isinstance(name, str):
            return name.lower()
    return ""


def _write(builder: DocumentBuilder, cell: Mapping[str, Any]) -> None:
    source = _joined(cell.get("source", cell.get("input", "")))
    match cell.get("cell_type"):
        case "markdown":
            append_markdown(builder, source)
        case "heading":
            level = cell.get("level")
            builder.add(
                ElementKind.HEADING, source, level=level if isinstance(level, int) and level > 0 else 1
            )
        case "code":
            builder.add(ElementKind.CODE, source)
            outputs = cell.get("outputs")
            for output in outputs if isinstance(outputs, list) else ():
                _write_output(builder, output if isinstance(output, dict) else {})
        case _:
            builder.add(ElementKind.PARAGRAPH, source)


def _write_output(builder: DocumentBuilder, output: Mapping[str, Any]) -> None:
    data = output.get("data")
    data = data if isinstance(data, dict) else {}
    markup = _joined(data.get("text/html", output.get("html", "")))
    if "<table" in markup:
        append_html(builder, markup)
    elif "text/markdown" in data:
        append_markdown(builder, _joined(data["text/markdown"]))
    else:
        text = _joined(output.get("text", data.get("text/plain", ""))) or _joined(output.get("evalue", ""))
        builder.add(ElementKind.CODE, _short(drop_terminal_codes(text)))


def _short(text: str) -> str:
    lines = text.split("\n")
    kept = "\n".join(lines[:_OUTPUT_LINES])[:_OUTPUT_CHARACTERS]
    return kept if kept == text else f"{kept.rstrip()}\n…"


def _joined(value: Any) -> str:
    """A text that may be given as a list of lines."""
    return "".join(_strings(value))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (item for item in value if isinstance(item, str))
