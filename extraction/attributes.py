"""What a file states about itself, in values that JSON and PostgreSQL take."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date
from typing import Any

from extraction.text import clean


def plain_attributes(attributes: Mapping[Any, Any]) -> dict[str, Any]:
    """Clean keys and texts; dates become ISO 8601, what JSON does not know becomes text."""
    return {clean(str(key)): _plain(value) for key, value in attributes.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return plain_attributes(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float) else clean(str(value))
