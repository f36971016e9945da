"""Identity of documents: ids, paths, births and moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from extraction.text import clean_line
from indexing.catalog.database import Connection, Database
from rubrica.errors import FatalError
from rubrica.identity import document_id
from rubrica.model import Move


class Documents:
    """The table of documents."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def register(self, source: str, paths: Iterable[str]) -> dict[str, str]:
        """Give every path a document.

        A path that is in use keeps its document, so a retried task gets the same ids; a file under
        a name that a removed document once had is born anew.

        Returns:
            Document id by path.
        """
        wanted = list(dict.fromkeys(paths))
        with self._database.transaction() as connection:
            _lock_source(connection, source)
            known = _ids_by_path(connection, source, wanted)
            births = _births(connection, source, wanted)
            new = {path: document_id(source, path, births[path]) for path in wanted if path not in known}
            with connection.cursor() as cursor:
                cursor.executemany(
                    "INSERT INTO documents (id, source, path, first_path, birth) VALUES (%s, %s, %s, %s, %s)",
                    [(id_, source, path, path, births[path]) for path, id_ in new.items()],
                )
        return {path: known.get(path) or new[path] for path in wanted}

    def ids_by_path(self, source: str, paths: Iterable[str] | None = None) -> dict[str, str]:
        """Document ids of the paths that are in use; of all paths by default."""
        with self._database.transaction() as connection:
            if paths is not None:
                return _ids_by_path(connection, source, list(paths))
            query = "SELECT path, id FROM documents WHERE source = %s AND path IS NOT NULL"
            return dict(connection.execute(query, (source,)).fetchall())

    def paths(self, source: str | None = None) -> dict[str, str]:
        """Path by document id, of one source or of all."""
        query = (
            "SELECT id, path FROM documents WHERE path IS NOT NULL"
            " AND (%(s)s::text IS NULL OR source = %(s)s)"
        )
        with self._database.transaction() as connection:
            return dict(connection.execute(query, {"s": source}).fetchall())

    def move(self, generation_id: int, source: str, moves: Sequence[Move]) -> None:
        """Rename documents, all at once: chains and swaps of paths work.

        A move is recognised by its mark, so one that was made before is skipped and a retried swap
        does not swap back. A document whose path is taken by another one, and that does not move
        itself, loses its path; ``IndexedDocuments.orphans`` then names it.

        Raises:
            FatalError: No document with that content is at the old path, nor at the new one.
        """
        with self._database.transaction() as connection:
            _lock_source(connection, source)
            paths = [path for move in moves for path in (move.old_path, move.file.path)]
            known = _known(connection, generation_id, source, paths)
            todo = {known[move.old_path][0]: move for move in moves if _is_to_do(known, move)}
            ids, paths = list(todo), [move.file.path for move in todo.values()]
            _displace(connection, source, ids, paths)
            connection.execute(
                "UPDATE documents SET path = m.path FROM unnest(%s::text[], %s::text[]) AS m (id, path)"
                " WHERE documents.id = m.id",
                (ids, paths),
            )
            _rename_titles(connection, todo)
            _move_failures(connection, ids)


def _is_to_do(known: dict[str, tuple[str, str]], move: Move) -> bool:
    """Whether the document is still at its old path, and not at the new one already."""
    if known.get(move.old_path, ("", ""))[1] == move.file.mark:
        return True
    if known.get(move.file.path, ("", ""))[1] == move.file.mark:
        return False
    raise FatalError(
        f"The catalog does not know the document that moved from {move.old_path!r} to {move.file.path!r}.",
        hint="Run the ingestion again: it compares the source anew.",
    )


def _known(
    connection: Connection, generation_id: int, source: str, paths: list[str]
) -> dict[str, tuple[str, str]]:
    """Document id and mark by path."""
    rows = connection.execute(
        "SELECT path, id, coalesce(mark, '') FROM documents LEFT JOIN indexed_documents"
        " ON document_id = id AND generation_id = %s WHERE source = %s AND path = ANY(%s)",
        (generation_id, source, paths),
    ).fetchall()
    return {path: (id_, mark) for path, id_, mark in rows}


def _lock_source(connection: Connection, source: str) -> None:
    # Births are counted, so two registrations of one source must not overlap.
    connection.execute("SELECT FROM sources WHERE name = %s FOR NO KEY UPDATE", (source,))


def _ids_by_path(connection: Connection, source: str, paths: list[str]) -> dict[str, str]:
    query = "SELECT path, id FROM documents WHERE source = %s AND path = ANY(%s)"
    return dict(connection.execute(query, (source, paths)).fetchall())


def _births(connection: Connection, source: str, paths: list[str]) -> dict[str, int]:
    query = (
        "SELECT first_path, max(birth) + 1 FROM documents WHERE source = %s AND first_path = ANY(%s)"
        " GROUP BY first_path"
    )
    next_ones: dict[str, int] = dict(connection.execute(query, (source, paths)).fetchall())
    return {path: next_ones.get(path, 0) for path in paths}


def _displace(connection: Connection, source: str, ids: list[str], paths: list[str]) -> None:
    connection.execute(
        "UPDATE documents SET path = NULL, removed_at = now()"
        " WHERE source = %s AND path = ANY(%s) AND NOT id = ANY(%s)",
        (source, paths, ids),
    )


def _rename_titles(connection: Connection, moves: Mapping[str, Move]) -> None:
    """A document without a title of its own is called by its file's name, which has changed."""
    with connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE indexed_documents SET title = %s WHERE document_id = %s AND title = %s",
            [(_name(move.file.path), id_, _name(move.old_path)) for id_, move in moves.items()],
        )


def _name(path: str) -> str:
    return clean_line(PurePosixPath(path).name)


def _move_failures(connection: Connection, ids: list[str]) -> None:
    # In two steps, because the index that keeps open failures unique cannot be deferred.
    connection.execute(
        "UPDATE failures SET resolved_at = now() FROM documents d"
        " WHERE d.id = document_id AND d.path IS NULL AND resolved_at IS NULL"
    )
    connection.execute(
        "UPDATE failures SET path = '/' || id WHERE document_id = ANY(%s) AND resolved_at IS NULL", (ids,)
    )
    connection.execute(
        "UPDATE failures SET path = d.path FROM documents d"
        " WHERE d.id = document_id AND document_id = ANY(%s) AND resolved_at IS NULL",
        (ids,),
    )
