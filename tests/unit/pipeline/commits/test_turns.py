"""When polled sources are looked at, and what is told of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pipeline.commits.model import Change
from pipeline.commits.turns import Look, Turns
from rubrica.model import SourceSpec
from sources.declared import DeclaredSource

NORMS = DeclaredSource(SourceSpec("norms", "git", "https://git.example.org/norms"), poll_s=300)
NEVER = DeclaredSource(SourceSpec("never", "git", "https://git.example.org/never"), poll_s=None)
MISSING, THERE = Look("a", reached=False), Look("a", reached=True)


def _turns(*sources: DeclaredSource) -> Turns:
    turns = Turns(jitter=lambda: 1.0)
    turns.keep(sources or (NORMS,), now=0)
    return turns


def test_a_source_is_asked_soon_then_once_in_its_interval_and_never_twice_at_once() -> None:
    turns = _turns(NORMS, NEVER)
    assert turns.due(now=5) == [NORMS]
    assert turns.due(now=1000) == []
    assert turns.seen(NORMS, THERE, now=1000) is None
    assert turns.due(now=1299) == []
    assert turns.due(now=1300) == [NORMS]


def test_what_is_missing_is_told_at_once_and_ever_more_seldom() -> None:
    turns = _turns()
    told = [second for second in range(0, 100_000, 10) if turns.seen(NORMS, MISSING, now=second)]
    pauses = [later - earlier for earlier, later in pairwise(told)]
    assert told[0] == 0
    assert pauses == [60, 120, 240, 480, 960, 1920, 3840, 7680, 15360, 21600, 21600, 21600]


def test_what_was_reached_or_runs_is_not_told_and_something_new_is_told_at_once() -> None:
    turns = _turns()
    assert turns.seen(NORMS, replace(MISSING, running=True), now=0) is None
    assert turns.seen(NORMS, MISSING, now=1) == Change("norms", "a")
    assert turns.seen(NORMS, Look("b", reached=False), now=2) == Change("norms", "b")
    assert turns.seen(NORMS, Look("b", reached=True), now=3) is None
    assert turns.seen(NORMS, Look("b", reached=False), now=4) == Change("norms", "b")


def test_after_a_restart_a_run_that_has_just_failed_is_given_a_minute() -> None:
    turns = _turns()
    assert turns.seen(NORMS, replace(MISSING, failed_s=20), now=0) is None
    assert turns.seen(NORMS, replace(MISSING, failed_s=59), now=39) is None
    assert turns.seen(NORMS, replace(MISSING, failed_s=61), now=41) == Change("norms", "a")
    assert _turns().seen(NORMS, replace(MISSING, failed_s=600), now=0) == Change("norms", "a")


def test_a_source_that_fails_is_asked_ever_more_seldom_until_it_answers() -> None:
    turns, now, pauses = _turns(), 0.0, []
    for count in range(1, 7):
        assert turns.failed(NORMS, now) == count
        later = next(second for second in range(1, 10_000) if turns.due(now + second))
        pauses.append(later)
        now += later
    assert pauses == [600, 1200, 2400, 3600, 3600, 3600]
    turns.seen(NORMS, THERE, now)
    assert turns.failed(NORMS, now) == 1


def test_a_source_that_is_declared_anew_forgets_and_one_that_is_gone_says_nothing() -> None:
    turns = _turns()
    assert turns.due(now=10) == [NORMS]
    moved = replace(NORMS, spec=replace(NORMS.spec, branch="draft"))
    turns.keep([moved], now=10)
    assert turns.seen(NORMS, MISSING, now=11) is None
    assert turns.failed(NORMS, now=11) == 0
    assert turns.due(now=20) == [moved]
    turns.keep([], now=20)
    assert turns.seen(moved, MISSING, now=21) is None
    assert turns.due(now=10_000) == []


def test_reading_the_same_file_again_changes_nothing() -> None:
    turns = _turns()
    turns.due(now=5)
    turns.seen(NORMS, THERE, now=5)
    turns.keep([replace(NORMS)], now=6)
    assert turns.due(now=304) == []


@given(st.lists(st.sampled_from(["a", "b", "reached", "running", "failed"]), max_size=60))
def test_whatever_happens_the_newest_missing_revision_is_told_in_the_end(events: list[str]) -> None:
    turns, now = _turns(), 0.0
    for event in events:
        now += 7
        if event == "failed":
            turns.failed(NORMS, now)
        else:
            look = Look(
                "a" if event in {"reached", "running"} else event, event == "reached", event == "running"
            )
            turns.seen(NORMS, look, now)
    assert turns.seen(NORMS, Look("last", reached=False), now + 1) == Change("norms", "last")
