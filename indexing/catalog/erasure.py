"""All that the catalog holds of one document: found, counted, and deleted for good.

``IndexedDocuments.remove`` keeps who a document was, so that its name can be given again. This does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from posixpath import basename, splitext
from typing import Any

from psycopg.types.json import Jsonb

from indexing.catalog.database import Connection, Database
from indexing.values import storable

FORGOTTEN = "(forgotten document)"
"""What stands for its path in messages that are kept."""

_FIND = """
SELECT id, source, path, first_path,
    ARRAY(SELECT p.path FROM document_paths p WHERE p.document_id = id ORDER BY p.path)
FROM documents
WHERE (%(source)s::text IS NULL OR source = %(source)s)
    AND (id = %(name)s OR path = %(name)s
        OR (path IS NULL AND id IN (SELECT document_id FROM document_paths p WHERE p.path = %(name)s)))
ORDER BY source, path NULLS LAST, id
"""

# A label may call a document by its path, its file's name with or without suffix, or its title. A name is
# this document's own where no other one that stays answers to it: in its source, and in any.
_OWN_NAMES = """
SELECT name, NOT bool_or(o.source = %(source)s), count(o.id) = 0
FROM unnest(%(names)s::text[]) AS name
LEFT JOIN documents o ON o.id <> %(id)s AND o.path IS NOT NULL AND (
    name IN (o.path, regexp_replace(o.path, '^.*/', ''),
        regexp_replace(regexp_replace(o.path, '^.*/', ''), '\\.[^.]*$', ''))
    OR EXISTS (SELECT FROM indexed_documents i WHERE i.document_id = o.id AND i.title = name))
WHERE name <> '' GROUP BY name
"""

_TITLES = "SELECT DISTINCT title FROM indexed_documents WHERE document_id = %s"

_OWN_FAILURE = (
    "(document_id = %(id)s OR (document_id IS NULL AND source = %(source)s AND path = ANY(%(paths)s)))"
)
_OWN_QUESTION = """
EXISTS (SELECT FROM golden_sets s WHERE s.name = golden_questions.set_name AND
    CASE coalesce(nullif(golden_questions.source, ''), s.source, '')
        WHEN %(source)s THEN document = ANY(%(labels)s)
        WHEN '' THEN document = ANY(%(anywhere)s)
    END)
"""
_OWN_SPAN = "x ->> 'document' = ANY(%(anywhere)s)"
_OWN_HIT = "(x ->> 'chunk_id' = ANY(%(chunks)s) OR x ->> 'document' = ANY(%(paths)s))"
_OWN_MESSAGE = "EXISTS (SELECT FROM unnest(%(quoted)s::text[]) p WHERE position(p IN error) > 0)"


def _has(column: str, own: str) -> str:
    return f"EXISTS (SELECT FROM jsonb_array_elements({column}) x WHERE {own})"


def _without(column: str, own: str) -> str:
    return (
        f"(SELECT coalesce(jsonb_agg(x ORDER BY n), '[]') FROM jsonb_array_elements({column})"  # noqa: S608
        f" WITH ORDINALITY AS e (x, n) WHERE ({own}) IS NOT TRUE)"
    )


_COUNTS = {
    "documents": "FROM documents WHERE id = %(id)s",
    "paths of documents": "FROM document_paths WHERE document_id = %(id)s",
    "indexed documents": "FROM indexed_documents WHERE document_id = %(id)s",
    "chunks": "FROM chunks WHERE document_id = %(id)s",
    "failures": f"FROM failures WHERE {_OWN_FAILURE}",
    "chunk quality": "FROM chunk_quality WHERE document_id = %(id)s",
    "golden questions": f"FROM golden_questions WHERE {_OWN_QUESTION} OR {_has('spans', _OWN_SPAN)}",
    "answers of evaluations": f"FROM evaluation_answers WHERE {_has('hits', _OWN_HIT)}",
    "messages of runs": f"FROM runs WHERE source = %(source)s AND {_OWN_MESSAGE}",
}

# A question's answers are found through the question, so they go first.
_DELETE_ANSWERS = f"""
DELETE FROM evaluation_answers a USING evaluations e
WHERE e.id = a.evaluation_id AND (e.set_name, a.question_id) IN
    (SELECT set_name, id FROM golden_questions WHERE {_OWN_QUESTION})
