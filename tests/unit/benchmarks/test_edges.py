"""Chunk edges as boundaries between sentences."""

from __future__ import annotations

from benchmarks.chunkers.model import Piece
from benchmarks.chunkers.segmentation import edges
from benchmarks.chunkers.sets import SegmentedText, read_file

_SENTENCES = ("One is here.", "Two is there.", "Three is nowhere.")


def boundaries(*starts: int) -> list[bool]:
    text = " ".join(_SENTENCES)
    document = read_file(text, "0.txt")
    assert document.text == text
    pieces = [Piece(0, start, start + 1, "") for start in (0, *starts)]
    return edges(SegmentedText("en", _SENTENCES, (False, False)), document, pieces)


def test_an_edge_at_a_sentence_is_a_boundary_before_it() -> None:
    assert boundaries(13) == [True, False]
    assert boundaries(27) == [False, True]
    assert boundaries(13, 27) == [True, True]


def test_an_edge_inside_a_sentence_counts_at_the_nearest_start() -> None:
    assert boundaries(15) == [True, False]
    assert boundaries(25) == [False, True]


def test_an_edge_near_the_first_sentence_still_counts_at_the_first_gap() -> None:
    assert boundaries(4) == [True, False]


def test_one_chunk_has_no_boundary() -> None:
    assert boundaries() == [False, False]
