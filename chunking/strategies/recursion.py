"""Splits at the coarsest separator first, and at finer ones only what is still too long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from chunking.partition.layout import Layout
from chunking.rules import Severity
from chunking.units import Span

Key = tuple[Any, ...]


def rank_cuts(layout: Layout, keys: Sequence[Key]) -> list[int]:
    """Separators as numbers, coarsest first; what breaks the structure is finer than all that does not.

    Args:
        layout: Units and rules.
        keys: Per cut what tells its separator; lower is coarser.
    """
    graded = [(int(severity), *key) for severity, key in zip(layout.severity, keys, strict=True)]
    place = {key: rank for rank, key in enumerate(sorted(set(graded)))}
    return [place[key] for key in graded]


def split_recursively(layout: Layout, ranks: Sequence[int]) -> list[int]:
    """Cut at all separators of the lowest rank and join neighbours again as far as they fit.

    A part that is too long by itself is split at the next rank; it is not joined with its neighbours.
    That is the method of LangChain's ``RecursiveCharacterTextSplitter``, on units and in tokens, and
    the split-then-merge of cAST (Zhang et al. 2025) where the ranks are the depths of a tree.

    Args:
        layout: Units, limits and rules.
        ranks: Per cut the rank of its separator, from ``rank_cuts``.

    Returns:
        Units that start a chunk, in order.
    """
    starts = []
    stack = [(0, layout.size)]
    while stack:
        start, stop = stack.pop()
        inside = ranks[start : stop - 1]
        if not inside:
            starts.append(start)
            continue
        rank = min(inside)
        mildest = layout.severity[start + inside.index(rank)]
        if layout.is_final(start, stop, mildest):
            starts.append(start)
            continue
        borders = [start + i + 1 for i, own in enumerate(inside) if own == rank]
        parts = list(zip([start, *borders], [*borders, stop], strict=True))
        stack.extend(reversed(list(_joined(layout, parts, mildest))))
    return starts


def _joined(layout: Layout, parts: Sequence[Span], mildest: Severity) -> Iterator[Span]:
    """Neighbours put together as long as they fit; forced cuts stay."""
    start, end = parts[0]
    for _, stop in parts[1:]:
        if not layout.is_final(start, stop, mildest):
            yield start, end
            start = end
        end = stop
    yield start, end
