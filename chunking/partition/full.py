"""Mode ``full``: the published algorithm to the letter."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chunking.partition.layout import Layout

Span = tuple[int, int]
SplitScorer = Callable[[Sequence[tuple[Span, int]]], list[float]]


def cut_full(layout: Layout, score_splits: SplitScorer) -> tuple[list[int], dict[int, float]]:
    """Cut every span that does not fit well at its lowest two-way split, over and over.

    All two-way splits of a span are scored, its whole left part against its whole right part; the
    first of equal scores wins. Of a span's cuts only those that do the least to the structure are looked
    at. Quadratic in the number of units at best: for reference and short texts.

    Args:
        layout: Units, limits and rules.
        score_splits: Scores splits, each given as a span of units and the cut that splits it.

    Returns:
        Units that start a chunk, in order, and the scores of the cuts that were made.
    """
    starts: list[int] = []
    made: dict[int, float] = {}
    level = [(0, layout.size)] if layout.size else []
    while level:
        # One call for all spans of a level: short spans would leave a batch half empty.
        wanted = {span: mildest_cuts(layout, span) for span in level}
        splits = [(span, cut) for span, cuts in wanted.items() for cut in cuts]
        scores = dict(zip(splits, score_splits(splits), strict=True))
        level = []
        for span, cuts in wanted.items():
            if not cuts:
                starts.append(span[0])
                continue
            made_score, cut = min((scores[span, cut], cut) for cut in cuts)
            made[cut] = made_score
            level += [(span[0], cut + 1), (cut + 1, span[1])]
    return sorted(starts), made


def mildest_cuts(layout: Layout, span: Span) -> list[int]:
    """The cuts among which a span is to be cut; none when it is final."""
    start, stop = span
    cuts = range(start, stop - 1)
    if not cuts:
        return []
    mildest = min(layout.severity[cut] for cut in cuts)
    if layout.is_final(start, stop, mildest):
        return []
    return [cut for cut in cuts if layout.severity[cut] is mildest]
