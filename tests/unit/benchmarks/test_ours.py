from __future__ import annotations

import pytest

from benchmarks.chunkers.ours import sizes_at


@pytest.mark.parametrize(
    ("limit", "sizes"),
    [
        (128, {"max_tokens": 128, "min_tokens": 32}),
        (512, {"max_tokens": 512, "min_tokens": 128}),
        (600, {"max_tokens": 512, "min_tokens": 216}),
    ],
)
def test_beyond_the_embedders_limit_the_minimum_grows(limit: int, sizes: dict[str, int]) -> None:
    assert sizes_at(limit, 512) == sizes
