"""Filter expressions of Milvus.

Values are written into the expression, because Milvus Lite does not parse filter templates.
"""

from __future__ import annotations

from collections.abc import Iterable

from indexing.values import storable

# The escapes that both Milvus and Milvus Lite read; everything else may stand in a string as it is.
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def quoted(value: str) -> str:
    """A string literal."""
    return f'"{storable(value).translate(_ESCAPES)}"'


def equals(field: str, value: str) -> str:
    """The field has that value."""
    return f"{field} == {quoted(value)}"


def one_of(field: str, values: Iterable[str]) -> str:
    """The field has one of the values."""
    return f"{field} in [{', '.join(quoted(value) for value in values)}]"


def all_of(*conditions: str) -> str:
    """Every condition that is not empty holds."""
    return " and ".join(f"({condition})" for condition in conditions if condition.strip())
