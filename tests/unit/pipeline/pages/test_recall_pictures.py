"""Recall over time as shapes, and what became of a question."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.pages.charting import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, chart
from pipeline.pages.measuring import Measurement, _verdict


def measured(i: int, recall: float, *, generation: int = 1) -> Measurement:
    values = {1: recall / 2, 5: recall, 10: min(1.0, recall * 1.1)}
    at = datetime(2026, 5, 1, tzinfo=UTC) + timedelta(days=i)
    return Measurement(i, at, generation, values, 10, 1.0, accepted=True, trigger="ingest")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=120), st.floats(0, 1))
def test_everything_is_inside_the_picture(values: list[float], floor: float) -> None:
    drawn = chart([measured(i, value) for i, value in enumerate(values)], floor)
    for line in drawn.lines:
        assert len(line.dots) == len(values)
        assert line.path.count("M") == 1
        for dot in line.dots:
            assert LEFT <= dot.x <= WIDTH - RIGHT
            assert TOP - 1e-6 <= dot.y <= HEIGHT - BOTTOM + 1e-6
    assert TOP - 1e-6 <= drawn.floor <= HEIGHT - BOTTOM + 1e-6


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_better_stands_higher_and_later_stands_further_right(values: list[float]) -> None:
    line = chart([measured(i, value) for i, value in enumerate(values)], 0.9).lines[1]
    assert [dot.x for dot in line.dots] == sorted({dot.x for dot in line.dots})
    pairs = sorted((dot.value, dot.y) for dot in line.dots)
    assert [y for _, y in pairs] == sorted((y for _, y in pairs), reverse=True)


def test_a_switch_is_drawn_between_two_evaluations() -> None:
    drawn = chart([measured(0, 0.9), measured(1, 0.9, generation=2), measured(2, 0.9, generation=2)], 0.9)
    first, second, _ = drawn.lines[0].dots
    [switch] = drawn.switches
    assert switch.label == "2"
    assert first.x < switch.at < second.x


def test_an_evaluation_without_questions_is_a_gap() -> None:
    empty = Measurement(1, None, 1, {}, 0, 0.0, accepted=False, trigger="ingest")
    drawn = chart([measured(0, 0.5), empty], 0.9)
    assert {len(line.dots) for line in drawn.lines} == {1}


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (1.0, 1.0, "found"),
        (None, 0.5, "found"),
        (0.0, 1.0, "won"),
        (0.5, 1.0, "better"),
        (1.0, 0.0, "lost"),
        (1.0, 0.5, "worse"),
        (0.0, 0.0, "missing"),
        (None, 0.0, "missing"),
        (1.0, None, "stale"),
    ],
)
def test_verdicts(before: float | None, after: float | None, verdict: str) -> None:
    assert _verdict(before, after) == verdict
