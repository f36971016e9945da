"""Recall over time as shapes: places in a picture, whoever draws it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.pages.measuring import DEPTHS, Measurement

WIDTH, HEIGHT = 720.0, 230.0
LEFT, RIGHT, TOP, BOTTOM = 40.0, 12.0, 26.0, 26.0
_STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)
_STEP_OF_LABELS = 70.0


@dataclass(frozen=True, slots=True)
class Dot:
    """An evaluation in the picture."""

    x: float
    y: float
    value: float
    measured: Measurement


@dataclass(frozen=True, slots=True)
class Line:
    """recall@depth over the evaluations."""

    depth: int
    dots: tuple[Dot, ...]

    @property
    def path(self) -> str:
        """The line as SVG draws a path."""
        return " ".join(f"{'L' if i else 'M'}{dot.x:.1f} {dot.y:.1f}" for i, dot in enumerate(self.dots))


@dataclass(frozen=True, slots=True)
class Tick:
    """A line of the grid, or a word along an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """The picture.

    Attributes:
        lines: One a depth, the deepest first, so that recall@1 is drawn last.
        grid: Values along the left edge.
        dates: Days along the lower edge.
        switches: Where a new generation was asked for the first time.
        floor: Height of the floor.
    """

    lines: tuple[Line, ...]
    grid: tuple[Tick, ...]
    dates: tuple[Tick, ...]
    switches: tuple[Tick, ...]
    floor: float


def chart(history: Sequence[Measurement], floor: float) -> Chart:
    """Recall over time; evaluations stand at equal distances, oldest left.

    Args:
        history: Evaluations, oldest first.
        floor: recall@5 that is reached at least.
    """
    low = _lowest(history, floor)
    xs = [_x(i, len(history)) for i in range(len(history))]
    lines = tuple(
        Line(
            depth,
            tuple(
                Dot(x, _y(item.recall[depth], low), item.recall[depth], item)
                for x, item in zip(xs, history, strict=True)
                if depth in item.recall
            ),
        )
        for depth in reversed(DEPTHS)
    )
    grid = tuple(Tick(_y(step, low), f"{step:.2f}") for step in _STEPS if step >= low)
    return Chart(lines, grid, _dates(history, xs), _switches(history, xs), _y(floor, low))


def _lowest(history: Sequence[Measurement], floor: float) -> float:
    values = [value for item in history for value in item.recall.values()]
    return max(step for step in _STEPS[:-1] if step <= min([*values, floor, 1.0]) or step == 0)


def _x(i: int, count: int) -> float:
    wide = WIDTH - LEFT - RIGHT
    return LEFT + wide * ((i + 0.5) / count if count < 3 else (0.02 + 0.96 * i / (count - 1)))


def _y(value: float, low: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - low) / (1 - low))


def _dates(history: Sequence[Measurement], xs: Sequence[float]) -> tuple[Tick, ...]:
    ticks: list[Tick] = []
    for x, item in zip(xs, history, strict=True):
        label = item.at.strftime("%d.%m") if item.at else ""
        far = not ticks or (x - ticks[-1].at >= _STEP_OF_LABELS and label != ticks[-1].label)
        if label and far:
            ticks.append(Tick(x, label))
    return tuple(ticks)


def _switches(history: Sequence[Measurement], xs: Sequence[float]) -> tuple[Tick, ...]:
    pairs = zip(xs[1:], history, history[1:], strict=False)
    step = xs[1] - xs[0] if len(xs) > 1 else 0.0
    return tuple(
        Tick(x - step / 2, str(new.generation))
        for x, old, new in pairs
        if new.generation is not None and new.generation != old.generation
    )
