"""Is an evaluation good enough: over the floor, no worse than what was accepted, its labels still true?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from indexing.recall.metrics import LABELS, QUESTIONS, RECALL
from indexing.recall.model import AnswerHit, QuestionOutcome
from indexing.recall.significance import Comparison, compare

METRIC = RECALL.format(5)


class Measured(Protocol):
    """What is judged: means by name, and how each question fared."""

    @property
    def metrics(self) -> Mapping[str, float]: ...  # noqa: D102

    @property
    def answers(self) -> Sequence[QuestionOutcome]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Rules:
    """When answers count as worse.

    Attributes:
        floor: recall@5 that is reached at least; ``None`` where only drops count.
        alpha: A drop is significant when chance alone is less likely than this (one-sided).
        min_questions: Questions in common from which on two evaluations are compared.
        labels_floor: Share of the labels that still resolve, at least.
    """

    floor: float | None = 0.90
    alpha: float = 0.05
    min_questions: int = 5
    labels_floor: float = 0.90


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is wrong with an evaluation, and what it was compared with.

    Attributes:
        recall: recall@5 over the questions that resolve; ``None`` where none does.
        labels: Share of the labels that resolve.
        comparison: Against the baseline; ``None`` without one, or with too few questions in common.
        under_floor: Whether recall@5 is under the floor.
        dropped: Whether it is significantly lower than the baseline's.
        stale: Whether too few labels resolve.
        covers_more: Whether questions resolve that did not in the baseline, or there is none.
        first: Whether there is no baseline yet.
        reasons: Why recall is not good enough, a sentence each.
    """

    recall: float | None
    labels: float
    comparison: Comparison | None
    under_floor: bool
    dropped: bool
    stale: bool
    covers_more: bool
    first: bool
    reasons: tuple[str, ...]

    @property
    def regressed(self) -> bool:
        """Whether recall is under the floor or dropped."""
        return self.under_floor or self.dropped

    @property
    def lower(self) -> bool:
        """Whether recall is lower than the baseline's, by however little."""
        return self.comparison is not None and self.comparison.difference < 0

    @property
    def acceptable(self) -> bool:
        """Whether later evaluations should be compared with this one.

        A small drop passes but is not accepted: many of them in a row would otherwise never be one. Nor are
        answers to fewer questions, because labels went stale; but some measure is better than none.
        """
        passes = self.recall is not None and not self.regressed and (self.first or not self.stale)
        return passes and (self.covers_more or not self.lower)


def judge(now: Measured, baseline: Measured | None, rules: Rules) -> Judgement:
    """Judge an evaluation.

    Stale labels are no drop: a question whose passage is gone from the documents counts in neither mean.

    Args:
        now: The evaluation.
        baseline: The one that was accepted last.
        rules: When answers count as worse.
    """
    recall = now.metrics[METRIC] if now.metrics.get(QUESTIONS) else None
    labels = now.metrics.get(LABELS, 1.0)
    comparison = None if baseline is None else compare(baseline.answers, now.answers, METRIC)
    if comparison is not None and comparison.questions < rules.min_questions:
        comparison = None
    under = rules.floor is not None and recall is not None and recall < rules.floor
    dropped = comparison is not None and drop_p(comparison) < rules.alpha
    reasons = []
    if under:
        reasons.append(
            f"{METRIC} is {recall:.3f} over {now.metrics[QUESTIONS]:.0f} questions, under the floor of"
            f" {rules.floor:.2f}."
        )
    if comparison is not None and dropped:
        reasons.append(in_words(comparison))
    return Judgement(
        recall=recall,
        labels=labels,
        comparison=comparison,
        under_floor=under,
        dropped=dropped,
        stale=labels < rules.labels_floor,
        covers_more=bool(_resolved(now) - (_resolved(baseline) if baseline else set())),
        first=baseline is None,
        reasons=tuple(reasons),
    )


def drop_p(comparison: Comparison) -> float:
    """One-sided p value of a drop: the signs of paired differences are symmetric, so it is half of both."""
    return comparison.p / 2 if comparison.difference < 0 else 1.0


def in_words(comparison: Comparison) -> str:
    """A drop as a sentence."""
    return (
        f"{comparison.metric} fell from {comparison.before:.3f} to {comparison.after:.3f} over"
        f" {comparison.questions} questions in common ({len(comparison.worse)} worse,"
        f" {len(comparison.better)} better, p = {drop_p(comparison):.2g})."
    )


@dataclass(frozen=True, slots=True)
class BrokenQuestion:
    """A question that is not answered as it was, or as it should be.

    Attributes:
        question_id: Its id in the set.
        before: Its recall@5 in the baseline; ``None`` where it was not measured.
        now: Its recall@5.
        hits_before: What was returned then, best first.
        hits: What is returned now.
    """

    question_id: str
    before: float | None
    now: float
    hits_before: tuple[AnswerHit, ...]
    hits: tuple[AnswerHit, ...]


def broken(now: Measured, baseline: Measured | None, *, most: int = 20) -> list[BrokenQuestion]:
    """The questions that fare worse than in the baseline; where none does, those not fully answered.

    Args:
        now: The evaluation.
        baseline: What it is compared with.
        most: Most questions.

    Returns:
        Those that lost most, first.
    """
    old = {} if baseline is None else {answer.question_id: answer for answer in baseline.answers}
    measured = [_pair(answer, old.get(answer.question_id)) for answer in now.answers if answer.resolved]
    worse = [item for item in measured if item.before is not None and item.now < item.before]
    chosen = worse or [item for item in measured if item.now < 1]
    return sorted(chosen, key=lambda item: (item.now - (item.before or 0.0), item.question_id))[:most]


def _pair(now: QuestionOutcome, old: QuestionOutcome | None) -> BrokenQuestion:
    before = old.outcome.get(METRIC) if old is not None and old.resolved else None
    return BrokenQuestion(
        now.question_id, before, now.outcome.get(METRIC, 0.0), old.hits if old is not None else (), now.hits
    )


def lost_labels(now: Measured, baseline: Measured) -> list[str]:
    """Questions whose passages the baseline's documents have and these do not."""
    here = _resolved(now)
    return [
        answer.question_id
        for answer in baseline.answers
        if answer.resolved and answer.question_id not in here
    ]


def _resolved(measured: Measured) -> set[str]:
    return {answer.question_id for answer in measured.answers if answer.resolved}
