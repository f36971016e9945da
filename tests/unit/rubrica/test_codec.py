from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rubrica import codec
from rubrica.model import Chunk, Document, Element, ElementKind

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
elements = st.builds(
    Element,
    kind=st.sampled_from(ElementKind),
    start=st.integers(0, 9),
    end=st.integers(0, 9),
    heading_path=st.lists(texts, max_size=2).map(tuple),
    rows=st.lists(st.lists(texts, max_size=2).map(tuple), max_size=2).map(tuple),
    bbox=st.none() | st.tuples(*[st.floats(0, 9)] * 4),
)
documents = st.builds(
    Document,
    **dict.fromkeys(
        ("id", "source", "path", "revision", "content_hash", "media_type", "language", "title", "text"), texts
    ),
    elements=st.lists(elements, max_size=3).map(tuple),
    attributes=st.dictionaries(texts, texts | st.integers(), max_size=2),
)
chunks = st.builds(
    Chunk,
    **dict.fromkeys(("id", "document_id", "body", "text"), texts),
    **dict.fromkeys(("ordinal", "start", "end", "tokens", "overlap_start"), st.integers(0, 9)),
    clauses=st.lists(texts, max_size=2).map(tuple),
    kind=st.sampled_from(ElementKind),
    boundary_score=st.none() | st.floats(-9, 9),
)


@given(documents)
def test_a_document_survives_json(document: Document) -> None:
    assert codec.document_from_json(codec.document_to_json(document)) == document


@given(st.lists(chunks, max_size=3))
def test_chunks_survive_json_lines(items: list[Chunk]) -> None:
    assert codec.chunks_from_jsonl(codec.chunks_to_jsonl(items)) == items
