"""The page on which strategies cut the same document side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.plots.rendering import render
from pipeline.plots.view import Limits
from pipeline.plots.visible import one_line
from rubrica.model import Chunk, Document


@dataclass(frozen=True, slots=True)
class Lane:
    """One strategy on the page.

    Attributes:
        name: What it is called.
        chunks: Its chunks of the document.
        figures: What else to say of it, by heading; the same headings in every lane.
    """

    name: str
    chunks: Sequence[Chunk]
    figures: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Cell:
    """What a lane has in a row.

    Attributes:
        chunk: The chunk; ``None`` where the lane has none.
        starts: Whether the chunk starts with this row.
    """

    chunk: Chunk | None
    starts: bool


@dataclass(frozen=True, slots=True)
class _Row:
    """A stretch of text that no lane cuts, and what each lane has there.

    Attributes:
        text: The text.
        cells: One a lane.
        starting: How many lanes start a chunk here.
    """

    text: str
    cells: Sequence[_Cell]
    starting: int


@dataclass(frozen=True, slots=True)
class _Header:
    """What the page's head shows of the document."""

    title: str
    document: Document


def compare_page(document: Document, lanes: Sequence[Lane], limits: Limits) -> str:
    """The page as HTML.

    Args:
        document: What was cut.
        lanes: The strategies, in the order in which they stand side by side.
        limits: The sizes asked for.
    """
    rows = list(_rows(document, lanes))
    data = {
        "length": len(document.text),
        "most": limits.most,
        "lanes": [_lane_data(lane) for lane in lanes],
        "rows": _positions(lanes),
    }
    values = {
        "view": _Header(one_line(document.title or document.path), document),
        "lanes": lanes,
        "rows": rows,
        "differing": sum(0 < row.starting < len(lanes) for row in rows),
        "data": data,
    }
    return render("compare", values)


def _lane_data(lane: Lane) -> dict[str, Any]:
    return {
        "name": one_line(lane.name),
        "chunks": [[chunk.start, chunk.end, chunk.tokens] for chunk in lane.chunks],
    }


def _positions(lanes: Sequence[Lane]) -> list[int]:
    """Where any lane starts a chunk."""
    return sorted({chunk.start for lane in lanes for chunk in lane.chunks})


def _rows(document: Document, lanes: Sequence[Lane]) -> Iterator[_Row]:
    positions = _positions(lanes)
    columns = [list(_cells(lane, positions)) for lane in lanes]
    ends = [*positions[1:], len(document.text)][: len(positions)]
    for start, end, cells in zip(positions, ends, zip(*columns, strict=True), strict=True):
        yield _Row(document.text[start:end].strip("\n"), cells, sum(cell.starts for cell in cells))


def _cells(lane: Lane, positions: Sequence[int]) -> Iterator[_Cell]:
    coming = iter(lane.chunks)
    following = next(coming, None)
    current: Chunk | None = None
    for position in positions:
        starts = following is not None and following.start == position
        if starts:
            current, following = following, next(coming, None)
        yield _Cell(current, starts)
