"""Evaluations of recall, and how every question fared in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from indexing.catalog.database import Connection, Database
from indexing.recall.model import AnswerHit, EvaluationRecord, QuestionOutcome
from indexing.values import json_safe
from rubrica.errors import FatalError

_SAVE = """
INSERT INTO evaluations (set_name, generation_id, config_sig, search, trigger, revisions, metrics, accepted,
    started_at, seconds)
VALUES (%(set)s, %(generation)s, %(sig)s, %(search)s, %(trigger)s, %(revisions)s, %(metrics)s, %(accepted)s,
    now() - make_interval(secs => %(seconds)s), %(seconds)s)
RETURNING id
"""

_COLUMNS = (
    "e.id, e.set_name, e.generation_id, e.config_sig, e.search, e.trigger, e.revisions, e.metrics,"
    " e.accepted, e.started_at, e.seconds"
)
_FROM = f"SELECT {_COLUMNS} FROM evaluations e JOIN generations g ON g.id = e.generation_id"  # noqa: S608
_NEWEST = "ORDER BY e.started_at DESC, e.id DESC LIMIT %(limit)s"
_LATEST_ACCEPTED = f"{_FROM} WHERE e.set_name = %(set)s AND g.alias = %(alias)s AND e.accepted {_NEWEST}"
_HISTORY = (
    f"{_FROM} WHERE e.set_name = %(set)s"
    f" AND (%(generation)s::bigint IS NULL OR e.generation_id = %(generation)s) {_NEWEST}"
)

_SAVE_ANSWER = """
INSERT INTO evaluation_answers (evaluation_id, question_id, ordinal, resolved, outcome, hits, labels)
VALUES (%s, %s, %s, %s, %s, %s, %s)
"""

_HIT_FIELDS = frozenset(field.name for field in fields(AnswerHit))


class Evaluations:
    """The tables of evaluations and their answers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, record: EvaluationRecord) -> int:
        """Store an evaluation with its answers.

        Args:
            record: Its ``id`` and ``started_at`` are given here: it ended now.

        Returns:
            Its id.
        """
        with self._database.transaction() as connection:
            row = connection.execute(_SAVE, _values(record)).fetchone()
            id_ = int(row[0]) if row else 0
            rows = [(id_, *_answer_values(i, answer)) for i, answer in enumerate(record.answers)]
            with connection.cursor() as cursor:
                cursor.executemany(_SAVE_ANSWER, rows)
        return id_

    def get(self, evaluation_id: int) -> EvaluationRecord | None:
        """An evaluation with its answers, if there is one."""
        found = self._find(f"{_FROM} WHERE e.id = %(id)s", {"id": evaluation_id})
        return self._with_answers(found)

    def latest_accepted(self, set_name: str, alias: str) -> EvaluationRecord | None:
        """The youngest accepted evaluation of a set on any generation of an alias, with its answers."""
        return self._with_answers(self._find(_LATEST_ACCEPTED, {"set": set_name, "alias": alias, "limit": 1}))

    def history(
        self, set_name: str, *, generation_id: int | None = None, limit: int = 100
    ) -> list[EvaluationRecord]:
        """Evaluations of a set, youngest first, without their answers.

        Args:
            set_name: The set.
            generation_id: Only of this generation.
            limit: Most to return.
        """
        return self._find(_HISTORY, {"set": set_name, "generation": generation_id, "limit": limit})

    def accept(self, evaluation_id: int) -> None:
        """Let later evaluations of its set be compared with this one.

        Raises:
            FatalError: There is no such evaluation.
        """
        with self._database.transaction() as connection:
            done = connection.execute(
                "UPDATE evaluations SET accepted = true WHERE id = %s", (evaluation_id,)
            )
            if not done.rowcount:
                raise FatalError(f"The catalog does not know the evaluation {evaluation_id}.")

    def answers(self, evaluation_id: int) -> tuple[QuestionOutcome, ...]:
        """How every question fared, in the order of the set; empty for an evaluation that is not known."""
        query = (
            "SELECT question_id, resolved, outcome, hits, labels FROM evaluation_answers"
            " WHERE evaluation_id = %s ORDER BY ordinal, question_id"
        )
        with self._database.transaction() as connection, _dicts(connection) as cursor:
            return tuple(_outcome(row) for row in cursor.execute(query, (evaluation_id,)).fetchall())

    def _find(self, query: str, values: Mapping[str, Any]) -> list[EvaluationRecord]:
        with self._database.transaction() as connection, _dicts(connection) as cursor:
            return [EvaluationRecord(**row) for row in cursor.execute(query, values).fetchall()]

    def _with_answers(self, found: list[EvaluationRecord]) -> EvaluationRecord | None:
        return replace(found[0], answers=self.answers(found[0].id)) if found else None


def _dicts(connection: Connection) -> Any:
    return connection.cursor(row_factory=dict_row)


def _values(record: EvaluationRecord) -> dict[str, Any]:
    return {
        "set": record.set_name,
        "generation": record.generation_id,
        "sig": record.config_sig,
        "search": Jsonb(json_safe(record.search)),
        "trigger": record.trigger,
        "revisions": Jsonb(json_safe(record.revisions)),
        "metrics": Jsonb(json_safe(record.metrics)),
        "accepted": record.accepted,
        "seconds": record.seconds,
    }


def _answer_values(ordinal: int, answer: QuestionOutcome) -> tuple[Any, ...]:
    labels = {"named": answer.labels, "resolved": answer.labels_resolved, "stale": answer.stale}
    return (
        answer.question_id,
        ordinal,
        answer.resolved,
        Jsonb(json_safe(answer.outcome)),
        Jsonb(json_safe([asdict(hit) for hit in answer.hits])),
        Jsonb(json_safe(labels)),
    )


def _outcome(row: Mapping[str, Any]) -> QuestionOutcome:
    labels = row["labels"]
    return QuestionOutcome(
        row["question_id"],
        row["resolved"],
        row["outcome"],
        tuple(AnswerHit(**{name: hit[name] for name in _HIT_FIELDS}) for hit in row["hits"]),
        labels["named"],
        labels["resolved"],
        labels["stale"],
    )
