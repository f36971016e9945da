"""Scores of cuts: windows, cache, scorer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np
import numpy.typing as npt

from chunking.pair_cache import NoCache, PairCache, RedisPairCache, pair_key
from chunking.protocols import CutScorer, CutScores
from chunking.scorers import build_pair_scorer
from chunking.scorers.base import Pair, PairScorer, TokenIds
from chunking.windows import clip_pair, cut_windows
from rubrica.errors import ConfigurationError
from rubrica.model import ChunkingStats
from rubrica.protocols import NoProgress, Progress
from rubrica.settings import ChunkingSettings

_SLICE = 2048
"""Pairs between two writes to the cache: what a killed task has to score again at most."""

_POLICY = "tokens-1"
"""Version of ``cut_windows``: change it when the same text may give other windows."""


class WindowScorer:
    """Scores cuts with a pair scorer, each different pair once, and remembers the scores."""

    def __init__(
        self,
        scorer: PairScorer,
        cache: PairCache,
        window_tokens: int,
        *,
        progress: Progress | None = None,
    ) -> None:
        """Put a scorer together; nothing is loaded yet.

        Args:
            scorer: The cross-encoder.
            cache: Where scores are kept.
            window_tokens: Tokens of each side of a cut that are read.
            progress: Hears of every cut that has its score.
        """
        self._scorer = scorer
        self._cache = cache
        self._window = window_tokens
        self._progress = progress or NoProgress()

    @property
    def signature(self) -> str:
        """Model, revision, precision and window policy: all that can change a score."""
        return f"{self._scorer.signature};{_POLICY}={self._window}"

    def score_cuts(
        self, documents: Sequence[Sequence[str]], wanted: Sequence[Sequence[int]] | None = None
    ) -> list[CutScores]:
        """Score cuts between neighbouring units; see ``CutScorer``.

        Raises:
            ConfigurationError: The window is too large for the model, or the model's scores are
                no numbers.
        """
        if wanted is None:
            wanted = [range(len(texts) - 1) for texts in documents]
        texts = chain.from_iterable(units for units, cuts in zip(documents, wanted, strict=True) if cuts)
        tokens = iter(self._encode(list(texts)))
        groups = [
            self._windows(list(islice(tokens, len(units))), cuts) if cuts else []
            for units, cuts in zip(documents, wanted, strict=True)
        ]
        return self._score(groups, self.signature)

    def score_pairs(self, pairs: Sequence[tuple[str, str]]) -> CutScores:
        """Score whole texts against each other, each pair clipped to what the model reads.

        Raises:
            ConfigurationError: The model's scores are no numbers.
        """
        texts = list(dict.fromkeys(chain.from_iterable(pairs)))
        tokens = dict(zip(texts, self._encode(texts), strict=True))
        room = self._scorer.room if pairs else 0
        clipped = [clip_pair(tokens[left], tokens[right], room) for left, right in pairs]
        return self._score([clipped], f"{self._scorer.signature};full")[0]

    def _windows(self, units: Sequence[TokenIds], cuts: Sequence[int]) -> list[Pair]:
        if 2 * self._window > self._scorer.room:
            raise ConfigurationError(
                f"A window of {self._window} tokens a side is too large for the scorer.",
                hint=f"Set RUBRICA_WINDOW_TOKENS to {self._scorer.room // 2} or less.",
            )
        return cut_windows(units, cuts, self._window)

    def _encode(self, texts: Sequence[str]) -> list[TokenIds]:
        return self._scorer.encode(texts) if texts else []

    def _score(self, groups: Sequence[Sequence[Pair]], namespace: str) -> list[CutScores]:
        keys = [[pair_key(pair) for pair in group] for group in groups]
        pairs: dict[bytes, Pair] = {}
        ends = []
        for group_keys, group in zip(keys, groups, strict=True):
            for key, pair in zip(group_keys, group, strict=True):
                pairs.setdefault(key, pair)
            ends.append(len(pairs))
        outcome = self._resolve(pairs, namespace)
        self._progress.advance(sum(map(len, keys)) - int(outcome.scored.sum()))
        place = {key: i for i, key in enumerate(pairs)}
        return [
            _of_document(outcome, [place[key] for key in group_keys], slice(start, end))
            for group_keys, start, end in zip(keys, [0, *ends], ends, strict=False)
        ]

    def _resolve(self, pairs: Mapping[bytes, Pair], namespace: str) -> _Outcome:
        keys, sides = list(pairs), list(pairs.values())
        found = self._cache.read(namespace, keys)
        values, failed = found.values.copy(), found.failed.copy()
        scored = ~np.isfinite(values)
        missing = np.flatnonzero(scored)
        for start in range(0, len(missing), _SLICE):
            part = missing[start : start + _SLICE]
            values[part] = self._scorer.score([sides[i] for i in part], self._progress)
            if not np.isfinite(values[part]).all():
                raise ConfigurationError(
                    "The scorer's model gives scores that are no numbers.",
                    hint="Set RUBRICA_SCORER_DTYPE to float32 or choose another model.",
                )
            failed[part] |= self._cache.write(namespace, [keys[i] for i in part], values[part])
        return _Outcome(values, scored, failed, found.missed)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """Scores of different pairs; whether each went through the model, and what the cache did about it."""

    values: npt.NDArray[np.float32]
    scored: npt.NDArray[np.bool_]
    failed: npt.NDArray[np.bool_]
    missed: npt.NDArray[np.bool_]


def _of_document(outcome: _Outcome, places: Sequence[int], new: slice) -> CutScores:
    """Scores of one document; it pays for the pairs that no document before it had."""
    scored = int(outcome.scored[new].sum())
    stats = ChunkingStats(
        pairs_scored=scored,
        pair_cache_hits=len(places) - scored,
        pair_cache_errors=int(outcome.failed[new].sum()),
        pair_cache_misses=int(outcome.missed[new].sum()),
    )
    return CutScores(outcome.values[np.asarray(places, dtype=np.int64)], stats)


def build_cut_scorer(
    settings: ChunkingSettings, redis_url: str, progress: Progress | None = None
) -> CutScorer:
    """The scorer that the settings ask for.

    Neither model nor tokenizer is loaded before it is needed, and no connection is made.

    Args:
        settings: Scorer, window and cache.
        redis_url: Redis of the pair cache; empty: no cache.
        progress: Hears of every cut that has its score.

    Raises:
        ConfigurationError: The scorer or the URL is not usable.
    """
    cache: PairCache = (
        RedisPairCache(redis_url, days=settings.pair_cache_days, megabytes=settings.pair_cache_mb)
        if redis_url
        else NoCache()
    )
    return WindowScorer(build_pair_scorer(settings), cache, settings.window_tokens, progress=progress)
