"""The chart of a tuning study as an image."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.plots.picture import FILL, FULL, INK, LINE, PAPER, RED, SOFT, calm, plain
from pipeline.plots.tuning_page import StudyView, Tried

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH, _HEIGHT, _DPI = 10.0, 5.6, 150


def save_tuning_picture(view: StudyView, file: Path) -> None:
    """Draw recall against cost.

    Args:
        view: What to show.
        file: Where to write it; the suffix names the format, ``.png`` or ``.svg``.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, _HEIGHT), facecolor=PAPER, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    figure.suptitle(plain(f"{view.name}: {view.about}", 100), x=0.01, ha="left", color=INK, fontsize=12)
    calm(axes)
    axes.grid(color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)
    _draw(axes, view.tried)
    axes.set_xlabel("cost: thousand tokens that the models read", color=SOFT, fontsize=9)
    axes.set_ylabel("recall@5", color=SOFT, fontsize=9)
    axes.legend(frameon=False, fontsize=8, labelcolor=SOFT, loc="best")
    figure.savefig(file, dpi=_DPI, metadata={"Title": view.name} if file.suffix == ".png" else None)


def _draw(axes: Axes, tried: Sequence[Tried]) -> None:
    front = sorted((item for item in tried if item.front), key=lambda item: item.cost)
    axes.step(*_points(front), where="post", color=FULL, linewidth=1.2, zorder=1)
    others = [item for item in tried if not item.front]
    best, current = ([item for item in tried if item.best], [item for item in tried if item.current])
    axes.scatter(*_points(others), s=26, color=FILL, label="others", zorder=2, linewidths=0)
    axes.scatter(
        *_points(front), s=40, color=FULL, label="no other has more recall for less", zorder=3, linewidths=0
    )
    axes.scatter(
        *_points(current),
        s=110,
        facecolors="none",
        edgecolors=INK,
        label="in force",
        zorder=4,
        linewidths=1.3,
    )
    axes.scatter(*_points(best), s=60, color=RED, label="best", zorder=5, linewidths=0)
    for item in best:
        axes.annotate(
            plain(item.settings, 80),
            (item.cost / 1000, item.recall),
            textcoords="offset points",
            xytext=(-8, -14),
            ha="right",
            color=INK,
            fontsize=8,
        )


def _points(tried: Sequence[Tried]) -> tuple[list[float], list[float]]:
    return [item.cost / 1000 for item in tried], [item.recall for item in tried]
