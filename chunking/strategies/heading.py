"""Strategy ``heading``: a chunk per section."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunking.plan import Plan
from chunking.rules import Severity
from chunking.strategies.base import Partition
from chunking.strategies.groups import cut_to_size, join_groups
from chunking.strategies.parts import StrategyParts
from chunking.strategies.recursive import Separator, separators
from chunking.units import Span
from rubrica.identity import config_sig

# Costs of cuts inside a section: one at a sentence end is worth several between paragraphs.
_COSTS = {Separator.PARAGRAPH: 0.05, Separator.LINE: 0.2, Separator.SENTENCE: 0.5, Separator.WORD: 0.95}
_SECTION_COST = 0.01


class HeadingStrategy:
    """Cuts at every heading that text stands between.

    A section is what stands between two headings; headings in a row open one together. Sections are cut
    further where they are too long, between paragraphs first. One of less than ``min_tokens`` is merged
    upward, from the deepest level on: with the section before it, which is its sibling, its sibling's
    last part or its parent, or with the next if that stands below it or beside it.
    """

    @property
    def signature(self) -> str:
        """Its name: there is nothing to choose."""
        return config_sig({"strategy": "heading"})

    def partition(self, plans: Sequence[Plan]) -> list[Partition]:
        """Partitions of documents."""
        return [_partition(plan) for plan in plans]


def build(parts: StrategyParts) -> HeadingStrategy:  # noqa: ARG001 - one signature for all strategies
    """The strategy; nothing is needed for it."""
    return HeadingStrategy()


def _partition(plan: Plan) -> Partition:
    levels = _sections(plan)
    costs = np.array([_COSTS[separator] for separator in separators(plan)], dtype=np.float64)
    for start in levels:
        if start:
            costs[start - 1] = _SECTION_COST
    starts = cut_to_size(plan, _merged(plan, levels), costs)
    return Partition(starts, {}, costs)


def _sections(plan: Plan) -> dict[int, int]:
    """Units that open a section, each with the level of its heading; a beginning without one has 0."""
    units, severity = plan.units, plan.layout.severity
    levels = {0: units[0].element.level or 0 if units[0].heading else 0}
    for i in range(1, len(units)):
        opens = units[i].heading and units[i].opens and not units[i - 1].heading
        if opens and severity[i - 1] <= Severity.FREE:
            levels[i] = units[i].element.level or 0
    return levels


def _merged(plan: Plan, levels: dict[int, int]) -> list[int]:
    layout = plan.layout

    def joins(left: Span, right: Span) -> bool:
        if not layout.fits_well(left[0], right[1]):
            return False
        if layout.tokens(*right) < layout.min_tokens:
            return True
        return layout.tokens(*left) < layout.min_tokens and levels[left[0]] <= levels[right[0]]

    starts = sorted(levels)
    free = (start for start in starts[1:] if layout.severity[start - 1] is not Severity.FORCED)
    deepest_first = sorted(free, key=lambda start: (-levels[start], start))
    return join_groups(starts, layout.size, deepest_first, joins)
