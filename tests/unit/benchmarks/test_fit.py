"""Limits that give a mean."""

from __future__ import annotations

import pytest

from benchmarks.chunkers.fit import Fitted, nearest
from benchmarks.chunkers.model import Cutting
from rubrica.errors import ConfigurationError


class Curve:
    """A mean by limit, and how often it was asked for."""

    def __init__(self, share: float, *, steps: int = 1) -> None:
        self.share = share
        self.steps = steps
        self.asked: list[int] = []

    def __call__(self, limit: int) -> Fitted:
        self.asked.append(limit)
        return Fitted(limit, self.share * (limit // self.steps * self.steps), Cutting(()))


def test_a_proportional_mean_is_met_in_two_tries() -> None:
    curve = Curve(0.5)
    assert nearest(curve, 128, smallest=16, largest=512, close=0.004).limit == 256
    assert len(curve.asked) == 2


def test_of_a_mean_that_jumps_the_nearest_is_taken() -> None:
    curve = Curve(1.0, steps=50)
    found = nearest(curve, 128, smallest=16, largest=512, close=0.004)
    assert found.mean in {100, 150}
    assert abs(found.mean - 128) == min(abs(mean - 128) for mean in (100, 150))
    assert len(curve.asked) <= 14


def test_a_mean_out_of_reach_gets_the_largest_limit() -> None:
    assert nearest(Curve(0.25), 256, smallest=16, largest=512, close=0.004).limit == 512


def test_no_limit_is_tried_twice() -> None:
    curve = Curve(0.9, steps=37)
    nearest(curve, 200, smallest=16, largest=800, close=0.0)
    assert len(set(curve.asked)) == len(curve.asked)


def test_an_empty_range_is_refused() -> None:
    with pytest.raises(ConfigurationError):
        nearest(Curve(1.0), 100, smallest=20, largest=10, close=0.004)


def test_a_guess_is_tried_first() -> None:
    curve = Curve(0.5)
    assert nearest(curve, 128, smallest=16, largest=512, close=0.004, guess=256).limit == 256
    assert curve.asked == [256]
