"""Paired bootstrap and Holm's correction."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.chunkers.significance import RESAMPLES, holm, paired_bootstrap


def test_holm_on_a_worked_example() -> None:
    # Sorted 0.005 0.01 0.03 0.04, times 4 3 2 1; the last may not be below the one before.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_never_exceeds_one_and_leaves_a_single_test_alone() -> None:
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([0.04]) == [0.04]
    assert holm([]) == []


def test_equal_sides_are_not_different() -> None:
    side = np.array([0.0, 1.0, 1.0, 0.0])
    difference = paired_bootstrap(side, side)
    assert (difference.mean, difference.low, difference.high, difference.p) == (0, 0, 0, 1)


def test_an_advantage_on_every_question_cannot_be_chance() -> None:
    difference = paired_bootstrap(np.ones(20), np.zeros(20))
    assert difference.mean == difference.low == difference.high == 1
    assert difference.p == pytest.approx(1 / (1 + RESAMPLES))


def test_p_is_that_of_the_sign_test_for_two_questions() -> None:
    # Differences 1 and 0: resampled means 0, 1/2, 1 with chances 1/4, 1/2, 1/4; the mean is 1/2, and as far
    # from it as that are the first and the last.
    difference = paired_bootstrap(np.array([1.0, 1.0]), np.array([0.0, 1.0]))
    assert difference.mean == pytest.approx(0.5)
    assert difference.p == pytest.approx(0.5, abs=0.02)


def test_sides_change_places_and_only_the_sign_changes() -> None:
    generator = np.random.default_rng(1)
    one, other = generator.integers(0, 2, (2, 300)).astype(float)
    there, back = paired_bootstrap(one, other), paired_bootstrap(other, one)
    assert there.mean == -back.mean
    assert there.low == pytest.approx(-back.high)
    assert there.p == back.p


def test_the_interval_is_that_of_the_normal_law_for_many_questions() -> None:
    generator = np.random.default_rng(2)
    difference = paired_bootstrap(generator.normal(0.3, 1.0, 2000), np.zeros(2000))
    half = 1.96 / np.sqrt(2000)
    assert difference.high - difference.low == pytest.approx(2 * half, rel=0.06)


def test_the_same_values_give_the_same_p() -> None:
    one, other = np.random.default_rng(3).random((2, 50))
    assert paired_bootstrap(one, other) == paired_bootstrap(one, other)
