from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.planning import balance, estimate_pairs

weights_lists = st.lists(st.integers(1, 500), max_size=60)


@given(weights_lists, st.integers(1, 800), st.integers(1, 20))
def test_batches_hold_every_item_once(weights: list[int], batch_weight: int, max_batches: int) -> None:
    items = list(range(len(weights)))
    batches = balance(items, weights, batch_weight=batch_weight, max_batches=max_batches)
    assert sorted(item for batch in batches for item in batch) == items
    assert len(batches) <= max_batches
    assert all(batches)


@given(weights_lists.filter(bool), st.integers(1, 800), st.integers(1, 20))
def test_the_heaviest_batch_is_near_the_best_possible(
    weights: list[int], batch_weight: int, max_batches: int
) -> None:
    batches = balance(weights, weights, batch_weight=batch_weight, max_batches=max_batches)
    mean = sum(weights) / len(batches)
    # Any list scheduling leaves the heaviest batch under the mean plus one item (Graham 1966).
    assert max(map(sum, batches)) <= mean + max(weights)


def test_an_estimate_grows_with_size_and_is_never_zero() -> None:
    assert estimate_pairs("a.txt", 0) == 1
    assert estimate_pairs("a.TXT", 15_000) > estimate_pairs("a.pdf", 15_000) > 1
