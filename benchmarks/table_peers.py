"""Readers of tables that are compared: ours, and the peers that are installed.

camelot-py and PyMuPDF are needed for this benchmark only, and only where one wants them in it.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pdfplumber

from benchmarks.adjacency import Cell, Pages, Table
from extraction.pdf.file.reader import PageReader, open_pdf
from extraction.pdf.layout import TableRegion
from extraction.pdf.tables.page_tables import find_tables
from rubrica.model import BBox
from rubrica.settings import ExtractionSettings

_SAME_BORDER = 1.0
_TEXT = {"vertical_strategy": "text", "horizontal_strategy": "text"}


@dataclass(frozen=True, slots=True)
class Peer:
    """A reader of tables.

    Attributes:
        name: Its name, and its settings where they are not the default ones.
        module: What must be installed for it.
        read: Reads the tables of a file, page by page.
    """

    name: str
    module: str
    read: Callable[[Path], Pages]

    @property
    def installed(self) -> bool:
        """Whether it can run here."""
        return importlib.util.find_spec(self.module) is not None


def _read_ours(path: Path) -> Pages:
    """Our tables before those that go on over a page break are joined: the truth is told by page."""
    reader = PageReader(open_pdf(path.read_bytes(), path.name), path.name, ExtractionSettings())
    return {page.page_number: list(map(_from_slots, find_tables(page))) for page in reader.pages()}


def _from_slots(table: TableRegion) -> Table:
    """Cells with their spans; a cell is repeated in the rows and columns that it covers."""
    places: dict[int, list[tuple[int, int]]] = {}
    for row, slots in enumerate(table.slots):
        for column, index in enumerate(slots):
            if index >= 0:
                places.setdefault(index, []).append((row, column))
    cells = []
    for place in places.values():
        (row, column), (last_row, last_column) = place[0], place[-1]
        text = " ".join(table.rows[row][column])
        cells.append(Cell(text, row, column, last_row, last_column))
    return cells


def _read_pdfplumber(path: Path, options: dict[str, Any]) -> Pages:
    with pdfplumber.open(path) as pdf:
        return {page.page_number: list(map(_from_rows, page.find_tables(options))) for page in pdf.pages}


def _read_pymupdf(path: Path) -> Pages:
    import pymupdf  # type: ignore[import-untyped, import-not-found, unused-ignore]  # noqa: PLC0415

    with pymupdf.open(path) as document:  # type: ignore[no-untyped-call, unused-ignore]
        return {
            number: [_from_boxes(page, table) for table in page.find_tables().tables]
            for number, page in enumerate(document, start=1)
        }


def _from_boxes(page: Any, table: Any) -> Table:
    """The cells of a table of PyMuPDF, with the words in them.

    Its own ``extract`` puts decimal points on lines of their own, which no text of the truth equals.
    """
    if page.rotation:
        return _from_rows(table)
    words = [
        ((x0 + x1) / 2, (top + bottom) / 2, text) for x0, top, x1, bottom, text, *_ in page.get_text("words")
    ]
    boxes = [box for row in table.rows for box in row.cells if box]
    return place([(box, " ".join(text for x, y, text in words if _holds(box, x, y))) for box in boxes])


def _holds(box: BBox, x: float, y: float) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _from_rows(table: Any) -> Table:
    """The cells of a table of pdfplumber, which gives boxes and texts row by row."""
    boxes = [box for row in table.rows for box in row.cells]
    texts = [text for row in table.extract() for text in row]
    return place([(box, text or "") for box, text in zip(boxes, texts, strict=True) if box])


def place(boxes: Sequence[tuple[BBox, str]]) -> Table:
    """Rows and columns of cells by their boxes."""
    xs = _borders(x for box, _ in boxes for x in (box[0], box[2]))
    ys = _borders(y for box, _ in boxes for y in (box[1], box[3]))
    return [
        Cell(
            text=text,
            row=_index(ys, top),
            column=_index(xs, x0),
            last_row=max(_index(ys, bottom) - 1, _index(ys, top)),
            last_column=max(_index(xs, x1) - 1, _index(xs, x0)),
        )
        for (x0, top, x1, bottom), text in boxes
    ]


def _borders(values: Iterable[float]) -> list[float]:
    borders: list[float] = []
    for value in sorted(values):
        if not borders or value - borders[-1] > _SAME_BORDER:
            borders.append(value)
    return borders


def _index(borders: Sequence[float], value: float) -> int:
    return min(range(len(borders)), key=lambda i: abs(borders[i] - value))


def _read_camelot(path: Path, flavor: str) -> Pages:
    import camelot  # type: ignore[import-untyped, import-not-found, unused-ignore]  # noqa: PLC0415

    pages: dict[int, list[Table]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read: Callable[..., Any] = camelot.read_pdf  # type: ignore[attr-defined, unused-ignore]
        for table in read(str(path), pages="all", flavor=flavor, suppress_stdout=True):
            pages.setdefault(int(table.page), []).append(list(_from_camelot(table.cells)))
    return pages


def _from_camelot(rows: Sequence[Sequence[Any]]) -> Iterator[Cell]:
    """Cells of camelot, which says of each side of a place on the grid whether it has a rule."""
    seen: set[tuple[int, int]] = set()
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            if (r, c) in seen:
                continue
            last_column = next((k for k in range(c, len(row)) if row[k].right), c)
            last_row = next((k for k in range(r, len(rows)) if rows[k][c].bottom), r)
            covered = [(i, k) for i in range(r, last_row + 1) for k in range(c, last_column + 1)]
            seen.update(covered)
            text = " ".join(rows[i][k].text for i, k in covered)
            yield Cell(text or cell.text, r, c, last_row, last_column)


OURS = "rubrica"
PEERS = (
    Peer(OURS, "pdfplumber", _read_ours),
    Peer("pdfplumber", "pdfplumber", partial(_read_pdfplumber, options={})),
    Peer("pdfplumber, text", "pdfplumber", partial(_read_pdfplumber, options=_TEXT)),
    Peer("camelot, lattice", "camelot", partial(_read_camelot, flavor="lattice")),
    Peer("camelot, stream", "camelot", partial(_read_camelot, flavor="stream")),
    Peer("PyMuPDF", "pymupdf", _read_pymupdf),
)
