"""Pk and average precision against values worked out by hand."""

from __future__ import annotations

import pytest

from benchmarks.segmentation_metrics import average_precision, lowest_cuts, pk


def gaps(text: str) -> list[bool]:
    return [character == "1" for character in text]


def test_the_same_segments_have_no_error() -> None:
    assert pk(gaps("0010010"), gaps("0010010")) == 0


def test_missing_a_boundary_counts_every_window_that_it_is_in() -> None:
    # Seven sentences, two segments: ends two gaps apart. Of the five windows two hold the boundary.
    assert pk(gaps("001000"), gaps("000000")) == pytest.approx(2 / 5)


def test_a_near_miss_costs_less_than_a_far_one() -> None:
    # Windows of two gaps: 00 01 10 00 00 against 01 10 00 00 00, and against 00 00 00 00 01.
    assert pk(gaps("001000"), gaps("010000")) == pytest.approx(2 / 5)
    assert pk(gaps("001000"), gaps("000001")) == pytest.approx(3 / 5)


def test_a_boundary_too_many_counts_too() -> None:
    # Windows of two gaps (eight sentences, two segments): 00 00 01 10 00 00 against 01 10 01 10 00 00.
    assert pk(gaps("0001000"), gaps("0101000")) == pytest.approx(2 / 6)


def test_short_segments_still_have_a_window() -> None:
    # Four sentences, four segments: half a segment is less than a gap.
    assert pk(gaps("111"), gaps("101")) == pytest.approx(1 / 3)


def test_one_segment_is_compared_too() -> None:
    # Five sentences in one segment: windows of two gaps, 01 11 10 against 00 00 00.
    assert pk(gaps("0000"), gaps("0110")) == pytest.approx(3 / 3)
    assert pk(gaps("0000"), gaps("0000")) == 0
    assert pk(gaps("0"), gaps("1")) == 1


@pytest.mark.parametrize(("reference", "hypothesis"), [("01", "010"), ("", "")])
def test_what_cannot_be_compared_is_refused(reference: str, hypothesis: str) -> None:
    with pytest.raises(ValueError):
        pk(gaps(reference), gaps(hypothesis))


def test_average_precision_of_a_ranking() -> None:
    # Boundaries at ranks 1 and 3: (1/1 + 2/3) / 2.
    assert average_precision(gaps("1010"), [0.9, 0.8, 0.7, 0.1]) == pytest.approx(5 / 6)


def test_average_precision_of_a_perfect_and_of_the_worst_ranking() -> None:
    assert average_precision(gaps("0011"), [0.1, 0.2, 0.8, 0.9]) == 1
    assert average_precision(gaps("1000"), [0.1, 0.2, 0.8, 0.9]) == pytest.approx(1 / 4)


def test_average_precision_needs_a_boundary() -> None:
    with pytest.raises(ValueError):
        average_precision(gaps("000"), [1.0, 2.0, 3.0])


def test_the_lowest_scores_are_cut_and_the_first_of_equal_ones() -> None:
    assert lowest_cuts([0.5, 0.1, 0.1, 0.9], 1) == gaps("0100")
    assert lowest_cuts([0.5, 0.1, 0.1, 0.9], 3) == gaps("1110")
    assert lowest_cuts([0.5, 0.1], 0) == gaps("00")
