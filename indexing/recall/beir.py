"""Reads BEIR: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/test.tsv`` in one folder."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from indexing.recall.entries import wrong
from indexing.recall.model import GoldenQuestion, GoldenSpan
from rubrica.errors import ConfigurationError

_QRELS = ("qrels/test.tsv", "qrels/dev.tsv", "qrels/train.tsv", "qrels.tsv")


def is_beir(folder: Path) -> bool:
    """Whether a folder is laid out as BEIR lays it out."""
    return (folder / "queries.jsonl").is_file() and _qrels(folder) is not None


def read_beir(folder: Path) -> Iterator[GoldenQuestion]:
    """Questions of a BEIR folder that have a relevant document.

    Documents are called by their ids (a file ``<id>.txt`` will do). A relevant document has no span: all of
    it is the answer, and counts as found by as many chunks as hold half of it.

    Args:
        folder: The folder; of several qrels those of the test split are read.

    Raises:
        ConfigurationError: A file cannot be read, or a line of it is not valid.
    """
    asked = {str(row["_id"]): str(row["text"]) for row in _lines(folder / "queries.jsonl", ("_id", "text"))}
    corpus = folder / "corpus.jsonl"
    known = {str(row["_id"]) for row in _lines(corpus, ("_id",))} if corpus.is_file() else None
    relevant = _relevant(folder)
    for id_, documents in relevant.items():
        if id_ not in asked:
            raise wrong(str(_qrels(folder)), f"the query {id_!r} is not in queries.jsonl")
        unknown = [name for name in documents if known is not None and name not in known]
        if unknown:
            raise wrong(str(_qrels(folder)), f"the document {unknown[0]!r} is not in corpus.jsonl")
        spans = tuple(GoldenSpan(document=name if name != documents[0] else "") for name in documents)
        yield GoldenQuestion(id_, asked[id_], documents[0], spans)


def _relevant(folder: Path) -> dict[str, list[str]]:
    """Relevant documents by query, in the order of the file."""
    path = _qrels(folder)
    found: dict[str, list[str]] = {}
    for number, row in _rows(path) if path else ():
        if len(row) != 3:
            raise wrong(f"{path}, line {number}", "it must have query-id, corpus-id and score")
        query, document, score = row
        if number == 1 and not score.lstrip("-").isdecimal():
            continue  # the heading
        if not score.lstrip("-").isdecimal():
            raise wrong(f"{path}, line {number}", f"the score {score!r} is no whole number")
        if int(score) > 0:
            found.setdefault(query, []).append(document)
    return found


def _qrels(folder: Path) -> Path | None:
    return next((folder / name for name in _QRELS if (folder / name).is_file()), None)


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            yield from enumerate((row for row in csv.reader(file, delimiter="\t") if row), 1)
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8: {error.reason}.") from error


def _lines(path: Path, fields: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                row = json.loads(line)
                if not isinstance(row, dict):
                    raise wrong(f"{path}, line {number}", "it must be an object")
                missing = [name for name in fields if name not in row]
                if missing:
                    raise wrong(f"{path}, line {number}", f"{missing[0]!r} is missing")
                yield row
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8: {error.reason}.") from error
    except (json.JSONDecodeError, RecursionError) as error:
        raise wrong(f"{path}, line {number}", f"it is not JSON ({error})") from error
