"""How good chunks are, in figures that add up.

A ``Quality`` holds counts and sums only, all of them whole numbers, so that those of documents can be added
in any order to exactly those of a run or a corpus. Sizes are kept by token, which makes percentiles exact
too. ``figures`` turns them into what people read.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import ceil
from typing import Any, Self

FIXED_POINT = 1 << 20
"""Scores and ranks are summed in units of 1 / 2**20: sums of floats depend on their order."""

TOKEN_BOUNDS = (16, 32, 48, 64, 96, 128, 160, 192, 224, 256, 320, 384, 448, 512, 768, 1024, 2048, 4096, 8192)
"""Upper bounds of the buckets of a histogram of sizes, inclusive; sizes above are in one more bucket."""

_TENTHS = tuple(i / 10 for i in range(1, 10))
SCORE_BOUNDS = (
    *(-10.0, -8.0, -6.0, -5.0, -4.0, -3.0, -2.0, -1.5, -1.0, -0.5, 0.0),
    *_TENTHS,
    *(1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0),
)
"""The same for scores at cuts: logits of cross-encoders, and similarities of vectors in ``[-1, 1]``."""


@dataclass(frozen=True, slots=True)
class Quality:
    """Counts and sums over the chunks of one document or many.

    Attributes:
        documents: Documents measured.
        chunks: Their chunks.
        under_min: Chunks whose body has fewer tokens than asked for.
        at_max: Chunks that fill at least 95 % of the token limit.
        fragments: Chunks that begin inside a sentence, row or line, which was too long for one chunk.
        duplicates: Chunks whose text an earlier chunk of the same document has.
        tables: Tables.
        tables_torn: Tables in more than one chunk although they fit into one.
        clauses: Numbered clauses.
        clauses_torn: The same of them.
        headings: Headings and titles.
        headings_parted: Cuts between a heading and what it announces, although both fit into one chunk.
        cuts_made: Cuts that were scored and made.
        cuts_inside: Cuts that were scored and not made.
        made_sum: Sum of the scores of cuts made, in fixed point.
        inside_sum: Sum of the scores of cuts not made, in fixed point.
        ranked: Cuts made in documents with enough scores to rank them.
        rank_sum: Sum over those of the share of the document's scores that are lower, in fixed point.
        sharpness_sum: Sum over those of how far they lie below the document's median, in spreads, in fixed
            point.
        tokens: Chunks by their number of tokens.
        scores: Cuts made by bucket of their score, see ``SCORE_BOUNDS``.
    """

    documents: int = 0
    chunks: int = 0
    under_min: int = 0
    at_max: int = 0
    fragments: int = 0
    duplicates: int = 0
    tables: int = 0
    tables_torn: int = 0
    clauses: int = 0
    clauses_torn: int = 0
    headings: int = 0
    headings_parted: int = 0
    cuts_made: int = 0
    cuts_inside: int = 0
    made_sum: int = 0
    inside_sum: int = 0
    ranked: int = 0
    rank_sum: int = 0
    sharpness_sum: int = 0
    tokens: Mapping[int, int] = field(default_factory=dict)
    scores: Mapping[int, int] = field(default_factory=dict)

    def __add__(self, other: Quality) -> Quality:
        """The quality of both together."""
        sums = self.counts()
        for name, count in other.counts().items():
            sums[name] = sums.get(name, 0) + count
        return Quality.from_counts(sums)

    def counts(self) -> dict[str, int]:
        """All counts and sums by name; those of mappings are named ``tokens:137``."""
        flat: dict[str, int] = {name: getattr(self, name) for name in _PLAIN}
        for name in _BY_KEY:
            flat |= {f"{name}:{key}": count for key, count in sorted(getattr(self, name).items())}
        return flat

    @classmethod
    def from_counts(cls, counts: Mapping[str, int]) -> Self:
        """The quality that ``counts`` names."""
        values: dict[str, Any] = {name: counts[name] for name in _PLAIN if name in counts}
        values |= {name: {} for name in _BY_KEY}
        for name, count in counts.items():
            group, _, key = name.partition(":")
            if key:
                values[group][int(key)] = count
        return cls(**values)

    def token_histogram(self) -> list[int]:
        """Chunks by bucket of ``TOKEN_BOUNDS``, those above the last bound included."""
        buckets = [0] * (len(TOKEN_BOUNDS) + 1)
        for tokens, count in self.tokens.items():
            buckets[bisect_left(TOKEN_BOUNDS, tokens)] += count
        return buckets

    def score_histogram(self) -> list[int]:
        """Cuts made by bucket of ``SCORE_BOUNDS``, those above the last bound included."""
        return [self.scores.get(bucket, 0) for bucket in range(len(SCORE_BOUNDS) + 1)]


_BY_KEY = ("tokens", "scores")
_PLAIN = tuple(item.name for item in fields(Quality) if item.name not in _BY_KEY)


def figures(quality: Quality) -> dict[str, int | float | None]:
    """What people read: counts, sizes in tokens, shares and means; ``None`` where nothing was counted.

    ``boundary_score`` is the mean score of cuts made, ``cohesion`` that of the cuts that were not made.
    ``sharpness`` tells how many spreads the cuts made lie below the median of their document, and
    ``sharpness_rank`` which share of the document's cuts scores lower: 0 is the sharpest, cuts at random
    have 0.5.
    """
    chunks, ranked = quality.chunks, quality.ranked
    return {
        "documents": quality.documents,
        "chunks": chunks,
        "tokens_mean": _ratio(sum(size * count for size, count in quality.tokens.items()), chunks),
        "tokens_median": _percentile(quality.tokens, 0.5),
        "tokens_p5": _percentile(quality.tokens, 0.05),
        "tokens_p95": _percentile(quality.tokens, 0.95),
        "tokens_min": min(quality.tokens, default=None),
        "tokens_max": max(quality.tokens, default=None),
        "under_min_share": _ratio(quality.under_min, chunks),
        "at_max_share": _ratio(quality.at_max, chunks),
        "fragment_share": _ratio(quality.fragments, chunks),
        "duplicates": quality.duplicates,
        "tables": quality.tables,
        "tables_torn": quality.tables_torn,
        "clauses": quality.clauses,
        "clauses_torn": quality.clauses_torn,
        "headings": quality.headings,
        "headings_parted": quality.headings_parted,
        "boundary_score": _ratio(quality.made_sum / FIXED_POINT, quality.cuts_made),
        "cohesion": _ratio(quality.inside_sum / FIXED_POINT, quality.cuts_inside),
        "sharpness": _ratio(quality.sharpness_sum / FIXED_POINT, ranked),
        "sharpness_rank": _ratio(quality.rank_sum / FIXED_POINT, ranked),
    }


def _ratio(total: float, count: int) -> float | None:
    return round(total / count, 4) if count else None


def _percentile(counts: Mapping[int, int], share: float) -> int | None:
    """The smallest size that at least this share of the chunks does not exceed."""
    wanted = ceil(share * sum(counts.values()))
    seen = 0
    for size in sorted(counts):
        seen += counts[size]
        if seen >= wanted:
            return size
    return None
