"""The measures of the one search, on values worked out by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks.chunkers.model import Piece
from benchmarks.chunkers.retrieval import TokenOffsets, bm25, fuse, recall_at, token_iou
from benchmarks.chunkers.sets import Question
from benchmarks.chunkers.workshop import Workshop


class Words(Workshop):
    """Counts words as tokens."""

    def _tokens(self, text: str) -> int:
        return len(text.split())


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Words(tmp_path, tmp_path)


def piece(start: int, end: int, text: str = "", document: int = 0) -> Piece:
    return Piece(document, start, end, text)


def test_one_chunk_must_cover_half_of_a_single_span() -> None:
    question = Question("?", 0, ((10, 20),))
    assert recall_at([piece(0, 15)], question) == 1
    assert recall_at([piece(0, 14), piece(14, 16), piece(16, 30)], question) == 0
    assert recall_at([piece(0, 12), piece(12, 40)], question) == 1
    assert recall_at([], question) == 0


def test_another_document_does_not_answer() -> None:
    assert recall_at([piece(0, 50, document=1)], Question("?", 0, ((10, 20),))) == 0


def test_several_spans_count_what_the_chunks_cover_together() -> None:
    question = Question("?", 0, ((0, 10), (100, 130)))
    assert recall_at([piece(0, 50)], question) == pytest.approx(10 / 40)
    assert recall_at([piece(0, 50), piece(5, 115)], question) == pytest.approx(25 / 40)


def test_tokens_of_a_stretch_are_those_of_its_words(workshop: Workshop) -> None:
    offsets = TokenOffsets("ab  cd ef", workshop)
    assert offsets.between(0, 9) == pytest.approx(3)
    assert offsets.between(1, 5) == pytest.approx(1)


def test_iou_counts_context_lines_and_repeats(workshop: Workshop) -> None:
    text = "a b c d e f"
    offsets = TokenOffsets(text, workshop)
    question = Question("?", 0, ((4, 7),))  # c d
    # Two of the answer's tokens in four retrieved ones, two of them a context line.
    assert token_iou([piece(4, 7, "x y c d")], question, offsets, workshop) == pytest.approx(2 / 4)
    # c twice, d once, and b: one of the two is covered twice but shared once.
    found = [piece(2, 5, "b c"), piece(4, 7, "c d")]
    assert token_iou(found, question, offsets, workshop) == pytest.approx(2 / 4)
    assert token_iou([piece(8, 11, "e f")], question, offsets, workshop) == 0


def test_bm25_of_a_small_collection() -> None:
    scores = bm25(["a b", "b b c d"], ["a", "b z", "a a"])
    # a: in one of two documents; b: in both. Lengths 2 and 4, mean 3.
    idf_a, idf_b = math.log(1 + 1.5 / 1.5), math.log(1 + 0.5 / 2.5)
    short, long = 1.2 * (0.25 + 0.75 * 2 / 3), 1.2 * (0.25 + 0.75 * 4 / 3)
    assert scores[0] == pytest.approx([idf_a * 2.2 / (1 + short), 0])
    assert scores[1] == pytest.approx([idf_b * 2.2 / (1 + short), idf_b * 2 * 2.2 / (2 + long)])
    assert scores[2] == pytest.approx(scores[0])


def test_ranks_are_fused_and_a_chunk_without_a_common_word_gets_nothing_for_words() -> None:
    fused = fuse(np.array([[0.9, 0.1, 0.5]]), np.array([[0.0, 3.0, 1.0]]))
    assert fused[0] == pytest.approx([1 / 61, 1 / 63 + 1 / 61, 1 / 62 + 1 / 62])


def test_a_text_is_cut_to_what_the_embedder_reads(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, tmp_path)
    assert workshop.fixed_tokens == 2 * workshop.counter.count("a") - workshop.counter.count("a a")
    fitting = workshop.fitting("word " * 2000)
    assert workshop.counter.limit - 2 <= workshop.counter.count(fitting) <= workshop.counter.limit
    assert workshop.fitting("two  words") == "two  words"
