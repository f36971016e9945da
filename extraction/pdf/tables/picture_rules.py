"""Finds the rules in the picture of a scanned page, whose text layer knows nothing of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from pdfplumber.page import Page  # noqa: TID253 - this module is imported lazily
from PIL import Image

from extraction.pdf.file.pdfium import PdfiumPages
from extraction.pdf.tables.rules import Rule, merge_rules

_DPI = 110.0
# Thin rules are grey in a small picture.
_DARK = 200
# In points: the least length of a rule, the most thickness.
_LEAST = 20.0
_LOWEST = 6.0
_THICK = 3.5
# Least distance to other things, and the share of dark pixels there that crossing rules may make.
_CLEAR = 1.5
_MOST_BESIDE = 0.3
# Widest gap in a rule that is badly printed.
_GAP = 9.0
# Share of dark pixels that makes a short rule; scans are rough.
_FULL = 0.85
_PAGE_SHARE = 0.5
# More dark stretches than this are a picture, not rules.
_MOST_RUNS = 6_000


def is_scan(page: Page) -> bool:
    """Whether one picture covers most of a page."""
    area = float(page.width) * float(page.height)
    return any(
        (image["x1"] - image["x0"]) * (image["bottom"] - image["top"]) >= _PAGE_SHARE * area
        for image in page.images
    )


def scanned_rules(page: Page) -> list[Rule]:
    """The rules in the picture of a page; none if it cannot be drawn."""
    page.pdf.stream.seek(0)
    pages = PdfiumPages(page.pdf.stream.read())
    try:
        drawn = pages.draw(page.page_number, dpi=_DPI, rotation=page.rotation)
    finally:
        pages.close()
    if drawn is None:
        return []
    left, upper = page.cropbox[:2]
    return [
        Rule(r.horizontal, r.at + upper, r.start + left, r.end + left)
        if r.horizontal
        else Rule(r.horizontal, r.at + left, r.start + upper, r.end + upper)
        for r in find_rules(drawn.image, drawn.scale)
    ]


def find_rules(image: Image.Image, scale: float) -> list[Rule]:
    """The horizontal and vertical rules in a picture.

    Args:
        image: Grey levels.
        scale: Pixels a point.

    Returns:
        Rules in points from the upper left corner.
    """
    dark = np.asarray(image.convert("L")) < _DARK
    rules: list[Rule] = []
    for horizontal, pixels in ((True, dark), (False, dark.T)):
        runs = _runs(pixels, round(_LEAST * scale))
        if len(runs) <= _MOST_RUNS:
            rules += [
                stroke.rule(horizontal, scale)
                for stroke in _strokes(runs)
                if stroke.thickness <= _THICK * scale
                and (not horizontal or _stands_free(stroke, pixels, round(_CLEAR * scale)))
            ]
    rules = list(_bridged(merge_rules(rules)))
    return merge_rules([*rules, *_short_rules(dark, [rule for rule in rules if rule.horizontal], scale)])


def _stands_free(stroke: _Stroke, pixels: NDArray[np.bool_], distance: int) -> bool:
    """Whether it is light on both sides of a stroke, as it is not along the letters of a bold line."""
    sides = (stroke.first - distance, stroke.last + distance)
    inside = [pixels[row, stroke.start : stroke.end] for row in sides if 0 <= row < len(pixels)]
    return all(side.mean() <= _MOST_BESIDE for side in inside)


def _bridged(rules: Sequence[Rule]) -> Iterator[Rule]:
    """Rules, joined over gaps where they are badly printed, but not from one table to the next."""
    ends = [(rule.horizontal, rule.at) for rule in rules]
    for horizontal in (True, False):
        last: Rule | None = None
        for rule in sorted(r for r in rules if r.horizontal is horizontal):
            if last is not None:
                gap = rule.at == last.at and rule.start - last.end <= _GAP
                if gap and not _between_tables(
                    last.end, rule.start, [at for h, at in ends if h is not horizontal]
                ):
                    last = last._replace(end=rule.end)
                    continue
                yield last
            last = rule
        if last is not None:
            yield last


def _between_tables(start: float, end: float, crossing: Sequence[float]) -> bool:
    """Whether rules in the other direction stand at both ends of a gap."""
    return all(any(abs(at - side) <= _THICK for at in crossing) for side in (start, end))


def _short_rules(dark: NDArray[np.bool_], across: Sequence[Rule], scale: float) -> Iterator[Rule]:
    """Vertical rules that are as short as letters: dark all the way between two horizontal ones."""
    for upper, lower in pairwise(sorted(across, key=lambda rule: rule.at)):
        start, end = max(upper.start, lower.start), min(upper.end, lower.end)
        if not _LOWEST < lower.at - upper.at <= _LEAST or end <= start:
            continue
        top, bottom = round((upper.at + 1) * scale), round((lower.at - 1) * scale)
        left = round(start * scale)
        share = dark[top:bottom, left : round(end * scale)].mean(axis=0)
        full = np.flatnonzero(share >= _FULL)
        for group in np.split(full, np.flatnonzero(np.diff(full) > 1) + 1):
            if 0 < len(group) <= _THICK * scale:
                yield Rule(False, (left + group.mean() + 0.5) / scale, upper.at, lower.at)


def _runs(pixels: NDArray[np.bool_], least: int) -> NDArray[np.int64]:
    """Row, start and end of every stretch of dark pixels that is long enough; gaps of a pixel are closed."""
    closed = pixels.copy()
    closed[:, 1:-1] |= pixels[:, :-2] & pixels[:, 2:]
    padded = np.zeros((closed.shape[0], closed.shape[1] + 2), dtype=np.int8)
    padded[:, 1:-1] = closed
    change = np.diff(padded, axis=1)
    rows, starts = np.nonzero(change == 1)
    _, ends = np.nonzero(change == -1)
    long = ends - starts >= least
    return np.stack([rows[long], starts[long], ends[long]], axis=1)


@dataclass(slots=True)
class _Stroke:
    """Stretches of dark pixels that touch each other in neighbouring rows."""

    first: int
    last: int
    start: int
    end: int
    pixels: int
    moment: float

    @property
    def thickness(self) -> float:
        return self.pixels / (self.end - self.start)

    def touches(self, row: int, start: int, end: int) -> bool:
        return row - self.last <= 2 and start <= self.end and end >= self.start

    def add(self, row: int, start: int, end: int) -> None:
        self.last, self.start, self.end = row, min(self.start, start), max(self.end, end)
        self.pixels += end - start
        self.moment += (end - start) * (row + 0.5)

    def rule(self, horizontal: bool, scale: float) -> Rule:
        return Rule(horizontal, self.moment / self.pixels / scale, self.start / scale, self.end / scale)


def _strokes(runs: NDArray[np.int64]) -> Iterator[_Stroke]:
    growing: list[_Stroke] = []
    for row, start, end in runs.tolist():
        done = [stroke for stroke in growing if row - stroke.last > 2]
        yield from done
        growing = [stroke for stroke in growing if row - stroke.last <= 2]
        stroke = next((stroke for stroke in growing if stroke.touches(row, start, end)), None)
        if stroke is None:
            stroke = _Stroke(row, row, start, start, 0, 0.0)
            stroke.end = end
            growing.append(stroke)
        stroke.add(row, start, end)
    yield from growing
