from __future__ import annotations

from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chunking.scorers.base import TokenIds
from chunking.windows import clip_pair, cut_windows

units_of = st.lists(st.lists(st.integers(0, 9), max_size=7), min_size=2, max_size=12)


def tokens(*values: int) -> TokenIds:
    return np.array(values, dtype=np.int32)


def as_lists(pairs: list[tuple[TokenIds, TokenIds]]) -> list[tuple[list[int], list[int]]]:
    return [(left.tolist(), right.tolist()) for left, right in pairs]


def test_windows_are_filled() -> None:
    units = [tokens(1, 2), tokens(3, 4), tokens(5), tokens(6, 7, 8), tokens(9)]
    assert as_lists(cut_windows(units, [0, 1, 2, 3], 3)) == [
        ([1, 2], [3, 4, 5]),
        ([2, 3, 4], [5, 6, 7]),
        ([3, 4, 5], [6, 7, 8]),
        ([6, 7, 8], [9]),
    ]


def test_a_long_unit_keeps_what_touches_the_cut() -> None:
    units = [tokens(1, 2, 3, 4), tokens(5, 6, 7, 8)]
    assert as_lists(cut_windows(units, [0], 2)) == [([3, 4], [5, 6])]


def test_cuts_come_in_the_order_asked_for() -> None:
    units = [tokens(1), tokens(2), tokens(3)]
    assert as_lists(cut_windows(units, [1, 0], 1)) == [([2], [3]), ([1], [2])]
    assert cut_windows(units, [], 1) == []
    assert cut_windows([], [], 1) == []


@given(units=units_of, size=st.integers(1, 12))
def test_windows_are_the_nearest_tokens(units: list[list[int]], size: int) -> None:
    arrays = [tokens(*unit) for unit in units]
    for cut, (left, right) in enumerate(cut_windows(arrays, range(len(units) - 1), size)):
        assert left.tolist() == list(chain.from_iterable(units[: cut + 1]))[-size:]
        assert right.tolist() == list(chain.from_iterable(units[cut + 1 :]))[:size]


@given(left=st.integers(0, 30), right=st.integers(0, 30), room=st.integers(0, 40))
def test_clipped_sides_share_the_room(left: int, right: int, room: int) -> None:
    sides = tokens(*range(left)), tokens(*range(right))
    kept_left, kept_right = clip_pair(*sides, room)
    assert len(kept_left) + len(kept_right) == min(left + right, room)
    assert len(kept_left) >= min(left, room // 2)
    assert len(kept_right) >= min(right, room // 2)
    assert kept_left.tolist() == list(range(left))[left - len(kept_left) :]
    assert kept_right.tolist() == list(range(len(kept_right)))
