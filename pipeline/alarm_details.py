"""What an alarm tells of the questions that broke: what was returned before, and what is now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from indexing.recall.model import AnswerHit, EvaluationRecord, GoldenSet, Origin
from indexing.recall.regressions import BrokenQuestion, Judgement, broken
from pipeline.services import Services

_SHOWN_HITS = 5
_SHOWN_CHARACTERS = 160


def recall_details(
    services: Services,
    golden: GoldenSet,
    record: EvaluationRecord,
    baseline: EvaluationRecord | None,
    judgement: Judgement,
) -> dict[str, Any]:
    """What broke, as JSON has it: ``docs/alarms.md`` names the fields."""
    return {
        "set": golden.name,
        "origin": str(golden.origin),
        "reasons": list(judgement.reasons),
        "before": dict(baseline.metrics) if baseline else None,
        "now": dict(record.metrics),
        "worse": len(judgement.comparison.worse) if judgement.comparison else None,
        "better": len(judgement.comparison.better) if judgement.comparison else None,
        "questions": _questions(services, golden, record, baseline),
    }


def named(golden: GoldenSet) -> str:
    """A set as a sentence names it; one that nobody has checked is marked so."""
    made = " (questions that Rubrica made itself)" if golden.origin == Origin.BOOTSTRAP else ""
    return f"Golden set {golden.name!r}{made}"


def _questions(
    services: Services, golden: GoldenSet, record: EvaluationRecord, baseline: EvaluationRecord | None
) -> list[dict[str, Any]]:
    known = {question.id: question for question in golden.questions}
    found = [item for item in broken(record, baseline) if item.question_id in known]
    then = _clauses(services, baseline.generation_id, (i.hits_before for i in found)) if baseline else {}
    now = _clauses(services, record.generation_id, (item.hits for item in found))
    return [
        {
            "id": item.question_id,
            "question": known[item.question_id].question,
            "document": known[item.question_id].document,
            "passages": [_shorter(span.quote) for span in known[item.question_id].spans if span.quote],
        }
        | _answers(item, then, now)
        for item in found
    ]


_Clauses = Mapping[str, tuple[str, ...]]


def _answers(item: BrokenQuestion, then: _Clauses, now: _Clauses) -> dict[str, Any]:
    return {
        "before": item.before,
        "now": item.now,
        "returned_before": _returned(item.hits_before, then),
        "returned": _returned(item.hits, now),
    }


def _returned(hits: Sequence[AnswerHit], clauses: _Clauses) -> list[dict[str, Any]]:
    return [
        {
            "rank": hit.rank,
            "document": hit.document,
            "page": hit.page,
            "clauses": list(clauses.get(hit.chunk_id, ())),
            "relevant": hit.relevant,
            "text": _shorter(hit.text),
        }
        for hit in hits[:_SHOWN_HITS]
    ]


def _clauses(services: Services, generation_id: int, hits: Iterable[Sequence[AnswerHit]]) -> _Clauses:
    """Clauses of the chunks that still exist."""
    ids = sorted({hit.chunk_id for some in hits for hit in some[:_SHOWN_HITS]})
    found = services.catalog.chunks.found(generation_id, ids)
    return {id_: chunk.clauses for id_, chunk in found.items()}


def _shorter(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _SHOWN_CHARACTERS else words[:_SHOWN_CHARACTERS] + " …"


def command(line: str, what: str) -> dict[str, str]:
    """A command that helps, and what it does."""
    return {"command": line, "does": what}
