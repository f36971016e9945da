"""Did the answers get worse, or is it chance? A paired test over the questions that two evaluations share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from indexing.recall.model import QuestionOutcome

ALPHA = 0.05
_RESAMPLES = 9_999
_SEED = 20_261_130
_AT_ONCE = 2_000_000  # signs drawn at a time: 150 MB


@dataclass(frozen=True, slots=True)
class Comparison:
    """A metric of two evaluations, over the questions that resolve in both.

    Attributes:
        metric: Name of the metric.
        questions: How many questions both share.
        before: Mean of the earlier evaluation over them.
        after: Mean of the later one.
        p: Two-sided p value of Fisher's randomisation test; 1 without a difference.
        worse: Ids of the questions that got worse, in order.
        better: Ids of those that got better.
    """

    metric: str
    questions: int
    before: float
    after: float
    p: float
    worse: tuple[str, ...]
    better: tuple[str, ...]

    @property
    def difference(self) -> float:
        """Mean after minus mean before."""
        return self.after - self.before

    def significant(self, alpha: float = ALPHA) -> bool:
        """Whether chance alone would seldom make a difference as large, either way."""
        return self.p < alpha

    def significant_drop(self, alpha: float = ALPHA) -> bool:
        """Whether it got worse, and not by chance."""
        return self.difference < 0 and self.significant(alpha)


def compare(
    before: Iterable[QuestionOutcome], after: Iterable[QuestionOutcome], metric: str = "recall@5"
) -> Comparison:
    """Compare a metric of two evaluations, question by question.

    Questions that only one of them has, or whose label is stale in one, are left out: they say nothing
    about the search.

    Args:
        before: Outcomes of the earlier evaluation.
        after: Outcomes of the later one.
        metric: Name of a metric that both report.
    """
    old, new = _values(before, metric), _values(after, metric)
    shared = [id_ for id_ in new if id_ in old]
    differences = np.array([new[id_] - old[id_] for id_ in shared], np.float64)
    return Comparison(
        metric,
        len(shared),
        _mean([old[id_] for id_ in shared]),
        _mean([new[id_] for id_ in shared]),
        randomisation_p(differences),
        tuple(id_ for id_ in shared if new[id_] < old[id_]),
        tuple(id_ for id_ in shared if new[id_] > old[id_]),
    )


def randomisation_p(differences: npt.NDArray[np.float64]) -> float:
    """Two-sided p value of Fisher's randomisation test on paired differences.

    Were both sides alike, each difference could as well have the other sign. The test is the one that
    Smucker, Allan and Carterette (CIKM 2007) recommend for search; for answers that are found or not it is
    McNemar's exact test. Up to 13 questions that differ are counted out, more are sampled with a fixed
    seed: the same values give the same p.

    Args:
        differences: One number a question.
    """
    from scipy import stats  # type: ignore[import-untyped]  # noqa: PLC0415 - loads for a second

    changed = differences[differences != 0]
    if len(changed) < 2:  # one alone may as well have the other sign
        return 1.0
    result = stats.permutation_test(
        (changed, np.zeros_like(changed)),
        lambda left, right, axis: np.mean(left - right, axis=axis),
        permutation_type="samples",
        n_resamples=_RESAMPLES,
        batch=max(1, _AT_ONCE // len(changed)),
        vectorized=True,
        rng=np.random.default_rng(_SEED),
    )
    return float(min(1.0, result.pvalue))


def _values(answers: Iterable[QuestionOutcome], metric: str) -> Mapping[str, float]:
    return {
        answer.question_id: answer.outcome[metric]
        for answer in answers
        if answer.resolved and metric in answer.outcome
    }


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else 0.0
