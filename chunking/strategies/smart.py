"""Strategy ``smart``: a cross-encoder scores the cuts, a partition chooses among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from chunking.partition.full import Span, cut_full
from chunking.partition.objective import author_marks, cut_costs
from chunking.partition.optimal import cut_optimal
from chunking.partition.standing import Values, cut_values, favour
from chunking.partition.tree import cut_tree
from chunking.plan import Plan
from chunking.protocols import CutScorer
from chunking.strategies.base import Partition
from chunking.strategies.parts import StrategyParts
from rubrica.identity import config_sig
from rubrica.log import get_logger
from rubrica.model import ChunkingStats

Mode = Literal["optimal", "window", "full"]

_log = get_logger(__name__)

# More pairs than this take minutes on a CPU.
_MANY_PAIRS = 5000
# Whole texts are copied into pairs: this many at a time.
_PAIRS_AT_ONCE = 64


class SmartStrategy:
    """Scores and partitions.

    With structure rules only cuts that can be chosen are scored; without, all of them: ``n`` units cost
    ``n - 1`` pairs. ``min_tokens`` steers mode ``optimal`` alone: the other two are the published
    recursion, which knows no minimum. Rows of a table and lines of code have no scores; where one of the
    recursions must choose among them, it takes those that ``optimal`` would, for a recursion on equal
    values takes off one row at a time.
    """

    def __init__(self, scorer: CutScorer, *, mode: Mode = "optimal", structure: bool = True) -> None:
        """Choose how to cut.

        Args:
            scorer: Scores cuts.
            mode: How scores become a partition.
            structure: Whether structure rules steer the cuts.
        """
        self._scorer = scorer
        self._mode = mode
        self._structure = structure

    @property
    def signature(self) -> str:
        """Mode and scorer."""
        return config_sig(
            {"strategy": "smart", "mode": self._mode, "scorer": self._scorer.signature}
            | {"structure": self._structure}
        )

    def partition(self, plans: Sequence[Plan]) -> list[Partition]:
        """Partitions of documents, their cuts scored together."""
        if self._mode == "full":
            return [self._full(plan) for plan in plans]
        wanted = [self._wanted(plan) for plan in plans]
        asked = [i for i, cuts in enumerate(wanted) if cuts]
        texts = [_texts(plans[i]) for i in asked]
        answers = self._scorer.score_cuts(texts, [wanted[i] for i in asked]) if asked else []
        scores: list[Mapping[int, float]] = [{} for _ in plans]
        stats = [ChunkingStats() for _ in plans]
        for i, answer in zip(asked, answers, strict=True):
            scores[i] = dict(zip(wanted[i], map(float, answer.values), strict=True))
            stats[i] = answer.stats
        return [self._choose(*parts) for parts in zip(plans, scores, stats, strict=True)]

    def _wanted(self, plan: Plan) -> list[int]:
        standing = plan.rules.standing
        whole = self._mode != "optimal"
        cuts = plan.layout.open_cuts(keeps_whole=whole) if self._structure else range(len(standing))
        return sorted(cut for cut in cuts if standing[cut] is None)

    def _choose(self, plan: Plan, scores: Mapping[int, float], stats: ChunkingStats) -> Partition:
        values = cut_values(plan.rules.standing, scores)
        best = self._best(plan, values, scores) if self._packs(plan) else []
        if self._mode == "optimal":
            return Partition(best, scores, values, stats)
        values = favour(values, plan.rules.standing, best, scores)
        return Partition(cut_tree(plan.layout, values), scores, values, stats)

    def _best(self, plan: Plan, values: Values, scores: Mapping[int, float]) -> list[int]:
        marks = author_marks(plan.units) if self._structure else 0.0
        return cut_optimal(plan.layout, cut_costs(values, scores, marks))

    def _packs(self, plan: Plan) -> bool:
        """Whether the best total is asked for, if only among cuts that no scorer ranks."""
        return self._mode == "optimal" or any(fixed is not None for fixed in plan.rules.standing)

    def _full(self, plan: Plan) -> Partition:
        stats = ChunkingStats()

        def score_splits(splits: Sequence[tuple[Span, int]]) -> list[float]:
            nonlocal stats
            scores: list[float] = []
            for first in range(0, len(splits), _PAIRS_AT_ONCE):
                pairs = [_sides(plan, *split) for split in splits[first : first + _PAIRS_AT_ONCE]]
                answer = self._scorer.score_pairs(pairs)
                scores += map(float, answer.values)
                stats = _sum(stats, answer.stats)
            return scores

        standing = plan.rules.standing
        _warn_of_pairs(plan)
        values = cut_values(standing, {})
        best = self._best(plan, values, {}) if self._packs(plan) else []
        values = favour(values, standing, best, {})
        fixed = {cut: float(values[cut]) for cut, own in enumerate(standing) if own is not None}
        starts, scores = cut_full(plan.layout, score_splits, fixed)
        return Partition(starts, scores, values, stats)


def _warn_of_pairs(plan: Plan) -> None:
    units = len(plan.units)
    most = units * (units - 1) // 2
    if most > _MANY_PAIRS:
        _log.warning(
            "mode_full_is_quadratic",
            document=plan.document.path,
            sentences=units,
            most_pairs=most,
            hint="mode `window` scores one pair a sentence",
        )


def build(parts: StrategyParts) -> SmartStrategy:
    """The strategy as the settings describe it.

    Raises:
        ConfigurationError: The scorer cannot be loaded.
    """
    from chunking.scoring import build_cut_scorer  # noqa: PLC0415 - the scorer's libraries load late

    settings = parts.settings
    scorer = build_cut_scorer(settings, parts.redis_url, parts.progress)
    return SmartStrategy(scorer, mode=settings.mode, structure=settings.structure_rules)


def _texts(plan: Plan) -> list[str]:
    return [plan.document.text[unit.start : unit.end] for unit in plan.units]


def _sides(plan: Plan, span: Span, cut: int) -> tuple[str, str]:
    text, units = plan.document.text, plan.units
    left = text[units[span[0]].start : units[cut].end]
    return left, text[units[cut + 1].start : units[span[1] - 1].end]


def _sum(one: ChunkingStats, other: ChunkingStats) -> ChunkingStats:
    return ChunkingStats(
        one.pairs_scored + other.pairs_scored,
        one.pair_cache_hits + other.pair_cache_hits,
        one.pair_cache_errors + other.pair_cache_errors,
        one.pair_cache_misses + other.pair_cache_misses,
    )
