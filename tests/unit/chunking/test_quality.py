"""Chunk quality: figures by hand, exact sums, and a second opinion on what was torn."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking.quality import FIXED_POINT, SCORE_BOUNDS, TOKEN_BOUNDS, Quality, figures
from chunking.quality_measure import QualityMeter, SharedTexts
from chunking.quality_structure import StructureCheck
from extraction.builder import DocumentBuilder
from rubrica.model import Chunk, ChunkedDocument, Document, ElementKind
from rubrica.settings import ChunkingSettings
from tests.support.chunking_parts import WordCounter, chunker, document, paragraphs

P, H, T, C = ElementKind.PARAGRAPH, ElementKind.HEADING, ElementKind.TITLE, ElementKind.CODE


def by_hand(doc: Document, *bodies: str) -> ChunkedDocument:
    """Chunks with these bodies."""
    chunks, position = [], 0
    for ordinal, body in enumerate(bodies):
        position = doc.text.index(body, position)
        tokens = WordCounter().count(body)
        chunk = Chunk(
            str(ordinal), doc.id, ordinal, position, position + len(body), body, body, tokens, position
        )
        chunks.append(chunk)
        position += len(body)
    return ChunkedDocument(doc.id, tuple(chunks))


def measure(doc: Document, chunked: ChunkedDocument, **limits: Any) -> Quality:
    made = ChunkingSettings(**{"max_tokens": 40, "min_tokens": 10} | limits)
    return QualityMeter(made, WordCounter()).measure(doc, chunked)


# --- Sizes ---------------------------------------------------------------------------------------


def test_sizes_by_hand() -> None:
    doc = document(paragraphs(["one " * 5, "two " * 37, "six " * 10, "ten " * 10]))
    bodies = [doc.text[element.start : element.end].strip() for element in doc.elements]
    quality = measure(doc, by_hand(doc, *bodies))
    assert quality.tokens == {8: 1, 40: 1, 13: 2}
    assert (quality.chunks, quality.under_min, quality.at_max) == (4, 1, 1)
    shown = figures(quality)
    assert shown["tokens_mean"] == 18.5
    assert (shown["tokens_min"], shown["tokens_median"], shown["tokens_max"]) == (8, 13, 40)
    assert (shown["tokens_p5"], shown["tokens_p95"]) == (8, 40)
    assert shown["under_min_share"] == 0.25


def test_a_minimum_over_the_room_is_not_asked_for() -> None:
    doc = document(paragraphs(["one " * 37]))
    assert measure(doc, by_hand(doc, doc.text.strip()), min_tokens=40).under_min == 0


def test_nothing_has_no_figures() -> None:
    shown = figures(Quality())
    assert shown["chunks"] == 0
    assert shown["tokens_median"] is shown["tokens_mean"] is shown["sharpness"] is shown["tokens_min"] is None


def test_histograms_have_fixed_buckets() -> None:
    quality = Quality(tokens={16: 1, 17: 2, 9000: 4}, scores={0: 3, len(SCORE_BOUNDS): 5})
    assert quality.token_histogram() == [1, 2, *([0] * (len(TOKEN_BOUNDS) - 2)), 4]
    assert quality.score_histogram() == [3, *([0] * (len(SCORE_BOUNDS) - 1)), 5]
    assert list(TOKEN_BOUNDS) == sorted(set(TOKEN_BOUNDS))
    assert list(SCORE_BOUNDS) == sorted(set(SCORE_BOUNDS))


def test_duplicates_inside_a_document_and_across() -> None:
    """C08: two identical pages."""
    one = document(paragraphs(["Same here.", "Other one.", "Same here.", "Same here."]))
    two = replace(document(paragraphs(["Same here.", "Else."])), id="two")
    first = by_hand(one, "Same here.", "Other one.", "Same here.", "Same here.")
    second = by_hand(two, "Same here.", "Else.")
    assert measure(one, first).duplicates == 2
    assert measure(two, second).duplicates == 0
    shared = SharedTexts()
    shared.add(first.chunks)
    assert shared.count == 0
    shared.add(second.chunks)
    assert shared.count == 4


def test_chunks_that_begin_inside_a_sentence_are_counted() -> None:
    doc = document(paragraphs(["A short one here.", "word " * 100]))
    chunked = chunker().chunk_one(doc)
    inside = [chunk for chunk in chunked.chunks if chunk.start > doc.elements[1].start]
    assert measure(doc, chunked).fragments == chunked.fragments == len(inside) == 2


# --- Cuts ----------------------------------------------------------------------------------------


def test_sharpness_and_cohesion_by_hand() -> None:
    names = ["Aa", "Bb", "Cc", "Dd", "Ee", "Ff", "Gg", "Hh", "Ii", "Jj"]
    doc = document(paragraphs([f"{name} one two." for name in names]))
    starts = [element.start for element in doc.elements]
    # Nine cuts with scores 0 to 8; the one with 0 is made.
    scores = {start: float(i) for i, start in enumerate(starts[1:])}
    bodies = [doc.text[: starts[1]].strip(), doc.text[starts[1] :]]
    chunked = replace(by_hand(doc, *bodies), cut_scores=scores)
    shown = figures(measure(doc, chunked))
    assert shown["boundary_score"] == 0
    assert shown["cohesion"] == 4.5
    assert shown["sharpness_rank"] == 0
    # Median 4, quartiles 2 and 6.
    assert shown["sharpness"] == pytest.approx(4 / (4 / 1.349), abs=1e-4)


def test_few_or_equal_scores_tell_no_sharpness() -> None:
    doc = document(paragraphs([f"Sentence {i} is here." for i in range(12)]))
    starts = [element.start for element in doc.elements]
    chunked = by_hand(doc, doc.text[: starts[4]].strip(), doc.text[starts[4] :])
    few = replace(chunked, cut_scores={start: float(start) for start in starts[1:7]})
    equal = replace(chunked, cut_scores=dict.fromkeys(starts[1:], 1.0))
    assert figures(measure(doc, few))["sharpness"] is None
    assert figures(measure(doc, equal))["sharpness"] is None
    assert figures(measure(doc, equal))["cohesion"] == 1


def test_the_chunker_tells_all_scores() -> None:
    doc = document(paragraphs([" ".join(f"Sentence {i} is here." for i in range(60))]))
    chunked = chunker().chunk_one(doc)
    assert len(chunked.cut_scores) == chunked.stats.pairs_scored == 59
    for chunk in chunked.chunks[1:]:
        assert chunked.cut_scores[chunk.start] == chunk.boundary_score
    quality = measure(doc, chunked)
    assert quality.cuts_made + quality.cuts_inside == 59
    assert quality.cuts_made == len(chunked.chunks) - 1 == sum(quality.score_histogram())
    assert quality.rank_sum < 0.5 * quality.ranked * FIXED_POINT


# --- What was torn -------------------------------------------------------------------------------


def norm() -> Document:
    builder = DocumentBuilder()
    builder.add(H, "5 Loads", level=1)
    builder.add(P, "5.1 Snow lies on roofs.")
    builder.add(P, "It is heavy when it is wet.")
    builder.add(H, "Remarks", level=2)
    builder.add(P, "5.2 Wind blows on walls. It has no mercy.")
    builder.add_table([["mark", "class"], ["a", "b"], ["c", "d"]], header_rows=1)
    return document(builder)


def test_whole_structures_are_not_torn() -> None:
    doc = norm()
    quality = measure(doc, by_hand(doc, doc.text))
    assert (quality.tables, quality.clauses, quality.headings) == (1, 3, 2)
    assert (quality.tables_torn, quality.clauses_torn, quality.headings_parted) == (0, 0, 0)


@pytest.mark.parametrize(
    ("before", "torn"),
    [
        ("It is heavy", "clauses"),
        ("5.1 Snow", "headings"),
        ("5.2 Wind", "headings"),
        ("Remarks", ""),
        ("It has no mercy", "clauses"),
        ("a | b", "both"),
    ],
)
def test_a_wrong_cut_is_found(before: str, torn: str) -> None:
    """A partition with a fault would show here: the chunks are made by hand."""
    doc = norm()
    cut = doc.text.index(before)
    quality = measure(doc, by_hand(doc, doc.text[:cut].strip(), doc.text[cut:]), max_tokens=60)
    wanted = {"": (0, 0, 0), "clauses": (0, 1, 0), "headings": (0, 0, 1), "both": (1, 1, 0)}[torn]
    assert (quality.tables_torn, quality.clauses_torn, quality.headings_parted) == wanted


def test_what_does_not_fit_is_not_torn() -> None:
    builder = DocumentBuilder()
    builder.add(P, "5.1 " + "word " * 60)
    builder.add(P, "5.2 Short.")
    builder.add_table([["mark", "class"], *([f"a{i}", "b"] for i in range(30))], header_rows=1)
    doc = document(builder)
    chunked = chunker().chunk_one(doc)
    assert len(chunked.chunks) > 3
    quality = measure(doc, chunked)
    assert (quality.tables, quality.tables_torn, quality.clauses, quality.clauses_torn) == (1, 0, 2, 0)


def test_an_empty_first_cell_is_no_tear() -> None:
    builder = DocumentBuilder()
    builder.add(P, "Before the table.")
    builder.add_table([["", "class"], ["a", "b"]], header_rows=1)
    doc = document(builder)
    assert doc.text[doc.elements[1].start].isspace()
    assert measure(doc, by_hand(doc, "Before the table.", "| class\na | b")).tables_torn == 0


def test_headings_come_before_tables() -> None:
    """A table that fits only without the heading above it may be cut, for the heading may not be parted."""
    builder = DocumentBuilder()
    builder.add(H, "heading " * 8, level=1)
    builder.add_table([[f"a{i}", "b"] for i in range(11)], header_rows=0)
    doc = document(builder)
    cut = doc.text.index("a9")
    assert measure(doc, by_hand(doc, doc.text[:cut].strip(), doc.text[cut:])).tables_torn == 0
    assert measure(doc, by_hand(doc, doc.text[:cut].strip(), doc.text[cut:]), max_tokens=80).tables_torn == 1


@pytest.mark.parametrize(
    ("paragraph", "parted"),
    [
        pytest.param("word " * 20 + "of them. And more.", 1, id="the first sentence fits below the heading"),
        pytest.param("word " * 32 + "of them. And more.", 0, id="it fits only alone"),
        pytest.param(
            "word " * 32 + "of 13. And" + " more" * 30, 0, id="it may end there, and fits only alone"
        ),
        pytest.param("word " * 70, 1, id="it fits nowhere, so its first words should stay"),
    ],
)
def test_a_heading_is_parted_where_its_first_sentence_would_have_fitted(paragraph: str, parted: int) -> None:
    builder = DocumentBuilder()
    builder.add(H, "heading " * 4, level=1)
    builder.add(P, paragraph)
    doc = document(builder)
    cut = doc.text.index("word")
    quality = measure(doc, by_hand(doc, doc.text[:cut].strip(), doc.text[cut:].strip()))
    assert quality.headings_parted == parted


def test_long_text_is_not_counted_whole() -> None:
    asked: list[int] = []

    def fits(text: str) -> bool:
        asked.append(len(text))
        return len(text) <= 1000

    doc = document(paragraphs(["5.1 " + "word " * 100_000, "5.2 Short."]))
    breaches = StructureCheck(doc, [0, 5, 50], fits).run()
    assert (breaches.clauses, breaches.clauses_torn) == (2, 0)
    assert max(asked) < 10_000


_line = st.lists(
    st.sampled_from(["плита", "the", "end.", "Beam.", "5.2", "так:", "ы" * 30]), min_size=1, max_size=15
)
_text = st.builds(
    lambda number, words: number + " ".join(words), st.sampled_from(["", "", "5.1 ", "6 ", "7.2.1 "]), _line
)
_element = st.tuples(st.sampled_from([P, P, P, H, H, C, ElementKind.LIST_ITEM]), _text)
_table = st.lists(st.lists(_line.map(" ".join), min_size=2, max_size=2), min_size=1, max_size=8)


@given(parts=st.lists(_element | _table, min_size=1, max_size=12), most=st.sampled_from([24, 40, 80]))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_chunker_tears_nothing(parts: Sequence[Any], most: int) -> None:
    builder = DocumentBuilder()
    for part in parts:
        if isinstance(part, tuple):
            builder.add(part[0], part[1], level=1 if part[0] is H else None)
        else:
            builder.add_table(part, header_rows=1)
    doc = document(builder)
    quality = measure(doc, chunker(max_tokens=most).chunk_one(doc), max_tokens=most)
    assert (quality.tables_torn, quality.clauses_torn) == (0, 0)


# --- Sums ----------------------------------------------------------------------------------------


def test_the_sum_does_not_depend_on_order_and_is_that_of_the_whole() -> None:
    docs = [
        document(paragraphs([" ".join(f"Word{i} number {j} is here." for j in range(20 + i))]), path=str(i))
        for i in range(8)
    ]
    parts = [measure(doc, chunker().chunk_one(doc)) for doc in docs]
    total = reduce(Quality.__add__, parts)
    random.Random(1).shuffle(parts)
    assert reduce(Quality.__add__, parts, Quality()) == total
    assert total.documents == 8
    assert total.chunks == sum(total.tokens.values()) == sum(part.chunks for part in parts)
    assert Quality.from_counts(total.counts()) == total
    assert all(type(count) is int for count in total.counts().values())
