"""JSON as it is read by people: indented, letters instead of escapes, numbers as they were written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from extraction.data.indented import Piece

_LONG = 40  # lines; a longer value is opened
_DEEPEST = 6
_DEEPEST_READ = 200  # levels; below, indentation shows nothing any more
_LINE = 100  # characters; a shorter list of plain values stands on one line
_MOST_COLUMNS = 30
_LONGEST_CELL = 300  # characters


class JsonError(Exception):
    """The text is no JSON that can be read."""


class _Number(str):
    """A number as it is written: 1.10 stays 1.10."""

    __slots__ = ()


class _Object(list[tuple[str, Any]]):
    """Keys with values in order; a key may come twice."""


def parse_json(text: str) -> Any:
    """A JSON text, or JSON lines, as a list of them.

    Raises:
        JsonError: It is neither, or nested too deeply.
    """
    try:
        value = _parsed(text)
    except (ValueError, RecursionError) as error:
        raise JsonError(str(error)) from error
    if _is_too_deep(value):
        raise JsonError(f"nested deeper than {_DEEPEST_READ} levels")
    return value


def _parsed(text: str) -> Any:
    decoder = json.JSONDecoder(
        object_pairs_hook=_Object, parse_float=_Number, parse_int=_Number, parse_constant=_Number
    )
    try:
        return decoder.decode(text)
    except ValueError:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) < 2:
            raise
        return [decoder.decode(line) for line in lines]


def _is_too_deep(value: Any) -> bool:
    """Whether a value is nested deeper than it can be written, by whatever stack there is."""
    level = [value]
    for _ in range(_DEEPEST_READ):
        level = [member for parent in level for _, _, member in _members(parent) if isinstance(member, list)]
    return bool(level)


def json_table(value: Any) -> list[list[str]] | None:
    """A list of flat records as rows under their keys; ``None`` where it is none."""
    if not isinstance(value, list) or isinstance(value, _Object) or len(value) < 2:
        return None
    if not all(isinstance(record, _Object) and all(map(_is_cell, record)) for record in value):
        return None
    keys = list(dict.fromkeys(key for record in value for key, _ in record))
    filled = sum(map(len, value))
    if not 2 <= len(keys) <= _MOST_COLUMNS or filled * 2 < len(keys) * len(value):
        return None
    rows = [dict(record) for record in value]
    return [keys, *(["" if row.get(key) is None else _plain(row[key]) for key in keys] for row in rows)]


def _is_cell(member: tuple[str, Any]) -> bool:
    value = member[1]
    return not isinstance(value, list) and not (type(value) is str and len(value) > _LONGEST_CELL)


def json_pieces(value: Any, path: tuple[str, ...] = ()) -> Iterator[Piece]:
    """A value cut at its members, each piece with the keys that it is in."""
    group: list[str] = []
    size = 0
    for name, prefix, member in _members(value):
        text = prefix + written(member)
        lines = text.count("\n") + 1
        if group and size + lines > _LONG:
            yield ",\n".join(group), path
            group, size = [], 0
        if lines > _LONG and isinstance(member, list) and len(path) < _DEEPEST:
            yield from json_pieces(member, (*path, name))
        else:
            group.append(text)
            size += lines
    if group:
        yield ",\n".join(group), path


def _members(value: Any) -> Iterator[tuple[str, str, Any]]:
    """Name, what is written in front, and value of each member."""
    if isinstance(value, _Object):
        yield from ((key, f"{_quoted(key)}: ", member) for key, member in value)
    elif isinstance(value, list):
        yield from ((f"[{i}]", "", member) for i, member in enumerate(value))
    else:
        yield "", "", value


def written(value: Any, margin: str = "") -> str:
    """A value, its lines after the first indented by ``margin``."""
    if isinstance(value, _Object):
        inner = [f"{_quoted(key)}: {written(member, margin + '  ')}" for key, member in value]
        return _block("{", inner, "}", margin)
    if isinstance(value, list):
        inner = [written(member, margin + "  ") for member in value]
        line = f"[{', '.join(inner)}]"
        if len(line) <= _LINE and not any(isinstance(member, list) for member in value):
            return line
        return _block("[", inner, "]", margin)
    return _quoted(value) if type(value) is str else _plain(value)


def _block(opening: str, lines: Sequence[str], closing: str, margin: str) -> str:
    if not lines:
        return opening + closing
    body = ",\n".join(f"{margin}  {line}" for line in lines)
    return f"{opening}\n{body}\n{margin}{closing}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _plain(value: Any) -> str:
    if value is None:
        return "null"
    return ("false", "true")[value] if isinstance(value, bool) else str(value)
