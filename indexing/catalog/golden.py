"""Golden questions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from psycopg.rows import class_row, dict_row
from psycopg.types.json import Jsonb

from indexing.catalog.database import Connection, Database
from indexing.recall.model import GoldenQuestion, GoldenSet, GoldenSpan, Origin
from indexing.values import json_safe, storable
from rubrica.errors import ConfigurationError

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
_FIELDS = "id, question, language, source, document, spans, answer"

_SAVE_SET = """
INSERT INTO golden_sets (name, source, origin, digest) VALUES (%s, %s, %s, %s)
ON CONFLICT (name) DO UPDATE SET source = excluded.source, origin = excluded.origin,
    digest = excluded.digest, updated_at = now()
"""

_SAVE_QUESTION = f"""
INSERT INTO golden_questions (set_name, ordinal, {_FIELDS}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (set_name, id) DO UPDATE SET question = excluded.question, language = excluded.language,
    source = excluded.source, document = excluded.document, spans = excluded.spans, answer = excluded.answer
"""  # noqa: S608 — constant

_SUMMARIES = """
SELECT s.name, s.source, s.origin, s.digest, s.updated_at,
    (SELECT count(*) FROM golden_questions q WHERE q.set_name = s.name) AS questions
FROM golden_sets s ORDER BY s.name
"""

# The name that a document has, and the one it was born with: a label may know it by either.
_DOCUMENTS = """
SELECT d.id, d.source, d.path, d.first_path, i.title, i.language
FROM documents d JOIN indexed_documents i ON i.document_id = d.id AND i.generation_id = %(generation)s
WHERE d.path IS NOT NULL AND i.chunk_count > 0 ORDER BY d.source, d.path
"""


@dataclass(frozen=True, slots=True)
class GoldenSummary:
    """A set without its questions.

    Attributes:
        name: Name of the set.
        source: The source that it asks about; ``None``: any.
        origin: Where it came from.
        digest: Of the file that it came from.
        updated_at: When it was stored last.
        questions: How many it has.
    """

    name: str
    source: str | None
    origin: str
    digest: str
    updated_at: datetime
    questions: int


@dataclass(frozen=True, slots=True)
class DocumentName:
    """What a label may call an indexed document.

    Attributes:
        id: The document.
        source: Its source.
        path: Its path now.
        first_path: Its path when it was first seen.
        title: Its title.
        language: Its language, ISO 639-1.
    """

    id: str
    source: str
    path: str
    first_path: str
    title: str
    language: str


class GoldenSets:
    """The tables of golden sets and questions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, golden: GoldenSet) -> None:
        """Store a set, replacing what is stored under its name; its evaluations stay.

        Raises:
            ConfigurationError: Its name is not valid, or an id is given twice.
        """
        _check(golden)
        with self._database.transaction() as connection:
            connection.execute(_SAVE_SET, (golden.name, golden.source, str(golden.origin), golden.digest))
            connection.execute("DELETE FROM golden_questions WHERE set_name = %s", (golden.name,))
            _insert(connection, golden.name, enumerate(golden.questions))

    def get(self, name: str) -> GoldenSet | None:
        """The set of that name with its questions in order, if there is one."""
        with self._database.transaction() as connection:
            row = connection.execute(
                "SELECT source, origin, digest FROM golden_sets WHERE name = %s", (name,)
            ).fetchone()
            if row is None:
                return None
            source, origin, digest = row
            return GoldenSet(name, _questions(connection, name), source, Origin(origin), digest)

    def all(self) -> list[GoldenSet]:
        """All sets by name, with their questions."""
        found = (self.get(summary.name) for summary in self.summaries())
        return [golden for golden in found if golden is not None]

    def summaries(self) -> list[GoldenSummary]:
        """All sets by name, without their questions."""
        with (
            self._database.transaction() as connection,
            connection.cursor(row_factory=class_row(GoldenSummary)) as cursor,
        ):
            return cursor.execute(_SUMMARIES).fetchall()

    def delete(self, name: str) -> bool:
        """Forget a set, its questions and its evaluations; tells whether there was one."""
        with self._database.transaction() as connection:
            done = connection.execute("DELETE FROM golden_sets WHERE name = %s", (name,))
            return bool(done.rowcount)

    def add(self, set_name: str, question: GoldenQuestion) -> None:
        """Add a question at the end of a set, or replace the one of its id; the set is made when missing.

        Raises:
            ConfigurationError: The name is not valid, or the set is not kept by commands.
        """
        known = self.get(set_name)
        if known is None:
            self.save(GoldenSet(set_name, (question,), None, Origin.COMMAND))
            return
        if known.origin in {Origin.REPOSITORY, Origin.BOOTSTRAP}:
            raise ConfigurationError(
                f"The set {set_name!r} comes from {_KEEPERS[Origin(known.origin)]}.",
                hint="Change it there, or add the question to a set of another name.",
            )
        with self._database.transaction() as connection:
            _insert(connection, set_name, [(_next_ordinal(connection, set_name), question)])
            connection.execute("UPDATE golden_sets SET updated_at = now() WHERE name = %s", (set_name,))

    def remove(self, set_name: str, question_id: str) -> bool:
        """Take one question out of a set; tells whether it was there."""
        with self._database.transaction() as connection:
            done = connection.execute(
                "DELETE FROM golden_questions WHERE set_name = %s AND id = %s", (set_name, question_id)
            )
            return bool(done.rowcount)

    def document_names(self, generation_id: int) -> list[DocumentName]:
        """What labels may call the documents that a generation holds."""
        with (
            self._database.transaction() as connection,
            connection.cursor(row_factory=class_row(DocumentName)) as cursor,
        ):
            return cursor.execute(_DOCUMENTS, {"generation": generation_id}).fetchall()


