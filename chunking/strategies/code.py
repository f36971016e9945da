"""Strategy ``code``: by definitions, as extraction found them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from chunking.plan import Plan
from chunking.rules import Severity
from chunking.strategies.base import Partition
from chunking.strategies.groups import join_groups
from chunking.strategies.parts import StrategyParts
from chunking.strategies.recursion import Key, rank_cuts, split_recursively
from chunking.strategies.recursive import separators
from chunking.units import Span, Unit
from rubrica.identity import config_sig
from rubrica.model import Document, Element, ElementKind

# Lines that belong to the one before (closing brackets, other branches) or to the one after.
_CONTINUES = re.compile(r"[)\]}>]|(?:else|elif|elsif|except|catch|finally|rescue|ensure|end|fi|done|esac)\b")
_ATTACHED = re.compile(r"#|//|--|/?\*|@|;;|%|'''|\"\"\"")
_DEEPEST = 100  # columns
_TAB = 4

# Order of separators: between elements by depth, then inside one, then inside a line.
_BETWEEN, _INSIDE, _FRAGMENT = range(3)


class CodeStrategy:
    """Splits along the tree of definitions and joins neighbours of one depth as far as they fit.

    cAST (Zhang et al. 2025) on the tree that extraction gives: a file's definitions, the methods of a
    class, then the lines of a body by indentation, at blank lines first. A definition that fits is whole;
    small ones that follow each other share a chunk. What is left over of a long one is joined with its
    neighbour inside, if it has less than ``min_tokens``. Text that is not code is split along its
    headings, then as ``recursive`` does.
    """

    @property
    def signature(self) -> str:
        """Its name: there is nothing to choose."""
        return config_sig({"strategy": "code"})

    def partition(self, plans: Sequence[Plan]) -> list[Partition]:
        """Partitions of documents."""
        return [_partition(plan) for plan in plans]


def build(parts: StrategyParts) -> CodeStrategy:  # noqa: ARG001 - one signature for all strategies
    """The strategy; nothing is needed for it."""
    return CodeStrategy()


def _partition(plan: Plan) -> Partition:
    ranks = rank_cuts(plan.layout, _keys(plan))
    starts = _without_remnants(plan, split_recursively(plan.layout, ranks), ranks)
    return Partition(starts, {}, np.asarray(ranks, dtype=np.float64))


def _without_remnants(plan: Plan, starts: Sequence[int], ranks: Sequence[int]) -> list[int]:
    """Small parts of a definition joined with their neighbour in it, across the finest separators first."""
    layout, units = plan.layout, plan.units

    def joins(left: Span, right: Span) -> bool:
        small = min(layout.tokens(*left), layout.tokens(*right)) < layout.min_tokens
        return small and layout.fits_well(left[0], right[1])

    inside = [
        start
        for start in starts[1:]
        if units[start].element is units[start - 1].element
        and layout.severity[start - 1] is not Severity.FORCED
    ]
    finest_first = sorted(inside, key=lambda start: (-ranks[start - 1], start))
    return join_groups(starts, layout.size, finest_first, joins)


def _keys(plan: Plan) -> list[Key]:
    return [
        _key(plan.document, left, right, separator)
        for (left, right), separator in zip(pairwise(plan.units), separators(plan), strict=True)
    ]


def _key(document: Document, left: Unit, right: Unit, separator: int) -> Key:
    if right.fragment:
        return (_FRAGMENT,)
    if left.element is not right.element:
        return (_BETWEEN, _shared_depth(_place(document, left.element), _place(document, right.element)))
    if left.element.kind is ElementKind.CODE:
        return (_INSIDE, *_line_key(document.text, left, right))
    return (_INSIDE, separator)


def _place(document: Document, element: Element) -> tuple[str, ...]:
    """Headings and definitions that an element is in, itself included where it is a heading."""
    if element.kind is not ElementKind.HEADING:
        return element.heading_path
    return (*element.heading_path, document.text[element.start : element.end])


def _shared_depth(left: Sequence[str], right: Sequence[str]) -> float:
    """How many names two places share; half a level more where they are the same place."""
    shared = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        shared += 1
    return shared + 0.5 * (shared == len(left) == len(right))


def _line_key(text: str, left: Unit, right: Unit) -> Key:
    gap = text[left.end : right.start]
    if "\n" not in gap:
        return (2,)
    belongs = _CONTINUES.match(text, right.start) or _ATTACHED.match(text, left.start)
    blank = gap.count("\n") > 1
    indent = min(len(gap.rpartition("\n")[2].expandtabs(_TAB)), _DEEPEST)
    return (int(bool(belongs) and not blank), indent, not blank)
