"""Reads golden questions: ``golden.yaml``, JSON lines, SQuAD, CSV with spans, BEIR.

Every reader names the file, the line or entry and the field of what it cannot read. Ids that a format does
not have are digests of the question, so that reading a file twice gives the same.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from indexing.recall.beir import is_beir, read_beir
from indexing.recall.entries import Entry, read_question, wrong
from indexing.recall.model import GoldenQuestion
from indexing.recall.squad import read_squad
from indexing.recall.yaml_entries import read_yaml
from rubrica.errors import ConfigurationError

PageTexts = Callable[[str, int], str | None]
"""Text of a document's page, which offsets of JSON lines count in; ``None`` where it is not known."""

_DELIMITERS = (",", ";", "\t")
_PLACES = frozenset({"quote", "content", "start", "start_index", "page", "references"})
"""Columns that say where in its document a passage stands."""

_KNOWN = (
    "golden.yaml, .json (SQuAD), .jsonl, .csv, or a folder with corpus.jsonl, queries.jsonl and qrels (BEIR)"
)
# The default of 128 KiB is less than a cell of `references` may take; it holds for the whole process.
csv.field_size_limit(sys.maxsize)


def read_golden(path: Path, *, pages: PageTexts | None = None) -> tuple[GoldenQuestion, ...]:
    """Read the questions of a file or folder; its format is told by its name and content.

    Args:
        path: ``.yaml``, ``.yml``, ``.json``, ``.jsonl``, ``.csv``, or a folder in BEIR's layout.
        pages: Texts of pages, for JSON lines whose offsets count from the start of a page.

    Raises:
        ConfigurationError: The file cannot be read, or an entry of it is not valid.
    """
    if path.is_dir():
        if not is_beir(path):
            raise ConfigurationError(f"{path} is a folder, but not one of BEIR.", hint=f"Give {_KNOWN}.")
        return _checked(path, read_beir(path))
    content = _text(path)
    readers: Mapping[str, Callable[[], Iterator[GoldenQuestion]]] = {
        ".yaml": lambda: read_yaml(content, path.name),
        ".yml": lambda: read_yaml(content, path.name),
        ".json": lambda: read_squad(content, path.name),
        ".jsonl": lambda: _read_lines(content, path.name, pages),
        ".csv": lambda: _read_csv(content, path.name),
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ConfigurationError(f"{path.name} is in no known format.", hint=f"Give {_KNOWN}.")
    return _checked(path, reader())


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8: {error.reason}.") from error


def _checked(path: Path, questions: Iterator[GoldenQuestion]) -> tuple[GoldenQuestion, ...]:
    found: dict[str, GoldenQuestion] = {}
    for question in questions:
        if question.id in found:
            raise ConfigurationError(
                f"{path.name} has the id {question.id!r} twice: {question.question[:60]!r}.",
                hint="Give each question an id of its own.",
            )
        found[question.id] = question
    if not found:
        raise ConfigurationError(f"{path.name} holds no question.")
    return tuple(found.values())


def _read_lines(content: str, name: str, pages: PageTexts | None) -> Iterator[GoldenQuestion]:
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        try:
            values = json.loads(line)
        except json.JSONDecodeError as error:
            raise wrong(where, f"it is not JSON ({error.msg} at column {error.colno})") from error
        except RecursionError as error:
            raise wrong(where, "it is nested too deeply") from error
        yield read_question(Entry(where, values), pages=pages)


def _read_csv(content: str, name: str) -> Iterator[GoldenQuestion]:
    """Columns as the fields of JSON lines; ``references`` holds spans as JSON, as in chunking_evaluation."""
    rows = csv.DictReader(io.StringIO(content, newline=""), delimiter=_delimiter(content))
    for row in rows:
        where = f"{name}, line {rows.line_num}"
        yield read_question(Entry(where, _cells(where, row)))


def _delimiter(content: str) -> str:
    """What stands between the columns: spreadsheets write semicolons where the comma is decimal."""
    header = content.split("\n", 1)[0]
    return max(_DELIMITERS, key=header.count)


def _cells(where: str, row: Mapping[str | Any, Any]) -> dict[str, Any]:
    if None in row:
        hint = "A cell with a delimiter or a line break in it stands in double quotes."
        raise wrong(where, "it has more cells than the first line has columns", hint=hint)
    values: dict[str, Any] = {key: value for key, value in row.items() if key and value}
    if "references" in values:
        try:
            values["references"] = json.loads(values["references"])
        except (json.JSONDecodeError, RecursionError) as error:
            raise wrong(where, f"'references' is not JSON ({error})") from error
    elif "quote" in row and not values.keys() & _PLACES:
        raise wrong(
            where, "'quote' is empty", hint="Without a column 'quote' a row means the whole document."
        )
    return values
