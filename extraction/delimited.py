"""CSV and its relatives."""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from itertools import islice

from extraction.border import reading
from extraction.builder import DocumentBuilder
from extraction.encoding import decode
from extraction.result import Extracted
from extraction.tables import count_title_rows, guess_header_rows
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings

_DELIMITERS = ",;\t|"
_SNIFFED_ROWS = 100

# The default of 128 KiB is for files from strangers in a server's memory; ours are limited before.
csv.field_size_limit(sys.maxsize)


def extract_csv(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read a table of delimited text; the delimiter is found by how evenly it cuts.

    Raises:
        CorruptDocumentError: The quoting is broken beyond reading.
    """
    text = decode(content).replace("\0", " ")
    builder = DocumentBuilder()
    with reading("CSV", csv.Error):
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=find_delimiter(text)))
    if max(map(len, rows), default=0) == 1:  # one column is a list of lines, not a table
        for row in rows:
            builder.add(ElementKind.PARAGRAPH, " ".join(row))
    else:
        _write_table(builder, rows)
    return Extracted.from_builder(builder)


def find_delimiter(text: str) -> str:
    """The delimiter under which most rows have the same number of columns, more than one."""
    return max(_DELIMITERS, key=lambda delimiter: _evenness(text, delimiter))


def _evenness(text: str, delimiter: str) -> tuple[float, int]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    widths = [len(row) for row in islice(rows, _SNIFFED_ROWS) if row]
    width, count = Counter(widths).most_common(1)[0] if widths else (1, 0)
    return (count / len(widths), width) if width > 1 else (0.0, 0)


def _write_table(builder: DocumentBuilder, rows: list[list[str]]) -> None:
    width = max(map(len, rows), default=0)
    table = [row + [""] * (width - len(row)) for row in rows if any(cell.strip() for cell in row)]
    titles = count_title_rows(table)
    for row in table[:titles]:
        builder.add(ElementKind.PARAGRAPH, " ".join(row))
    builder.add_table(table[titles:], header_rows=guess_header_rows(table[titles:]))
