"""What a file states about itself, in values that JSON and PostgreSQL take."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from extraction.border import too_deep
from extraction.text import clean

DEEPEST = 100
"""Levels of what a file states about itself; whatever takes it over after this walks it by recursion."""


def plain_attributes(attributes: Mapping[Any, Any]) -> dict[str, Any]:
    """Clean keys and texts; dates become ISO 8601, what JSON does not know becomes text.

    Raises:
        CorruptDocumentError: They are nested too deeply.
    """
    return _plain_mapping(attributes, 1)


def _plain_mapping(values: Mapping[Any, Any], level: int) -> dict[str, Any]:
    if level > DEEPEST:
        raise too_deep("metadata of the file")
    return {clean(str(key)): _plain(value, level) for key, value in values.items()}


def _plain(value: Any, level: int) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return _plain_mapping(value, level + 1)
    if isinstance(value, list | tuple | set | frozenset):
        return _plain_list(value, level + 1)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float) else clean(str(value))


def _plain_list(values: Iterable[Any], level: int) -> list[Any]:
    if level > DEEPEST:
        raise too_deep("metadata of the file")
    return [_plain(item, level) for item in values]
