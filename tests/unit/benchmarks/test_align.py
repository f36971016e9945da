"""Offsets carried from one text to another."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.chunkers.align import AlignmentError, Printed, locate, map_spans


def test_spans_move_with_blanks_and_marks() -> None:
    original = "\ufeff== Заглавие ==\nОдин  два\n\nтри."
    extracted = "Заглавие\n\nОдин два\nтри."
    (span,) = map_spans(original, extracted, [(original.index("два"), len(original))])
    assert extracted[slice(*span)] == "два\nтри."


def test_composed_characters_count_once() -> None:
    original = unicodedata.normalize("NFD", "ёж и йод")
    start = original.index("и", 3)
    (span,) = map_spans(original, "ёж и йод", [(start, start + 1)])
    assert span == (3, 4)


def test_a_changed_text_is_refused() -> None:
    for original, extracted in (("one two", "one too"), ("one two", "one"), ("one", "one two")):
        with pytest.raises(AlignmentError, match="changed"):
            map_spans(original, extracted, [(0, 3)])


def test_a_blank_span_is_refused() -> None:
    with pytest.raises(AlignmentError, match="nothing"):
        map_spans("one  two", "one two", [(3, 5)])


def test_chunks_are_found_in_order_though_the_same_words_come_again() -> None:
    text = "da capo. da\ncapo. fine."
    assert locate(Printed(text), ["da capo.", " da capo. ", "fine."]) == [(0, 8), (9, 17), (18, 23)]


def test_overlapping_chunks_are_found() -> None:
    text = "a b c d"
    assert locate(Printed(text), ["a b c", "c d"]) == [(0, 5), (4, 7)]


def test_a_chunk_that_is_not_there_is_refused() -> None:
    with pytest.raises(AlignmentError, match="not in its document"):
        locate(Printed("a b"), ["a b", "a"])


@given(st.text(alphabet="aб \n\u00a0\ufeff.", min_size=1), st.data())
def test_any_stretch_is_found_again_after_blanks_collapse(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    stretch = Printed(text[start:end]).text
    extracted = " ".join(text.replace("\ufeff", "").split())
    if not stretch:
        return
    (span,) = map_spans(text, extracted, [(start, end)])
    assert Printed(extracted[slice(*span)]).text == stretch