"""  # noqa: S608 — constants, here and below
_DELETIONS = (
    _DELETE_ANSWERS,
    f"DELETE FROM golden_questions WHERE {_OWN_QUESTION}",  # noqa: S608
    f"UPDATE golden_questions SET spans = {_without('spans', _OWN_SPAN)} WHERE {_has('spans', _OWN_SPAN)}",  # noqa: S608
    f"UPDATE evaluation_answers SET hits = {_without('hits', _OWN_HIT)} WHERE {_has('hits', _OWN_HIT)}",  # noqa: S608
    f"DELETE FROM failures WHERE {_OWN_FAILURE}",  # noqa: S608
    "DELETE FROM documents WHERE id = %(id)s",
)


@dataclass(frozen=True, slots=True)
class ErasedDocument:
    """A document that is to be forgotten.

    Attributes:
        id: The document.
        source: Its source.
        path: Its path; ``None`` once it is gone from its source.
        first_path: Its path when it was first seen.
        all_paths: All paths that it ever had.
    """

    id: str
    source: str
    path: str | None
    first_path: str
    all_paths: Sequence[str] = ()

    @property
    def name(self) -> str:
        """What people call it."""
        return self.path or self.first_path

    @property
    def paths(self) -> list[str]:
        """All paths that it has or had, its name first."""
        return list(dict.fromkeys([self.name, self.first_path, *self.all_paths]))


@dataclass(frozen=True, slots=True)
class Traces:
    """What leads to a document's text outside its own rows; read before they are deleted.

    Attributes:
        chunks: Ids of its chunks, in all generations.
        paths: Its paths that no other document of its source has now.
        labels: What golden questions of its source call it, and no other document of it.
        anywhere: What golden questions call it, and no other document of any source.
        hashes: Hashes of the contents that were indexed.
    """

    chunks: tuple[str, ...]
    paths: tuple[str, ...]
    labels: tuple[str, ...]
    anywhere: tuple[str, ...]
    hashes: tuple[str, ...]


class Erasure:
    """Deletes documents from all tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, name: str, source: str | None = None) -> list[ErasedDocument]:
        """Documents of that id or path; those that are gone, by any path that they had."""
        values = {"name": storable(name), "source": source and storable(source)}
        with self._database.transaction() as connection:
            rows = connection.execute(_FIND, values).fetchall()
        return [ErasedDocument(id_, of, path, first, tuple(paths)) for id_, of, path, first, paths in rows]

    def traces(self, document: ErasedDocument) -> Traces:
        """What leads to the document's text outside its own rows."""
        with self._database.transaction() as connection:
            chunks = connection.execute("SELECT id FROM chunks WHERE document_id = %s", (document.id,))
            found = tuple(sorted({row[0] for row in chunks}))
            hashes = connection.execute(
                "SELECT DISTINCT content_hash FROM indexed_documents"
                " WHERE document_id = %s AND content_hash <> ''",
                (document.id,),
            ).fetchall()
            labels, anywhere = _own_names(connection, document)
            return Traces(
                found,
                tuple(path for path in document.paths if path in labels),
                labels,
                anywhere,
                tuple(sorted(row[0] for row in hashes)),
            )

    def texts(self, document_id: str, after: str = "", limit: int = 500) -> list[tuple[str, str]]:
        """Id and text of its chunks in all generations, by id; some hundreds at a time."""
        query = (
            "SELECT DISTINCT ON (id) id, text FROM chunks WHERE document_id = %s AND id > %s"
            " ORDER BY id LIMIT %s"
        )
        with self._database.transaction() as connection:
            return connection.execute(query, (document_id, after, limit)).fetchall()

    def others_with(self, document: ErasedDocument, hashes: Sequence[str]) -> list[tuple[str, str, str]]:
        """Source, path and content hash of other documents that have the same content now."""
        query = (
            "SELECT DISTINCT d.source, d.path, i.content_hash FROM documents d"
            " JOIN indexed_documents i ON i.document_id = d.id"
            " WHERE d.id <> %s AND d.path IS NOT NULL AND i.content_hash = ANY(%s) ORDER BY 1, 2"
        )
        with self._database.transaction() as connection:
            return connection.execute(query, (document.id, list(hashes))).fetchall()

    def others_at(self, document: ErasedDocument) -> list[tuple[str, str]]:
        """Path and content hash of other documents, of any source, that have one of its paths now."""
        query = (
            "SELECT DISTINCT d.path, i.content_hash FROM documents d"
            " JOIN indexed_documents i ON i.document_id = d.id"
            " WHERE d.id <> %s AND d.path = ANY(%s) AND i.content_hash <> '' ORDER BY 1, 2"
        )
        with self._database.transaction() as connection:
            return connection.execute(query, (document.id, document.paths)).fetchall()

    def counts(self, document: ErasedDocument, traces: Traces) -> dict[str, int]:
        """Rows that hold something of the document, by table."""
        with self._database.transaction() as connection:
            counts = {
                table: _count(connection, condition, _values(document, traces))
                for table, condition in _COUNTS.items()
            }
            return counts | {"alarms": len(_alarms(connection, traces))}

    def delete(self, document: ErasedDocument, traces: Traces) -> None:
        """Delete the document from all tables, in one transaction.

        Evaluations keep their figures, and lose what they quoted of the document; golden questions that ask
        about it are deleted; messages of runs and alarms keep their sense, and lose its name.
        """
        values = _values(document, traces)
        with self._database.transaction() as connection:
            for number, row in _alarms(connection, traces).items():
                connection.execute(
                    "UPDATE alarms SET summary = %s, details = %s WHERE id = %s",
                    (row[0], Jsonb(row[1]), number),
                )
            for statement in _DELETIONS:
                connection.execute(statement.encode(), values)
            for path in traces.paths:
                connection.execute(
                    "UPDATE runs SET error = replace(error, %s, %s) WHERE source = %s",
                    (repr(path), FORGOTTEN, document.source),
                )


