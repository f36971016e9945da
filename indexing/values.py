"""Values made fit for PostgreSQL and Milvus."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """Text that PostgreSQL accepts: U+0000 and lone surrogates become U+FFFD.

    Extraction cleans documents; messages of errors and names may still hold either.
    """
    return _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text.replace("\0", "\N{REPLACEMENT CHARACTER}"))


def json_safe(value: Any) -> Any:
    """A value that is valid JSON everywhere: storable strings, no NaN, unknown types as text."""
    if isinstance(value, str):
        return storable(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {storable(str(key)): json_safe(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [json_safe(item) for item in value]
    return storable(str(value))


def cut_utf8(text: str, limit: int) -> str:
    """The longest start of ``text`` whose UTF-8 form has at most ``limit`` bytes.

    Milvus counts the length of a VARCHAR in bytes (milvus-lite in characters): a Cyrillic letter is 2.
    """
    encoded = text.encode()
    return text if len(encoded) <= limit else encoded[:limit].decode(errors="ignore")