_KEEPERS: Mapping[Origin, str] = {
    Origin.REPOSITORY: "the golden.yaml of its source",
    Origin.BOOTSTRAP: "the documents of its source",
}


def _check(golden: GoldenSet) -> None:
    if not _NAME.fullmatch(golden.name):
        raise ConfigurationError(
            f"{golden.name!r} is not a valid name of a golden set.",
            hint="Use small Latin letters, digits, dots, hyphens and underscores.",
        )
    seen: set[str] = set()
    for question in golden.questions:
        if question.id in seen:
            raise ConfigurationError(
                f"The golden set {golden.name!r} has the id {question.id!r} twice.", hint="Give each its own."
            )
        seen.add(question.id)


def _insert(connection: Connection, name: str, numbered: Iterable[tuple[int, GoldenQuestion]]) -> None:
    rows = [(name, ordinal, *_values(question)) for ordinal, question in numbered]
    with connection.cursor() as cursor:
        cursor.executemany(_SAVE_QUESTION, rows)


def _values(question: GoldenQuestion) -> tuple[Any, ...]:
    return (
        storable(question.id),
        storable(question.question),
        question.language,
        question.source,
        storable(question.document),
        Jsonb([_span_row(span) for span in question.spans]),
        storable(question.answer),
    )


def _span_row(span: GoldenSpan) -> dict[str, Any]:
    """A span without what is empty, but with the four that the table promises."""
    always = {"quote", "start", "end", "page"}
    row = {name: value for name, value in asdict(span).items() if value or name in always}
    safe: dict[str, Any] = json_safe(row)
    return safe


def _next_ordinal(connection: Connection, name: str) -> int:
    row = connection.execute(
        "SELECT coalesce(max(ordinal), -1) + 1 FROM golden_questions WHERE set_name = %s", (name,)
    ).fetchone()
    return int(row[0]) if row else 0


def _questions(connection: Connection, name: str) -> tuple[GoldenQuestion, ...]:
    query = f"SELECT {_FIELDS} FROM golden_questions WHERE set_name = %s ORDER BY ordinal, id"  # noqa: S608
    with connection.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(query, (name,)).fetchall()
    return tuple(GoldenQuestion(**row | {"spans": _spans(row["spans"])}) for row in rows)


def _spans(rows: Iterable[Mapping[str, Any]]) -> tuple[GoldenSpan, ...]:
    return tuple(replace(GoldenSpan(), **row) for row in rows)
