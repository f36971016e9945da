"""The recall page: how answers fared over time, question by question, and what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from pipeline.services import Services

if TYPE_CHECKING:
    from indexing.catalog.alarms import Alarm
    from indexing.catalog.golden import GoldenSummary
    from indexing.recall.model import AnswerHit, EvaluationRecord, GoldenQuestion, QuestionOutcome

DEPTHS = (1, 5, 10)
HISTORY = 120
"""Evaluations that are drawn."""

_METRIC = "recall@5"
_ORDER = ("lost", "worse", "missing", "stale", "won", "better", "found")


@dataclass(frozen=True, slots=True)
class Measurement:
    """One evaluation.

    Attributes:
        id: The evaluation.
        at: When it was made.
        generation: Number of the generation that was asked.
        recall: Means by depth; without those that were not measured.
        questions: How many the means are over.
        labels: Share of the labels that still stand in the documents.
        accepted: Whether later ones are compared with it.
        trigger: Who asked for it.
    """

    id: int
    at: datetime | None
    generation: int | None
    recall: dict[int, float]
    questions: int
    labels: float
    accepted: bool
    trigger: str


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """How a question fared, before and after.

    Attributes:
        id: The question.
        question: What it asks; empty where it is not in the set any more.
        document: Where its answer stands.
        passages: The passages that answer it.
        verdict: "found", "won" or "better", "lost" or "worse", "missing", "stale".
        before: Its recall@5 then; ``None`` where it was not measured.
        after: Its recall@5 now; ``None`` where its label is stale.
        rank_before: Rank of the first answer then; ``None`` where none was returned.
        rank_after: The same now.
        returned_before: What was returned then.
        returned: What is returned now.
        stale: Why its label does not stand any more.
    """

    id: str
    question: str
    document: str
    passages: tuple[str, ...]
    verdict: str
    before: float | None
    after: float | None
    rank_before: int | None
    rank_after: int | None
    returned_before: tuple[AnswerHit, ...]
    returned: tuple[AnswerHit, ...]
    stale: str


@dataclass(frozen=True, slots=True)
class RecallView:
    """A golden set and how it was answered.

    Attributes:
        sets: Every set.
        chosen: The set that is shown; ``None`` where there is none.
        floor: recall@5 that is reached at least.
        history: Its evaluations, oldest first.
        after: The evaluation that is looked at.
        before: The one that it is compared with.
        questions: Each question; those that broke first.
        alarms: Open alarms, of all sets.
    """

    sets: Sequence[GoldenSummary]
    chosen: GoldenSummary | None
    floor: float
    history: Sequence[Measurement]
    after: Measurement | None
    before: Measurement | None
    questions: Sequence[QuestionChange]
    alarms: Sequence[Alarm]

    def count(self, *verdicts: str) -> int:
        """How many questions have one of some verdicts."""
        return sum(question.verdict in verdicts for question in self.questions)


def recall_view(services: Services, set_name: str = "", evaluation: int = 0) -> RecallView:
    """A golden set and how it was answered.

    Args:
        services: Open services.
        set_name: Which set; by default one that people made, if there is one.
        evaluation: Which of its evaluations; by default the last one.
    """
    catalog = services.catalog
    sets = catalog.golden.summaries()
    chosen = _chosen(sets, set_name)
    records = [] if chosen is None else catalog.evaluations.history(chosen.name, limit=HISTORY)
    numbers = {item.id: item.number for item in catalog.generations.all(services.settings.indexing.alias)}
    after = next((record for record in records if record.id == evaluation), records[0] if records else None)
    before = None if after is None else _before(records, after)
    return RecallView(
        sets,
        chosen,
        services.settings.recall.recall_floor,
        [_measurement(record, numbers) for record in reversed(records)],
        None if after is None else _measurement(after, numbers),
        None if before is None else _measurement(before, numbers),
        [] if after is None else _questions(services, after, before),
        catalog.alarms.open_alarms(),
    )


def _chosen(sets: Sequence[GoldenSummary], name: str) -> GoldenSummary | None:
    named = [item for item in sets if item.name == name]
    human = [item for item in sets if item.origin != "bootstrap"]
    return next(iter([*named, *human, *sets]), None)


def _before(records: Sequence[EvaluationRecord], after: EvaluationRecord) -> EvaluationRecord | None:
    """The youngest accepted evaluation before another one, or the youngest of all."""
    older = [record for record in records if record.id < after.id]
    return next((record for record in older if record.accepted), older[0] if older else None)


def _measurement(record: EvaluationRecord, numbers: dict[int, int]) -> Measurement:
    metrics = record.metrics
    questions = int(metrics.get("questions", 0))
    known = {depth: metrics.get(f"recall@{depth}") for depth in DEPTHS} if questions else {}
    return Measurement(
        record.id,
        record.started_at,
        numbers.get(record.generation_id),
        {depth: value for depth, value in known.items() if value is not None},
        questions,
        metrics.get("labels_resolved", 1.0),
        record.accepted,
        record.trigger,
    )


def _questions(
    services: Services, after: EvaluationRecord, before: EvaluationRecord | None
) -> list[QuestionChange]:
    answers = services.catalog.evaluations.answers
    old = {} if before is None else {item.question_id: item for item in answers(before.id)}
    golden = services.catalog.golden.get(after.set_name)
    known = {} if golden is None else {question.id: question for question in golden.questions}
    changes = [
        _change(known.get(now.question_id), now, old.get(now.question_id)) for now in answers(after.id)
    ]
    return sorted(changes, key=lambda change: _ORDER.index(change.verdict))


def _change(
    question: GoldenQuestion | None, now: QuestionOutcome, old: QuestionOutcome | None
) -> QuestionChange:
    before, after = _recall(old), _recall(now)
    spans = question.spans if question else ()
    return QuestionChange(
        now.question_id,
        question.question if question else "",
        question.document if question else "",
        tuple(span.quote for span in spans if span.quote),
        _verdict(before, after),
        before,
        after,
        _rank(old),
        _rank(now),
        old.hits if old else (),
        now.hits,
        now.stale,
    )


def _verdict(before: float | None, after: float | None) -> str:
    if after is None:
        return "stale"
    if before is not None and after < before:
        return "worse" if after > 0 else "lost"
    if before is not None and after > before:
        return "better" if before > 0 else "won"
    return "found" if after > 0 else "missing"


def _recall(outcome: QuestionOutcome | None) -> float | None:
    return outcome.outcome.get(_METRIC) if outcome is not None and outcome.resolved else None


def _rank(outcome: QuestionOutcome | None) -> int | None:
    return None if outcome is None else next((hit.rank for hit in outcome.hits if hit.relevant), None)
