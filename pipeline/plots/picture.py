"""The chart of one chunked document as an image."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from chunking.explain import Cut
from pipeline.plots.view import PageStart, View

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RED, INK, SOFT, LINE, PAPER = "#b3261e", "#23201c", "#6d675f", "#e2dcd3", "#fcfbf9"
_CURVE, FILL, FULL, _SMALL = "#9a9389", "#a9b6bd", "#566d7b", "#cf9a3c"

_WIDTH, _HEIGHT, _DPI = 13.0, 5.2, 150
_LOW = 2.9  # without the curve
_DEPTHS = 3
_LETTERS_AN_INCH = 12
_LABELS = 40
# More chunks than this are drawn as a field: the eye could not tell single ones.
_FIELD = 240
_AVERAGES = 120


def save_picture(view: View, file: Path) -> None:
    """Draw the similarity curve, the sizes and the headings.

    Args:
        view: What to show.
        file: Where to write it; the suffix names the format, ``.png`` or ``.svg``.
    """
    # The pyplot interface would keep every figure and may look for a screen.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, _HEIGHT), facecolor=PAPER, layout="constrained")
    FigureCanvasAgg(figure)
    _fill(figure, view)
    figure.savefig(file, dpi=_DPI, metadata={"Title": view.title} if file.suffix == ".png" else None)


def _fill(figure: Figure, view: View) -> None:
    rows = min(_DEPTHS, max((part.depth + 1 for part in view.sections), default=0))
    # A strategy without scores has no curve: its sizes take the place.
    scored = any(cut.score is not None for cut in view.cuts)
    heights = [*([3.0] if scored else []), 1.3, 0.25 * max(rows, 1)]
    figure.set_figheight(_HEIGHT if scored else _LOW)
    panels = figure.subplots(len(heights), 1, sharex=True, height_ratios=heights)
    figure.suptitle(plain(view.title, 100), x=0.01, ha="left", color=INK, fontsize=13)
    for axes in panels:
        calm(axes)
    if scored:
        _draw_curve(panels[0], view)
    _draw_sizes(panels[-2], view)
    _draw_sections(panels[-1], view, rows)
    if view.pages:
        _draw_pages(panels[0], view)
    panels[0].set_xlim(0, max(1, len(view.document.text)))


def calm(axes: Axes) -> None:
    """The look that all our charts share."""
    axes.set_facecolor(PAPER)
    axes.tick_params(colors=SOFT, labelsize=8, length=0)
    axes.spines[:].set_visible(False)


def _draw_curve(axes: Axes, view: View) -> None:
    axes.set_ylabel("similarity", color=SOFT, fontsize=9)
    axes.grid(axis="y", color=LINE, linewidth=0.6)
    scored = [cut for cut in view.cuts if cut.score is not None]
    made = [cut for cut in view.cuts if cut.chunk is not None]
    marked = [cut for cut in made if cut.score is not None]
    if len(view.chunks) > _FIELD:
        _draw_field(axes, view, scored, marked)
        return
    axes.plot(*_points(scored), color=_CURVE, linewidth=1.0, zorder=2)
    axes.scatter(*_points(marked), 18, color=RED, zorder=3, linewidths=0)
    for cut in made:
        style, colour = (":", SOFT) if cut.score is None else ("-", RED)
        axes.axvline(cut.position, color=colour, linestyle=style, linewidth=0.6, alpha=0.45, zorder=1)


def _draw_field(axes: Axes, view: View, scored: Sequence[Cut], marked: Sequence[Cut]) -> None:
    """Too many cuts to be told apart: where their scores lie, and averages."""
    axes.plot(*_points(scored), color=_CURVE, linewidth=0.3, alpha=0.3)
    axes.scatter(*_points(marked), 2, color=RED, alpha=0.35, linewidths=0)
    for cuts, colour, name in ((scored, SOFT, "all cuts, mean"), (marked, RED, "cuts made, mean")):
        axes.plot(*_averages(cuts, len(view.document.text)), color=colour, linewidth=1.6, label=name)
    axes.legend(frameon=False, fontsize=8, labelcolor=SOFT, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)


def _averages(cuts: Sequence[Cut], length: int) -> tuple[list[float], list[float]]:
    """Middles of equal stretches of the document, and the mean score in each."""
    sums: dict[int, tuple[float, int]] = {}
    for cut in cuts:
        place = cut.position * _AVERAGES // max(1, length)
        total, count = sums.get(place, (0.0, 0))
        sums[place] = (total + (cut.score or 0.0), count + 1)
    places = sorted(sums)
    means = [sums[place][0] / sums[place][1] for place in places]
    return [(place + 0.5) * length / _AVERAGES for place in places], means


def _points(cuts: Sequence[Cut]) -> tuple[list[int], list[float]]:
    return [cut.position for cut in cuts], [cut.score or 0.0 for cut in cuts]


def _draw_pages(axes: Axes, view: View) -> None:
    apart = len(view.document.text) / _LABELS
    chosen: list[PageStart] = []
    for mark in view.pages:
        if not chosen or mark.position - chosen[-1].position >= apart:
            chosen.append(mark)
    top = axes.secondary_xaxis("top")
    top.set_xticks([mark.position for mark in chosen], [str(mark.page) for mark in chosen])
    top.tick_params(colors=SOFT, labelsize=8, length=3, color=LINE)
    top.spines[:].set_visible(False)


def _draw_sizes(axes: Axes, view: View) -> None:
    from matplotlib.collections import PolyCollection

    starts = [chunk.start for chunk in view.chunks]
    ends = [*starts[1:], len(view.document.text)]
    tokens = [chunk.tokens for chunk in view.chunks]
    bars = [
        [(start, 0), (start, size), (end, size), (end, 0)]
        for start, end, size in zip(starts, ends, tokens, strict=False)
    ]
    edge = 0.6 if len(bars) <= _FIELD else 0
    # One collection, not a patch a bar: thousands of patches take many seconds.
    axes.add_collection(
        PolyCollection(bars, facecolors=_colours(view, tokens), edgecolors=PAPER, linewidths=edge)
    )
    axes.set_ylim(0, view.limits.most * 1.05)
    axes.axhline(view.limits.most, color=SOFT, linestyle=":", linewidth=0.8)
    axes.set_ylabel("tokens", color=SOFT, fontsize=9)
    axes.set_yticks([0, view.limits.least, view.limits.most] if view.limits.least else [0, view.limits.most])


def _colours(view: View, tokens: Sequence[int]) -> list[str]:
    from matplotlib.colors import LinearSegmentedColormap, to_hex

    scale = LinearSegmentedColormap.from_list("fill", [FILL, FULL])
    shades = [to_hex(shade) for shade in scale([count / view.limits.most for count in tokens])]
    return [
        _SMALL if count < view.limits.least else shade for count, shade in zip(tokens, shades, strict=True)
    ]


def _draw_sections(axes: Axes, view: View, rows: int) -> None:
    # One call a row: every call makes all axes that share their x-axis measure themselves again.
    for depth in range(rows):
        spans = [(part.start, part.end - part.start) for part in view.sections if part.depth == depth]
        axes.broken_barh(spans, (depth - 0.4, 0.8), facecolor=PAPER, edgecolor=LINE, linewidth=0.8)
    length = max(1, len(view.document.text))
    for part in view.sections:
        letters = int(_LETTERS_AN_INCH * (_WIDTH - 1) * (part.end - part.start) / length)
        if part.depth < rows and letters > 3:
            text = plain(part.text, letters)
            axes.text(part.start, part.depth, f" {text}", va="center", fontsize=7, color=INK, clip_on=True)
    axes.set_ylim(max(rows, 1) - 0.5, -0.5)
    axes.set_yticks([])
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("characters", color=SOFT, fontsize=9)


def plain(text: str, most: int) -> str:
    """Text cut to a number of letters; a dollar sign would start a formula."""
    short = text if len(text) <= most else text[: most - 1] + "…"
    return short.replace("$", r"\$")
