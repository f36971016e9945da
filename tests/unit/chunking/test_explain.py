"""Explanations name every cut, its score and what lies there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.explain import CutKind, Explanation, cuts_of_chunks
from extraction.builder import DocumentBuilder
from rubrica.model import ElementKind
from tests.support.chunking_parts import chunker, document, paragraphs

SENTENCE = "The load of the deck rises with the water every day."


def explain(builder: DocumentBuilder) -> Explanation:
    return chunker().explain(document(builder))


def kinds(explanation: Explanation) -> dict[str, CutKind]:
    """Kind of each cut, by the text right of it."""
    text = explanation.document.text
    return {text[cut.position :].split("\n")[0]: cut.kind for cut in explanation.cuts()}


@given(
    st.lists(st.text("ab .\n№é", min_size=1, max_size=90).filter(str.strip), max_size=8),
    st.sampled_from(["optimal", "window", "full"]),
    st.booleans(),
)
def test_an_explanation_has_the_chunks_of_a_plain_call_and_each_start_among_its_cuts(
    texts: list[str], mode: str, structure: bool
) -> None:
    made = document(paragraphs(texts))
    subject = chunker(max_tokens=20, min_tokens=4, mode=mode, structure_rules=structure)
    explanation = subject.explain(made)
    assert explanation.chunked == subject.chunk_one(made)
    cuts = explanation.cuts()
    positions = [cut.position for cut in cuts]
    assert positions == sorted(set(positions))
    starts = {cut.position: cut for cut in cuts if cut.chunk is not None}
    assert {start: cut.chunk for start, cut in starts.items()} == {
        chunk.start: chunk.ordinal for chunk in explanation.chunks[1:]
    }
    for chunk in explanation.chunks[1:]:
        assert starts[chunk.start].score == chunk.boundary_score


def test_cuts_that_were_scored_but_not_made_are_told_with_their_score() -> None:
    explanation = explain(paragraphs([SENTENCE] * 8))
    passed = [cut for cut in explanation.cuts() if cut.chunk is None]
    assert passed
    assert all(cut.score is not None and cut.kind is CutKind.FREE for cut in passed)


def test_what_lies_at_a_cut_is_named() -> None:
    builder = DocumentBuilder()
    builder.add(ElementKind.HEADING, "Loads", level=1)
    builder.add(ElementKind.PARAGRAPH, f"{SENTENCE} These are:")
    builder.add(ElementKind.LIST_ITEM, "snow")
    builder.add(ElementKind.CODE, "import deck\n\ndef load():\n    return 4")
    found = kinds(explain(builder))
    assert found[f"{SENTENCE} These are:"] is CutKind.HEADING
    assert found["snow"] is CutKind.LEAD_IN
    assert found["def load():"] is CutKind.CODE


def test_rows_clauses_and_sizes_are_named() -> None:
    builder = DocumentBuilder()
    builder.add(ElementKind.PARAGRAPH, SENTENCE)
    builder.add(ElementKind.PARAGRAPH, " ".join([f"5.1 {SENTENCE}"] * 6), clause="5.1")
    builder.add(ElementKind.PARAGRAPH, "5.2 short clause. Of two sentences.", clause="5.2")
    builder.add(ElementKind.PARAGRAPH, "x" * 600, clause="5.3")
    builder.add_table([["place", "load"], ["deck", "4"], ["ramp", "3"]], header_rows=1)
    explanation = explain(builder)
    text = explanation.document.text
    found = {cut.kind for cut in explanation.cuts()}
    assert {CutKind.CLAUSE, CutKind.WHOLE, CutKind.SIZE, CutKind.ROW} <= found
    forced = next(cut for cut in explanation.cuts() if cut.kind is CutKind.CLAUSE)
    assert text.startswith("5.1", forced.position)
    assert forced.chunk is not None
    sizes = [cut for cut in explanation.cuts() if cut.kind is CutKind.SIZE]
    assert all(cut.chunk is not None and cut.score is None for cut in sizes)


@pytest.mark.parametrize("texts", [[], ["One sentence only."]])
def test_a_document_without_cuts_has_none_to_explain(texts: list[str]) -> None:
    explanation = explain(paragraphs(texts))
    assert explanation.cuts() == []
    assert len(explanation.chunks) == len(texts)


def test_stored_chunks_tell_of_their_own_cuts() -> None:
    explanation = explain(paragraphs([SENTENCE] * 8))
    cuts = cuts_of_chunks(explanation.chunks)
    assert [(cut.position, cut.score, cut.chunk) for cut in cuts] == [
        (chunk.start, chunk.boundary_score, chunk.ordinal) for chunk in explanation.chunks[1:]
    ]
