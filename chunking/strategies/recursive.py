"""Strategy ``recursive``: paragraphs, then lines, then sentences, then words."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from itertools import pairwise

import numpy as np

from chunking.plan import Plan
from chunking.strategies.base import Partition
from chunking.strategies.parts import StrategyParts
from chunking.strategies.recursion import rank_cuts, split_recursively
from chunking.units import Unit
from rubrica.identity import config_sig


class Separator(IntEnum):
    """What stands between two units, coarsest first."""

    PARAGRAPH = 0
    LINE = 1
    SENTENCE = 2
    WORD = 3


class RecursiveStrategy:
    """Splits at the coarsest separator that makes parts short enough.

    The method of LangChain's ``RecursiveCharacterTextSplitter`` with its separators (blank
    line, newline, blank), and sentence ends before words. It knows no ``min_tokens``.
    """

    @property
    def signature(self) -> str:
        """Its name: there is nothing to choose."""
        return config_sig({"strategy": "recursive"})

    def partition(self, plans: Sequence[Plan]) -> list[Partition]:
        """Partitions of documents."""
        return [_partition(plan) for plan in plans]


def build(parts: StrategyParts) -> RecursiveStrategy:  # noqa: ARG001 - one signature for all strategies
    """The strategy; nothing is needed for it."""
    return RecursiveStrategy()


def separators(plan: Plan) -> list[Separator]:
    """Per cut, what stands there."""
    return [_separator(plan.document.text, *pair) for pair in pairwise(plan.units)]


def _separator(text: str, left: Unit, right: Unit) -> Separator:
    newlines = text.count("\n", left.end, right.start)
    if newlines:
        return Separator.PARAGRAPH if newlines > 1 else Separator.LINE
    return Separator.WORD if right.fragment else Separator.SENTENCE


def _partition(plan: Plan) -> Partition:
    ranks = rank_cuts(plan.layout, [(separator,) for separator in separators(plan)])
    starts = split_recursively(plan.layout, ranks)
    return Partition(starts, {}, np.asarray(ranks, dtype=np.float64))
