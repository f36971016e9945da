"""The page of one chunked document: similarity curve, sizes, headings, and the text itself."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from chunking.explain import Cut
from pipeline.plots.rendering import render
from pipeline.plots.view import REASONS, View
from rubrica.model import Chunk

Figures = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Text up to the next cut, and the number of that cut, ``None`` at the end of a chunk."""

    text: str
    cut: int | None


@dataclass(frozen=True, slots=True)
class _Shown:
    """A chunk as the page shows it.

    Attributes:
        chunk: The chunk.
        cut: Number of the cut at its left edge; ``None`` for the first.
        head: What is embedded before overlap and body: context line, table header.
        overlap: The text that it carries along.
        body: Its text, in stretches between cuts.
    """

    chunk: Chunk
    cut: int | None
    head: str
    overlap: str
    body: Sequence[_Stretch]


def chunk_page(view: View, figures: Figures = ()) -> str:
    """The page as HTML.

    Args:
        view: What to show.
        figures: Further figures under the title: what it says, its value.
    """
    values = {
        "view": view,
        "figures": [*_sizes(view), *figures],
        "shown": _shown(view),
        "reasons": REASONS,
        "data": _data(view),
    }
    return render("chunks", values)


def _sizes(view: View) -> Figures:
    tokens = [chunk.tokens for chunk in view.chunks]
    if not tokens:
        return [("chunks", "0")]
    return [
        ("chunks", f"{len(tokens):,}"),
        ("tokens, mean", f"{sum(tokens) / len(tokens):.0f}"),
        ("tokens, most", f"{max(tokens)} of {view.limits.most}"),
    ]


def _data(view: View) -> dict[str, Any]:
    """What the script draws; offsets in code points, kinds by their place in ``kinds``."""
    kinds = list(REASONS)
    return {
        "length": len(view.document.text),
        "most": view.limits.most,
        "least": view.limits.least,
        "reasons": list(REASONS.values()),
        "cuts": [_cut_row(cut, kinds.index(cut.kind)) for cut in view.cuts],
        "chunks": [[chunk.start, chunk.end, chunk.tokens] for chunk in view.chunks],
        "sections": [[part.start, part.end, part.depth, part.text] for part in view.sections],
        "pages": [[start.position, start.page] for start in view.pages],
    }


def _cut_row(cut: Cut, kind: int) -> list[float | int | None]:
    score = None if cut.score is None else round(cut.score, 4)
    return [cut.position, score, kind, cut.chunk]


def _shown(view: View) -> Iterator[_Shown]:
    positions = [cut.position for cut in view.cuts]
    for chunk in view.chunks:
        first, stop = bisect_right(positions, chunk.start), bisect_right(positions, chunk.end - 1)
        left = first - 1 if chunk.ordinal and first and positions[first - 1] == chunk.start else None
        carried = chunk.end - chunk.overlap_start
        yield _Shown(
            chunk=chunk,
            cut=left,
            head=chunk.text[: len(chunk.text) - carried].rstrip("\n"),
            overlap=view.document.text[chunk.overlap_start : chunk.start].strip(),
            body=list(_stretches(view, chunk, range(first, stop))),
        )


def _stretches(view: View, chunk: Chunk, cuts: range) -> Iterator[_Stretch]:
    start, text = chunk.start, view.document.text
    for cut in cuts:
        position = view.cuts[cut].position
        yield _Stretch(text[start:position], cut)
        start = position
    yield _Stretch(text[start : chunk.end], None)
