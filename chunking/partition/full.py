"""Mode ``full``: the published algorithm to the letter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from chunking.partition.layout import Layout

Span = tuple[int, int]
SplitScorer = Callable[[Sequence[tuple[Span, int]]], list[float]]


def cut_full(
    layout: Layout, score_splits: SplitScorer, fixed: Mapping[int, float]
) -> tuple[list[int], dict[int, float]]:
    """Cut every span that does not fit well at its lowest two-way split, over and over.

    All two-way splits of a span are scored, its whole left part against its whole right part; the
    first of equal scores wins. Of a span's cuts only those that do the least to the structure are looked
    at, and cuts with a fixed value only when there are no others. Quadratic in the number of units at
    best: for reference and short texts.

    Args:
        layout: Units, limits and rules.
        score_splits: Scores splits, each given as a span of units and the cut that splits it.
        fixed: Values of the cuts that are not scored.

    Returns:
        Units that start a chunk, in order, and the scores of the cuts that were made.
    """
    starts: list[int] = []
    made: dict[int, float] = {}
    level = [(0, layout.size)] if layout.size else []
    while level:
        # One call for all spans of a level: short spans would leave a batch half empty.
        wanted = {span: candidates(layout, span, fixed) for span in level}
        splits = [(span, cut) for span, cuts in wanted.items() for cut in cuts if cut not in fixed]
        scores = dict(zip(splits, score_splits(splits), strict=True))
        level = []
        for span, cuts in wanted.items():
            if not cuts:
                starts.append(span[0])
                continue
            value, cut = min((scores.get((span, cut), fixed.get(cut, 0.0)), cut) for cut in cuts)
            if cut not in fixed:
                made[cut] = value
            level += [(span[0], cut + 1), (cut + 1, span[1])]
    return sorted(starts), made


def candidates(layout: Layout, span: Span, fixed: Mapping[int, float]) -> list[int]:
    """The cuts among which a span is to be cut; none when it is final."""
    start, stop = span
    mildest = min((layout.severity[cut] for cut in range(start, stop - 1)), default=None)
    if mildest is None or layout.is_final(start, stop, mildest):
        return []
    cuts = [cut for cut in range(start, stop - 1) if layout.severity[cut] is mildest]
    return [cut for cut in cuts if cut not in fixed] or cuts