def _own_names(connection: Connection, document: ErasedDocument) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names that only this document has in its source, and those that only it has anywhere."""
    titles = [row[0] for row in connection.execute(_TITLES, (document.id,)).fetchall()]
    files = [basename(path) for path in document.paths]
    names = [*document.paths, *files, *(splitext(name)[0] for name in files), *titles]
    values = {"names": list(dict.fromkeys(names)), "id": document.id, "source": document.source}
    rows = connection.execute(_OWN_NAMES, values).fetchall()
    here = tuple(name for name, own, own_anywhere in rows if own or own_anywhere)
    return here, tuple(name for name, _, own_anywhere in rows if own_anywhere)


def _values(document: ErasedDocument, traces: Traces) -> dict[str, Any]:
    return {
        "id": document.id,
        "source": document.source,
        "paths": list(traces.paths),
        "quoted": [repr(path) for path in traces.paths],
        "labels": list(traces.labels),
        "anywhere": list(traces.anywhere),
        "chunks": list(traces.chunks),
    }


def _count(connection: Connection, condition: str, values: dict[str, Any]) -> int:
    row = connection.execute(f"SELECT count(*) {condition}".encode(), values).fetchone()
    return int(row[0]) if row else 0


def _alarms(connection: Connection, traces: Traces) -> dict[int, tuple[str, dict[str, Any]]]:
    """Summary and details, without the document, of the alarms that speak of it."""
    names = {*traces.paths, *traces.anywhere}

    def is_own(item: Any) -> bool:
        return isinstance(item, dict) and (
            item.get("document") in names
            or item.get("path") in names
            or item.get("chunk_id") in traces.chunks
        )

    cleaned = {}
    for number, summary, details in connection.execute("SELECT id, summary, details FROM alarms"):
        clean = without(details, is_own, traces.paths), without(summary, is_own, traces.paths)
        if clean != (details, summary):
            cleaned[number] = clean[1], clean[0]
    return cleaned


def without(value: Any, is_own: Callable[[Any], bool], paths: Sequence[str]) -> Any:
    """A JSON value without the objects of a document, and with its paths taken out of every text.

    Args:
        value: What JSON has: objects, lists, texts, numbers.
        is_own: Tells whether an item of a list is about the document.
        paths: The document's paths; inside a longer text they count where they stand in quotes.
    """
    if isinstance(value, dict):
        return {key: without(item, is_own, paths) for key, item in value.items()}
    if isinstance(value, list):
        return [without(item, is_own, paths) for item in value if not is_own(item)]
    if isinstance(value, str):
        for path in paths:
            value = FORGOTTEN if value == path else value.replace(repr(path), FORGOTTEN)
    return value
