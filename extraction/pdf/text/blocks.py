"""Blocks of lines that belong together, and what is usual in a document."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from extraction.pdf.layout import Box, Frame, Line, TableRegion
from extraction.pdf.openings import ends_sentence

_MANY = 8


@dataclass(frozen=True, slots=True)
class Style:
    """What is usual in a document.

    Attributes:
        size: Font size of its body text.
        pitch: Distance between lines of a paragraph, in font sizes.
        bold: Whether the body text is bold.
        pitches: Distance between lines that go on in mid-sentence, by font size, rounded to halves;
            for the sizes that have many such lines.
    """

    size: float
    pitch: float
    bold: bool
    pitches: Mapping[float, float] = field(default_factory=dict)

    def pitch_at(self, size: float) -> float:
        """Distance between lines of a paragraph in type of this size, in font sizes."""
        return max(self.pitch, self.pitches.get(_rounded(size), 0.0))


@dataclass(slots=True)
class Block:
    """Lines that belong together, or the pieces of one table.

    Attributes:
        lines: Lines of text, in order.
        tables: Pieces of a table, one a page.
        frame: Frame that it begins in.
        space_above: Distance to what is above it in the frame, in font sizes; infinite at the top.
        footnote: Whether it stands at the foot of its frame and explains a mark.
    """

    frame: Frame
    lines: list[Line] = field(default_factory=list)
    tables: list[TableRegion] = field(default_factory=list)
    space_above: float = float("inf")
    footnote: bool = False

    @property
    def boxes(self) -> Sequence[Box]:
        """Its lines or tables."""
        return self.lines or self.tables

    @property
    def size(self) -> float:
        """Font size of most of its text."""
        return max(self.lines, key=lambda line: line.weight).size if self.lines else 0.0

    @property
    def bold(self) -> bool:
        """Whether all its lines are bold."""
        return bool(self.lines) and all(line.bold for line in self.lines)

    @property
    def centered(self) -> bool:
        """Whether it stands in the middle of its frame, away from both sides."""
        return bool(self.lines) and all(is_centered(line, self.frame) for line in self.lines)


def is_centered(line: Line, frame: Frame) -> bool:
    """Whether a line stands in the middle of a frame, away from both sides."""
    return (
        abs(line.center - (frame.left + frame.right) / 2) < 0.6 * line.size
        and line.x0 - frame.left > 2 * line.size
        and frame.right - line.x1 > 2 * line.size
    )


def measure(frames: Sequence[Frame]) -> Style:
    """Find the body style of a document."""
    sizes: Counter[float] = Counter()
    weights: Counter[bool] = Counter()
    pitches: list[float] = []
    lines = [[box for box in frame.boxes if isinstance(box, Line)] for frame in frames]
    for line in (line for group in lines for line in group):
        sizes[_rounded(line.size)] += line.weight
        weights[line.bold] += line.weight
    if not sizes:
        return Style(size=10.0, pitch=1.2, bold=False)
    size = sizes.most_common(1)[0][0]
    for above, below in (pair for group in lines for pair in pairwise(group)):
        step = (below.bottom - above.bottom) / max(size, 1.0)
        if abs(above.size - size) <= 0.5 and abs(below.size - size) <= 0.5 and 0.7 < step < 3:
            pitches.append(step)
    flowing = _flowing_pitches(pair for group in lines for pair in pairwise(group))
    return Style(size, _common(pitches), weights[True] > weights[False], flowing)


def _rounded(size: float) -> float:
    return round(size * 2) / 2


def _flowing_pitches(pairs: Iterable[tuple[Line, Line]]) -> dict[float, float]:
    """The most frequent distance of lines that go on in mid-sentence, by font size."""
    steps: dict[float, Counter[float]] = defaultdict(Counter)
    for above, below in pairs:
        step = (below.bottom - above.bottom) / max(below.size, 1.0)
        if abs(above.size - below.size) <= 0.5 and 0.7 < step < 3 and below.text[:1].islower():
            steps[_rounded(below.size)][round(step * 20) / 20] += not ends_sentence(above.text)
    common = {size: counts.most_common(1)[0] for size, counts in steps.items()}
    return {size: step for size, (step, count) in common.items() if count >= _MANY}


def _common(pitches: list[float]) -> float:
    """The most frequent distance; the lower one where two are nearly as frequent."""
    if not pitches:
        return 1.2
    counts = Counter(round(pitch * 20) / 20 for pitch in pitches)
    most = counts.most_common(1)[0][1]
    return min(pitch for pitch, count in counts.items() if count >= 0.6 * most)
