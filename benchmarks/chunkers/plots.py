"""The comparison as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl  # type: ignore[import-not-found, unused-ignore]
import numpy as np

from benchmarks.chunkers.comparisons import by_chunker
from benchmarks.chunkers.run import Result

mpl.use("Agg")
from matplotlib import pyplot as plt  # type: ignore[import-not-found, unused-ignore]

_DEPTHS = (1, 5)
_MARKS = "os^vD<>P*X"


def draw_recall(results: Sequence[Result], path: Path) -> None:
    """Recall over all questions against mean tokens, a line for each chunker."""
    figure, axes = plt.subplots(1, len(_DEPTHS), figsize=(13, 6), layout="constrained")
    sets = {result.set_name for result in results}
    names = list(dict.fromkeys(result.name for result in results))
    for axis, depth in zip(axes, _DEPTHS, strict=True):
        for place, name in enumerate(names):
            points = sorted(_points([r for r in results if r.name == name], depth, len(sets)))
            if points:
                style = "-" if any(r.ours for r in results if r.name == name) else "--"
                mark = _MARKS[place % len(_MARKS)]
                colour = f"C{place}" if place < 10 else mpl.colormaps["Dark2"](place % 8)
                axis.plot(*zip(*points, strict=True), style, marker=mark, color=colour, label=name)
        axis.set(title=f"recall@{depth}, all questions", xlabel="mean tokens of a chunk", ylabel="%")
        axis.grid(alpha=0.3)
    axes[-1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    _save(figure, path)


def _points(results: Sequence[Result], depth: int, sets: int) -> list[tuple[float, float]]:
    points = []
    for target in {result.target for result in results}:
        own = [result for result in results if result.target == target]
        if len(own) == sets:
            recall = np.concatenate([result.answers.recall[depth] for result in own]).mean()
            sizes = np.concatenate([result.sizes for result in own]).mean()
            points.append((float(sizes), 100 * float(recall)))
    return points


def draw_sizes(results: Sequence[Result], path: Path) -> None:
    """Boxes of chunk sizes, whiskers from the 1st to the 99th percentile, a panel for each target."""
    targets = list(dict.fromkeys(result.target for result in results))
    figure, axes = plt.subplots(
        1, len(targets), figsize=(6.5 * len(targets), 7), layout="constrained", squeeze=False
    )
    for axis, target in zip(axes[0], targets, strict=True):
        sides = by_chunker([result for result in results if result.target == target])
        names = list(reversed(sides))
        sizes = [[size for result in sides[name].values() for size in result.sizes] for name in names]
        axis.boxplot(sizes, orientation="horizontal", tick_labels=names, whis=(1, 99), sym=".")
        axis.axvline(target, color="grey", linestyle=":")
        axis.set(title=f"tokens of a chunk, {target} asked for", xlabel="tokens")
    _save(figure, path)


def _save(figure: Any, path: Path) -> None:
    figure.savefig(path, dpi=110)
    plt.close(figure)
