"""Work in portions that a server takes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from indexing.store.rows import Row

BATCH_ROWS = 500
_BATCH_BYTES = 4 * 1024 * 1024

_Item = TypeVar("_Item")


def batched(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """Lists of up to ``size`` items."""
    batch: list[_Item] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def batched_by_size(
    rows: Iterable[Row], *, max_rows: int = BATCH_ROWS, max_bytes: int = _BATCH_BYTES
) -> Iterator[list[Row]]:
    """Lists of rows that stay under a number and a size; one huge row goes alone."""
    batch: list[Row] = []
    total = 0
    for row in rows:
        size = _size(row)
        if batch and (len(batch) == max_rows or total + size > max_bytes):
            yield batch
            batch, total = [], 0
        batch.append(row)
        total += size
    if batch:
        yield batch


def _size(row: Row) -> int:
    """About how many bytes a row takes on the wire."""
    dense: Sequence[float] = row.get("dense", ())
    rest = {name: value for name, value in row.items() if name != "dense"}
    return 4 * len(dense) + len(json.dumps(rest, ensure_ascii=False).encode())
