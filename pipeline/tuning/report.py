"""What a study found: the trials that no other beats, and the best of them beside the settings in force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from indexing.recall.significance import Comparison, compare
from pipeline.tuning.study import Candidate
from pipeline.tuning.trial import MRR, RECALL


@dataclass(frozen=True, slots=True)
class Findings:
    """The end of a study.

    Attributes:
        candidates: All that were tried, equal settings once.
        front: Those that no other beats in both recall and cost, cheapest first.
        best: The one with the highest recall@5, then MRR, then the lowest cost.
        current: The settings in force.
        comparison: Recall@5 of the best against that of the settings in force, question by question; p is
            corrected for the choice among all candidates (Bonferroni).
    """

    candidates: tuple[Candidate, ...]
    front: tuple[Candidate, ...]
    best: Candidate
    current: Candidate
    comparison: Comparison

    @property
    def improves(self) -> bool:
        """Whether the best is better than what is in force: more recall, or as much for less."""
        best, now = self.best.outcome, self.current.outcome
        return (best.metrics[RECALL], best.metrics[MRR], -best.cost) > (
            now.metrics[RECALL],
            now.metrics[MRR],
            -now.cost,
        )


def findings(candidates: Sequence[Candidate], current: Candidate) -> Findings:
    """Sort out what was tried.

    Args:
        candidates: All trials that came to an end, at least the one of the settings in force.
        current: That one.
    """
    different: list[Candidate] = [current]
    for candidate in candidates:
        if all(candidate.outcome.values != known.outcome.values for known in different):
            different.append(candidate)
    best = min(different, key=lambda item: (-item.outcome.quality, item.outcome.cost, item.number))
    test = compare(current.outcome.outcomes, best.outcome.outcomes, RECALL)
    comparison = replace(test, p=min(1.0, test.p * max(1, len(different) - 1)))
    ordered = tuple(sorted(different, key=lambda item: item.number))
    return Findings(ordered, pareto_front(different), best, current, comparison)


def pareto_front(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Candidates that no other beats in quality and cost, cheapest first."""
    front: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda item: (item.outcome.cost, -item.outcome.quality)):
        if not front or candidate.outcome.quality > front[-1].outcome.quality:
            front.append(candidate)
    return tuple(front)
