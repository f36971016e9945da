"""Finds the rules that are drawn on a page: strokes, thin rectangles, borders of shaded areas."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from pdfplumber.page import Page  # noqa: TID253 - this module is imported lazily

from rubrica.log import get_logger
from rubrica.model import BBox

log = get_logger(__name__)

# A page with more shapes than this is a drawing; there is no table to look for in it.
_MOST_SHAPES = 20_000
_THIN = 3.0
_NEAR = 3.0
_SHORTEST = 3.0
_WHITE = 0.97


class Rule(NamedTuple):
    """A straight line along an axis of the page.

    Attributes:
        horizontal: Its direction.
        at: Its place across that direction: ``y`` of a horizontal rule, ``x`` of a vertical one.
        start: Where it begins.
        end: Where it ends.
    """

    horizontal: bool
    at: float
    start: float
    end: float

    @property
    def length(self) -> float:
        """Length."""
        return self.end - self.start


def drawn_rules(page: Page) -> tuple[list[Rule], list[BBox]]:
    """The rules of a page and its shaded areas, whose borders may stand for rules.

    A page that is a drawing, by its number of shapes, has none.
    """
    shapes = [page.objects.get(kind, []) for kind in ("line", "rect", "curve")]
    if sum(map(len, shapes)) > _MOST_SHAPES:
        log.warning("page has too many shapes to look for tables", page=page.page_number)
        return [], []
    lines, rects, _ = shapes
    boxes = [_box(shape) for shape in lines]
    rules = [rule for box in boxes for rule in _from_box(box)]
    shades: list[BBox] = []
    for rect in rects:
        box = _box(rect)
        if min(box[2] - box[0], box[3] - box[1]) <= _THIN:
            rules += _from_box(box)
        elif rect.get("stroke"):
            rules += _sides(box)
        elif rect.get("fill") and not _is_white(rect.get("non_stroking_color")):
            shades.append(box)
    rules += [rule for edge in (page.curve_edges if shapes[2] else []) for rule in _from_box(_box(edge))]
    return merge_rules(rules), shades


def shade_rules(shades: Iterable[BBox]) -> list[Rule]:
    """The borders of shaded areas."""
    return [rule for box in shades for rule in _sides(box)]


def _box(shape: Mapping[str, Any]) -> BBox:
    return (shape["x0"], shape["top"], shape["x1"], shape["bottom"])


def _from_box(box: BBox) -> Iterator[Rule]:
    x0, top, x1, bottom = box
    width, height = x1 - x0, bottom - top
    if height <= _THIN and width > height:
        yield Rule(True, (top + bottom) / 2, x0, x1)
    elif width <= _THIN:
        yield Rule(False, (x0 + x1) / 2, top, bottom)


def _sides(box: BBox) -> list[Rule]:
    x0, top, x1, bottom = box
    return [
        Rule(True, top, x0, x1),
        Rule(True, bottom, x0, x1),
        Rule(False, x0, top, bottom),
        Rule(False, x1, top, bottom),
    ]


def _is_white(color: object) -> bool:
    """Whether a colour of one (grey), three (RGB) or four (CMYK) parts is white."""
    if isinstance(color, (int, float)):
        return color >= _WHITE
    parts = (
        [part for part in color if isinstance(part, (int, float))] if isinstance(color, (tuple, list)) else []
    )
    if len(parts) == 4:
        return max(parts) <= 1 - _WHITE
    return bool(parts) and min(parts) >= _WHITE


def merge_rules(rules: Iterable[Rule], *, gap: float = _NEAR) -> list[Rule]:
    """Put rules that nearly coincide on one line, and join those that stand there end to end.

    Args:
        rules: Rules.
        gap: Widest gap between two that are joined.
    """
    merged: list[Rule] = []
    rules = list(rules)
    for horizontal in (True, False):
        same = sorted((rule for rule in rules if rule.horizontal is horizontal), key=lambda rule: rule.at)
        for group in _near(same):
            at = sum(rule.at for rule in group) / len(group)
            merged += _join(horizontal, at, sorted((rule.start, rule.end) for rule in group), gap)
    return merged


def _near(rules: Sequence[Rule]) -> Iterator[list[Rule]]:
    """Groups of rules, none further than a tolerance from the first of its group."""
    group: list[Rule] = []
    for rule in rules:
        if group and rule.at - group[0].at > _NEAR:
            yield group
            group = []
        group.append(rule)
    if group:
        yield group


def _join(horizontal: bool, at: float, spans: Sequence[tuple[float, float]], gap: float) -> Iterator[Rule]:
    start, end = spans[0]
    for following in [*spans[1:], (float("inf"), float("inf"))]:
        if following[0] - end > gap:
            if end - start >= _SHORTEST:
                yield Rule(horizontal, at, start, end)
            start, end = following
        else:
            end = max(end, following[1])


def connected(rules: Sequence[Rule], *, most: int) -> list[list[Rule]]:
    """Groups of rules that cross or touch each other, directly or by way of others.

    Args:
        rules: Merged rules.
        most: How many comparisons may be made; beyond it there are no groups.
    """
    across = sorted((rule for rule in rules if rule.horizontal), key=lambda rule: rule.at)
    upright = [rule for rule in rules if not rule.horizontal]
    if len(across) * len(upright) > most:
        log.warning("page has too many rules to look for tables", rules=len(rules))
        return []
    parents = {rule: rule for rule in rules}

    def root(rule: Rule) -> Rule:
        while parents[rule] is not rule:
            parents[rule] = parents[parents[rule]]
            rule = parents[rule]
        return rule

    for vertical in upright:
        for horizontal in across:
            if horizontal.at > vertical.end + _NEAR:
                break
            if cross(horizontal, vertical):
                parents[root(horizontal)] = root(vertical)
    groups: dict[Rule, list[Rule]] = defaultdict(list)
    for rule in parents:
        groups[root(rule)].append(rule)
    return list(groups.values())


def cross(horizontal: Rule, vertical: Rule) -> bool:
    """Whether two rules cross or touch."""
    return (
        vertical.start - _NEAR <= horizontal.at <= vertical.end + _NEAR
        and horizontal.start - _NEAR <= vertical.at <= horizontal.end + _NEAR
    )


def closing_rules(rules: Sequence[Rule]) -> list[Rule]:
    """Borders that a group of rules lacks: where three or more parallel ones end side by side.

    A table that goes on over a page break often has no rule at the break, and tables of norms often
    have no rules at their left and right sides.
    """
    across = [rule for rule in rules if rule.horizontal]
    upright = [rule for rule in rules if not rule.horizontal]
    return [*_close(upright, across), *_close(across, upright)] if across and upright else []


def _close(rules: Sequence[Rule], crossing: Sequence[Rule]) -> Iterator[Rule]:
    """The missing rules at the starts and the ends of parallel ``rules``.

    At the outer side of the group a rule may stand there for a part of the way; further in, it tells
    that nothing is missing.
    """
    outer = {"start": min(rule.start for rule in rules), "end": max(rule.end for rule in rules)}
    for field in ("start", "end"):
        for group in _side_by_side(rules, field):
            ats = sorted(rule.at for rule in group)
            low, high = ats[0], ats[-1]
            at = getattr(group[0], field)
            inside = [rule for rule in crossing if rule.start < high - _NEAR and rule.end > low + _NEAR]
            there = [rule for rule in inside if abs(rule.at - at) <= _NEAR]
            whole = any(rule.start <= low + _NEAR and rule.end >= high - _NEAR for rule in there)
            if whole or (there and abs(outer[field] - at) > _NEAR):
                continue
            if any(_meets(rule, group) for rule in inside):
                yield Rule(not group[0].horizontal, at, low, high)


def _meets(rule: Rule, group: Sequence[Rule]) -> bool:
    """Whether a rule crosses at least two rules of a group."""
    return sum(cross(*((rule, other) if rule.horizontal else (other, rule))) for other in group) >= 2


def _side_by_side(rules: Sequence[Rule], field: str) -> Iterator[list[Rule]]:
    """Groups of three or more rules that start, or end, at the same place."""
    ordered = sorted(rules, key=lambda rule: getattr(rule, field))
    cuts = [
        0,
        *(
            i
            for i, (a, b) in enumerate(pairwise(ordered), start=1)
            if getattr(b, field) - getattr(a, field) > _NEAR
        ),
    ]
    for start, end in zip(cuts, [*cuts[1:], len(ordered)], strict=True):
        if end - start >= 3:
            yield ordered[start:end]
