from __future__ import annotations

from dataclasses import replace

import pytest

from indexing.catalog import Catalog, Generation
from indexing.recall.model import (
    AnswerHit,
    EvaluationRecord,
    GoldenQuestion,
    GoldenSet,
    GoldenSpan,
    Origin,
    QuestionOutcome,
)
from rubrica.errors import ConfigurationError, FatalError

pytestmark = pytest.mark.integration

_SPANS = (GoldenSpan("Зазор «8 мм»", 3, 15, 2, prefix="до ", suffix=" после"), GoldenSpan(document="б.md"))
_QUESTIONS = (
    GoldenQuestion("z", "Какой зазор?", "нормы/а.md", _SPANS, "ru", "norms", "8 мм"),
    GoldenQuestion("a", "Где вёсла?", "а.md", (GoldenSpan("в сарае"),)),
)
_SET = GoldenSet("norms", _QUESTIONS, "norms", Origin.REPOSITORY, "d1")
_HIT = AnswerHit(1, 0.5, "c1", "а.md", 3, 15, None, 0.75, True, "Зазор")
_ANSWERS = (
    QuestionOutcome("z", True, {"recall@5": 1.0, "mrr": 0.5}, (_HIT,), 2, 1, "one is gone"),
    QuestionOutcome("a", False, labels_resolved=0, stale="gone"),
)


def _record(generation: Generation, **values: object) -> EvaluationRecord:
    record = EvaluationRecord(
        "norms",
        generation.id,
        "sig",
        {"mode": "hybrid", "rerank": False},
        "command",
        {"recall@5": 1.0},
        _ANSWERS,
        {"norms": "r1"},
        seconds=2.5,
    )
    return replace(record, **values)  # type: ignore[arg-type]


def test_a_set_is_read_back_as_it_was_stored(catalog: Catalog) -> None:
    catalog.golden.save(_SET)
    assert catalog.golden.get("norms") == _SET
    assert catalog.golden.all() == [_SET]
    assert catalog.golden.get("other") is None
    (summary,) = catalog.golden.summaries()
    assert (summary.name, summary.questions, summary.origin, summary.digest) == (
        "norms",
        2,
        "repository",
        "d1",
    )


def test_saving_again_replaces_the_questions_and_keeps_the_evaluations(
    catalog: Catalog, generation: Generation
) -> None:
    catalog.golden.save(_SET)
    id_ = catalog.evaluations.save(_record(generation))
    shorter = replace(_SET, questions=_QUESTIONS[1:], digest="d2")
    catalog.golden.save(shorter)
    assert catalog.golden.get("norms") == shorter
    assert catalog.evaluations.get(id_) is not None


def test_questions_are_added_replaced_and_removed(catalog: Catalog) -> None:
    catalog.golden.add("mine", _QUESTIONS[0])
    catalog.golden.add("mine", _QUESTIONS[1])
    changed = replace(_QUESTIONS[0], question="Каков зазор?")
    catalog.golden.add("mine", changed)
    stored = catalog.golden.get("mine")
    assert stored is not None
    assert stored.origin == Origin.COMMAND
    assert stored.questions == (changed, _QUESTIONS[1])
    assert catalog.golden.remove("mine", "z")
    assert not catalog.golden.remove("mine", "z")
    assert catalog.golden.delete("mine")
    assert not catalog.golden.delete("mine")


def test_a_set_of_a_repository_is_changed_there(catalog: Catalog) -> None:
    catalog.golden.save(_SET)
    with pytest.raises(ConfigurationError, match=r"golden\.yaml"):
        catalog.golden.add("norms", _QUESTIONS[0])


@pytest.mark.parametrize(
    "golden", [replace(_SET, name="Нормы"), replace(_SET, name=""), replace(_SET, questions=_QUESTIONS * 2)]
)
def test_what_cannot_be_a_set(catalog: Catalog, golden: GoldenSet) -> None:
    with pytest.raises(ConfigurationError):
        catalog.golden.save(golden)
    assert catalog.golden.all() == []


def test_an_evaluation_is_read_back_as_it_was_stored(catalog: Catalog, generation: Generation) -> None:
    catalog.golden.save(_SET)
    record = _record(generation)
    id_ = catalog.evaluations.save(record)
    stored = catalog.evaluations.get(id_)
    assert stored is not None
    assert stored.started_at is not None
    assert replace(stored, id=0, started_at=None) == record
    assert catalog.evaluations.answers(id_) == _ANSWERS
    assert catalog.evaluations.get(id_ + 1) is None
    assert catalog.evaluations.answers(id_ + 1) == ()


def test_the_latest_accepted_evaluation_of_an_alias(catalog: Catalog, generation: Generation) -> None:
    catalog.golden.save(_SET)
    first, second, third = (catalog.evaluations.save(_record(generation)) for _ in range(3))
    assert catalog.evaluations.latest_accepted("norms", "docs") is None
    for id_ in (first, second):
        catalog.evaluations.accept(id_)
    latest = catalog.evaluations.latest_accepted("norms", "docs")
    assert latest is not None
    assert latest.id == second
    assert latest.accepted
    assert latest.answers == _ANSWERS
    assert catalog.evaluations.latest_accepted("norms", "other") is None
    assert [item.id for item in catalog.evaluations.history("norms")] == [third, second, first]
    assert [item.id for item in catalog.evaluations.history("norms", limit=1)] == [third]
    with pytest.raises(FatalError):
        catalog.evaluations.accept(third + 1)


def test_the_end_of_a_set_ends_its_evaluations(catalog: Catalog, generation: Generation) -> None:
    catalog.golden.save(_SET)
    id_ = catalog.evaluations.save(_record(generation))
    catalog.golden.delete("norms")
    assert catalog.evaluations.get(id_) is None
