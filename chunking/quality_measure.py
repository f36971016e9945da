"""Measures how good the chunks of a document are."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from chunking.quality import FIXED_POINT, SCORE_BOUNDS, Quality
from chunking.quality_structure import StructureCheck
from chunking.tokens import TokenBudget
from rubrica.identity import digest
from rubrica.model import Chunk, ChunkedDocument, Document
from rubrica.protocols import TokenCounter
from rubrica.settings import ChunkingSettings

_FULL = 0.95
# Fewer scores tell neither a median nor a spread.
_ENOUGH_SCORES = 8
# Interquartile range of a normal distribution, in standard deviations.
_NORMAL_IQR = 1.349


class QualityMeter:
    """Measures the chunks of one document after the other."""

    def __init__(self, settings: ChunkingSettings, counter: TokenCounter) -> None:
        """Set the limits to measure against.

        Args:
            settings: Those that the chunks were made with.
            counter: The embedder's tokenizer.
        """
        settings = settings.within(counter.limit)
        self._budget = TokenBudget(counter, settings.max_tokens)
        self._min_tokens = min(settings.min_tokens, self._budget.room)

    def measure(self, document: Document, chunked: ChunkedDocument) -> Quality:
        """The quality of a document's chunks.

        Args:
            document: What was cut.
            chunked: What came out, with the scores that its cuts have.
        """
        chunks = chunked.chunks
        starts = [chunk.start for chunk in chunks]
        breaches = StructureCheck(document, starts, self._fits).run()
        return Quality(
            documents=1,
            chunks=len(chunks),
            under_min=sum(self._under_min(chunk.body) for chunk in chunks),
            at_max=sum(chunk.tokens >= _FULL * self._budget.limit for chunk in chunks),
            fragments=chunked.fragments,
            duplicates=len(chunks) - len({chunk.text for chunk in chunks}),
            tokens=dict(Counter(chunk.tokens for chunk in chunks)),
            **asdict(breaches),
            **_of_scores(chunked.cut_scores, starts[1:]),
        )

    # Counting tokens is dear, and no tokenizer makes fewer tokens of a text than it has words.

    def _under_min(self, body: str) -> bool:
        return len(body.split()) < self._min_tokens and self._budget.cost(body) < self._min_tokens

    def _fits(self, text: str) -> bool:
        return len(text.split()) <= self._budget.limit and self._budget.fits(text)


class SharedTexts:
    """Finds texts that stand in several documents."""

    def __init__(self) -> None:
        self._chunks: Counter[str] = Counter()
        self._owners: dict[str, str] = {}
        self._shared: set[str] = set()

    def add(self, chunks: Iterable[Chunk]) -> None:
        """Look at more chunks."""
        for chunk in chunks:
            text = digest(chunk.text)
            self._chunks[text] += 1
            if self._owners.setdefault(text, chunk.document_id) != chunk.document_id:
                self._shared.add(text)

    @property
    def count(self) -> int:
        """Chunks whose text stands in another document too."""
        return sum(self._chunks[text] for text in self._shared)


def _of_scores(scores: Mapping[int, float], starts: Sequence[int]) -> dict[str, Any]:
    """What the scores of cuts, by offset, say about those at which chunks start."""
    made = np.array([scores[start] for start in starts if start in scores], dtype=np.float64)
    chosen = set(starts)
    inside = np.array([score for cut, score in scores.items() if cut not in chosen], dtype=np.float64)
    buckets = Counter(bisect_left(SCORE_BOUNDS, score) for score in made.tolist())
    return {
        "cuts_made": len(made),
        "cuts_inside": len(inside),
        "made_sum": _total(made),
        "inside_sum": _total(inside),
        "scores": dict(buckets),
        **_standing(made, np.concatenate([made, inside])),
    }


def _standing(made: npt.NDArray[np.float64], every: npt.NDArray[np.float64]) -> dict[str, int]:
    """How sharp the cuts made are among all of their document."""
    if len(every) < _ENOUGH_SCORES:
        return {}
    low, median, high = np.quantile(every, [0.25, 0.5, 0.75])
    spread = (high - low) / _NORMAL_IQR
    if not spread > 0:
        return {}
    ordered = np.sort(every)
    # Of equal scores, half count as lower.
    below = (np.searchsorted(ordered, made, "left") + np.searchsorted(ordered, made, "right") - 1) / 2
    return {
        "ranked": len(made),
        "rank_sum": _total(below / (len(every) - 1)),
        "sharpness_sum": _total((median - made) / spread),
    }


def _total(values: npt.NDArray[np.float64]) -> int:
    return sum(map(int, np.rint(values * FIXED_POINT)))
