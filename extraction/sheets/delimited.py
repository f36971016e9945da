"""CSV and its relatives."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from extraction.builder import DocumentBuilder
from extraction.encoding import decode
from extraction.result import Extracted
from extraction.sheets.model import Cells
from extraction.sheets.quoting import Rows, read_rows
from extraction.sheets.regions import find_bands
from extraction.sheets.writer import write_rows
from extraction.tables import fits
from rubrica.settings import ExtractionSettings

_DELIMITERS = "\t;|,"  # of those that cut equally well, the comma is the likeliest to be part of a text
_SNIFFED_ROWS = 100
_EVEN = 0.8  # share of rows of one width under a delimiter that is believed
_SEPARATOR_LINE = re.compile(r"sep=(?P<sign>[^\r\n])\r?\n?", re.IGNORECASE)  # Excel's own first line
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
_QUOTED = re.compile(r'"[^"\r\n]*"')
_SMALL = 200_000  # rows up to which blank ones part tables


def extract_csv(content: bytes, path: str, settings: ExtractionSettings) -> Extracted:  # noqa: ARG001 (one signature for all formats)
    """Read tables of delimited text; the delimiter is found by how evenly it cuts."""
    text = decode(content).replace("\0", " ")
    stated = _SEPARATOR_LINE.match(text)
    if stated:
        text = text[stated.end() :]
    delimiter = stated["sign"] if stated else find_delimiter(text)
    builder = DocumentBuilder()
    for table in _tables(read_rows(text, delimiter)):
        write_rows(builder, table)
    return Extracted.from_builder(builder)


def find_delimiter(text: str) -> str:
    """The delimiter under which most rows have the same number of columns, more than one."""
    scores = {delimiter: _evenness(text, delimiter) for delimiter in _DELIMITERS}
    others = max(share for delimiter, (share, _) in scores.items() if delimiter != ",")
    if others >= _EVEN and _are_decimal(text):
        del scores[","]
    return max(scores, key=lambda delimiter: scores[delimiter])


def _are_decimal(text: str) -> bool:
    """Whether most commas stand inside numbers."""
    sample = _QUOTED.sub("", text[:100_000])
    return len(_DECIMAL_COMMA.findall(sample)) * 5 >= sample.count(",") * 4


def _evenness(text: str, delimiter: str) -> tuple[float, int]:
    widths = [len(row) for row in read_rows(text, delimiter, _SNIFFED_ROWS) if row]
    width, count = Counter(widths).most_common(1)[0] if widths else (1, 0)
    return (count / len(widths), width) if width > 1 else (0.0, 0)


def _tables(rows: Rows) -> list[Sequence[Sequence[str]]]:
    """The tables of a file, parted by blank rows where one does not simply go on."""
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    has_gaps = len(filled) < len(rows) <= _SMALL
    if not has_gaps:
        return [_squared(filled)]
    cells: Cells = {
        number: {column: cell for column, cell in enumerate(row) if cell.strip()}
        for number, row in enumerate(rows)
    }
    bands = find_bands({number: row for number, row in cells.items() if row})
    return [_squared([rows[number] for number in sorted(band)]) for band in bands]


def _squared(rows: Rows) -> Rows:
    width = max(map(len, rows), default=0)
    if not fits(len(rows), width, sum(map(len, rows))):
        return [[" ".join(filter(None, row))] for row in rows]
    while width > 1 and not any(len(row) >= width and row[width - 1].strip() for row in rows):
        width -= 1  # every line ends in a delimiter
    return [row[:width] + [""] * (width - len(row)) for row in rows]
