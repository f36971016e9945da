"""Strategy ``fixed``: windows of as many tokens as fit, cut at word ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunking.plan import Plan
from chunking.strategies.base import Partition
from chunking.strategies.packing import pack
from chunking.strategies.parts import StrategyParts
from rubrica.identity import config_sig


class FixedStrategy:
    """Packs words, whatever sentence they are in.

    Its units are words (``chunking.strategies.words``); with structure rules, headings, rows and lines of
    code stay units, and the rules come before full windows. It knows no ``min_tokens``.
    """

    @property
    def signature(self) -> str:
        """Its name: there is nothing to choose."""
        return config_sig({"strategy": "fixed"})

    def partition(self, plans: Sequence[Plan]) -> list[Partition]:
        """Partitions of documents."""
        return [Partition(pack(plan.layout), {}, _latest_first(plan)) for plan in plans]


def build(parts: StrategyParts) -> FixedStrategy:  # noqa: ARG001 - one signature for all strategies
    """The strategy; nothing is needed for it."""
    return FixedStrategy()


def _latest_first(plan: Plan) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Where a window turns out too long, its last words go."""
    return -np.arange(len(plan.layout.severity), dtype=np.float64)
