"""What is made of a language model's answer, however wrong it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.strategies.agentic_answer import (
    Grouping,
    grouping_from_json,
    grouping_to_json,
    read_answer,
)
from rubrica.llm import LlmError


def said(*spans: tuple[Any, Any], **more: Any) -> str:
    chunks = [{"first": first, "last": last, "title": f"T{first}"} | more for first, last in spans]
    return json.dumps({"chunks": chunks})


def firsts(grouping: Grouping) -> list[int]:
    return [group.first for group in grouping.groups]


def test_a_sound_answer_is_taken_as_it_is() -> None:
    grouping = read_answer(said((1, 3), (4, 4), (5, 9), summary="Tells it."), 9)
    assert firsts(grouping) == [0, 3, 4]
    assert not grouping.mended
    assert not grouping.continues
    assert (grouping.groups[1].topic.title, grouping.groups[1].topic.summary) == ("T4", "Tells it.")


@pytest.mark.parametrize(
    ("spans", "wanted"),
    [
        ([(1, 3), (5, 9)], [0, 4]),
        ([(2, 9)], [0]),
        ([(1, 5), (3, 9)], [0, 2]),
        ([(5, 9), (1, 4)], [0, 4]),
        ([(1, 4), (5, 90)], [0, 4]),
        ([(1, 4), (1, 9), (5, 9)], [0, 4]),
        ([(1, 4), (50, 90), (5, 9)], [0, 4]),
        ([(1, 9), (0, 0)], [0]),
        ([(1, None), (4, "9")], [0, 3]),
        ([(1, 4), (True, 9), (5, 9)], [0, 4]),
    ],
    ids=[
        "left out",
        "late",
        "overlap",
        "order",
        "past the end",
        "twice",
        "beyond",
        "zero",
        "no last",
        "bool",
    ],
)
def test_what_can_be_mended_is(spans: list[tuple[Any, Any]], wanted: list[int]) -> None:
    grouping = read_answer(said(*spans), 9)
    assert firsts(grouping) == wanted
    assert grouping.mended


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I have been hacked.",
        "[]",
        "null",
        '{"chunks": {}}',
        '{"chunks": []}',
        '{"chunks": [1, 2, 3]}',
        '{"headings": []}',
        said((70, 80)),
        said((-1, 4), (100, 2), (1, 9)),
        "[" * 100_000,
        '{"chunks": [{"first": 1e999}]}',
        '{"chunks": [{"first": NaN}]}',
    ],
)
def test_what_cannot_be_mended_is_refused(answer: str) -> None:
    with pytest.raises(LlmError):
        read_answer(answer, 9)


@pytest.mark.parametrize("frame", ["```json\n{}\n```", "```\n{}```", "Here it is:\n```json\n{}\n```\nDone."])
def test_a_fence_and_thoughts_around_the_answer_do_no_harm(frame: str) -> None:
    answer = "<think>{ is it?</think>\n" + frame.format("X").replace("X", said((1, 9)))
    assert firsts(read_answer(answer, 9)) == [0]


def test_going_on_is_said_of_the_first_only() -> None:
    assert read_answer(said((1, 9), continues=True), 9).continues
    assert not read_answer(said((1, 9), continues="yes"), 9).continues


def test_titles_are_one_clean_short_line() -> None:
    """E04, E05: NUL and lone surrogates reach neither hashes nor the database."""
    title = "Нагрузки\x00 на\n\ud800 балку › и › так\u202eдалее. " + "слово " * 100
    (group,) = read_answer(said((1, 9), title=title, summary=7), 9).groups
    assert group.topic.title.startswith("Нагрузки на \ufffd балку и такдалее. слово")
    assert len(group.topic.title) <= 122
    assert group.topic.title.encode()
    assert group.topic.summary == ""


@given(
    spans=st.lists(st.tuples(st.integers(-3, 15), st.integers(-3, 15)), max_size=12),
    units=st.integers(1, 12),
)
def test_no_unit_is_lost_or_doubled(spans: list[tuple[int, int]], units: int) -> None:
    try:
        grouping = read_answer(said(*spans), units)
    except LlmError:
        return
    starts = firsts(grouping)
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    assert starts[-1] < units
    assert grouping_from_json(grouping_to_json(grouping), units) == grouping


@pytest.mark.parametrize(
    "stored",
    ["", "{}", "[1]", "null", "[true,false,[]]", '[true,false,[[3,"",""]]]', '[0,0,[[0,"",""],[0,"",""]]]',
     '[0,0,[["a","",""]]]', '[0,0,[[0,"",""],[12,"",""]]]', "[" * 100_000],
)  # fmt: skip
def test_a_spoilt_cache_is_a_miss(stored: str) -> None:
    assert grouping_from_json(stored, 12) is None


def test_an_open_fence_before_many_blanks_costs_little() -> None:
    """Looking for its end from every blank took cubic time: 100,000 of them would never end."""
    with pytest.raises(LlmError, match="not JSON"):
        read_answer("```json" + "\n" * 100_000 + '{"chunks": [', 5)
