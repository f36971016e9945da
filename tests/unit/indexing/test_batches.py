from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from indexing.store.store import batched, batched_by_size


@given(st.lists(st.integers()), st.integers(1, 7))
def test_batches_keep_all_items_in_order(items: list[int], size: int) -> None:
    batches = list(batched(items, size))
    assert [item for batch in batches for item in batch] == items
    assert all(len(batch) == size for batch in batches[:-1])
    assert all(0 < len(batch) <= size for batch in batches)


@given(st.lists(st.integers(0, 3000)), st.integers(1, 5))
def test_batches_of_rows_stay_under_both_limits(sizes: list[int], max_rows: int) -> None:
    rows: list[dict[str, Any]] = [{"text": "ы" * size, "dense": [0.0] * 4} for size in sizes]
    batches = list(batched_by_size(rows, max_rows=max_rows, max_bytes=4000))
    assert [row for batch in batches for row in batch] == rows
    for batch in batches:
        assert 0 < len(batch) <= max_rows
        wire = sum(len(json.dumps({"text": row["text"]}, ensure_ascii=False).encode()) for row in batch)
        assert wire <= 4000 or len(batch) == 1
