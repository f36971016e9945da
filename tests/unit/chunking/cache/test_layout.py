from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.cache.layout import (
    BUCKETS,
    FULL,
    SAMPLES,
    Addresses,
    entries,
    mean_fill,
    reading_levels,
    writing_level,
)

LEVELS = st.integers(0, len(BUCKETS) - 1)
FILLS = st.lists(st.floats(0, 200), min_size=len(BUCKETS), max_size=len(BUCKETS))


def keys_of(count: int, seed: int = 1) -> list[bytes]:
    dice = random.Random(seed)
    return [dice.randbytes(12) for _ in range(count)]


@given(st.sets(st.binary(min_size=12, max_size=12), max_size=50), LEVELS, st.data())
def test_every_wanted_key_lies_in_one_hash(keys: set[bytes], level: int, data: st.DataObject) -> None:
    addresses = Addresses("model", sorted(keys))
    wanted = data.draw(st.sets(st.sampled_from(range(len(keys))))) if keys else set()
    where = np.array(sorted(wanted), dtype=np.int64)
    groups = list(addresses.buckets(level, where))
    assert sorted(i for _, members in groups for i in members) == where.tolist()
    assert len({bucket for bucket, _ in groups}) == len(groups)
    assert all(0 <= bucket < BUCKETS[level] for bucket, _ in groups)


@given(st.sets(st.binary(min_size=12, max_size=12), min_size=2, max_size=50), LEVELS)
def test_no_two_keys_share_hash_and_field(keys: set[bytes], level: int) -> None:
    # Keys that differ only in bits that choose no hash at this level are one key of 64 bits and more.
    keys = {key[:1] + bytes(3) + key[4:] for key in keys}
    addresses = Addresses("model", sorted(keys))
    places = [
        (bucket, addresses.fields[i])
        for bucket, members in addresses.buckets(level, np.arange(len(keys), dtype=np.int64))
        for i in members
    ]
    assert len(set(places)) == len(keys)


def test_an_address_depends_on_the_namespace_and_not_on_the_neighbours() -> None:
    keys = keys_of(20)
    every = Addresses("model", keys)
    for i, key in enumerate(keys):
        assert Addresses("model", [key]).fields == [every.fields[i]]
    assert not {*every.fields} & {*Addresses("model 2", keys).fields}
    assert len(Addresses("", [])) == 0


def test_a_key_of_another_length_is_a_mistake() -> None:
    with pytest.raises(ValueError):
        Addresses("model", [b"short", b"also short"])


def test_hashes_are_filled_evenly() -> None:
    addresses = Addresses("model", keys_of(FULL * BUCKETS[0]))
    sizes = [len(members) for _, members in addresses.buckets(0, np.arange(len(addresses), dtype=np.int64))]
    assert len(sizes) == BUCKETS[0]
    assert max(sizes) < 128


@given(st.integers(0, 2**31), LEVELS)
def test_samples_are_different_hashes_spread_over_the_level(seed: int, level: int) -> None:
    samples = sorted(Addresses("model", keys_of(1, seed)).samples(level))
    assert len(set(samples)) == SAMPLES
    assert {b - a for a, b in pairwise(samples)} == {BUCKETS[level] // SAMPLES}
    assert 0 <= samples[0] < BUCKETS[level] // SAMPLES


@given(FILLS)
def test_readers_look_where_writers_write_and_wherever_something_is(fill: list[float]) -> None:
    levels = list(reading_levels(fill))
    assert levels == sorted(levels, reverse=True)
    assert levels[-1] == 0
    assert writing_level(fill) in levels
    assert all(level in levels for level, mean in enumerate(fill) if mean)


def test_levels_follow_one_another() -> None:
    empty = [0.0] * len(BUCKETS)
    assert list(reading_levels(empty)) == [0]
    assert writing_level(empty) == 0
    assert writing_level([64, 0, 0, 0, 0, 0]) == 1
    assert list(reading_levels([50, 0, 0, 0, 0, 0])) == [1, 0]
    assert list(reading_levels([3, 0, 0.1, 0, 0, 0])) == [2, 1, 0]
    assert writing_level([99] * len(BUCKETS)) == len(BUCKETS) - 1


def test_entries_are_estimated_from_samples() -> None:
    lengths = [64] * SAMPLES + [8] * SAMPLES + [0] * SAMPLES * (len(BUCKETS) - 2)
    fill = mean_fill(lengths)
    assert fill == [64, 8, 0, 0, 0, 0]
    assert entries(fill) == 64 * 1024 + 8 * 4096


@given(FILLS, st.lists(st.floats(0.75, 1.0), min_size=len(BUCKETS), max_size=len(BUCKETS)))
def test_readers_find_what_a_writer_wrote_who_sampled_other_hashes(
    fill: list[float], shares: list[float]
) -> None:
    seen = [mean * share for mean, share in zip(fill, shares, strict=True)]
    assert writing_level(fill) in reading_levels(seen)
