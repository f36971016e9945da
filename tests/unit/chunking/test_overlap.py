from __future__ import annotations

import pytest

from tests.support.chunk_invariants import check_chunks
from tests.support.chunking_parts import WordCounter, chunker, document, paragraphs, sentences


@pytest.mark.parametrize("mode", ["optimal", "window", "full"])
def test_overlap_carries_whole_sentences_beside_the_body(mode: str) -> None:
    doc = document(paragraphs([sentences(40)]))
    chunks = chunker(overlap=12, mode=mode).chunk_one(doc).chunks
    check_chunks(doc, chunks, WordCounter(), 40)
    for chunk in chunks[1:]:
        carried = doc.text[chunk.overlap_start : chunk.start]
        assert carried.startswith("Word")
        assert 5 <= len(carried.split()) <= 12


def test_overlap_of_a_long_sentence_is_its_last_words() -> None:
    doc = document(paragraphs(["word " * 300]))
    chunks = chunker(overlap=7).chunk_one(doc).chunks
    assert {doc.text[c.overlap_start : c.start].strip() for c in chunks[1:]} == {" ".join(["word"] * 7)}


def test_overlap_does_not_look_through_an_endless_word() -> None:
    """Counting all of it again for every chunk made the time quadratic."""

    class Counter(WordCounter):
        characters = 0

        def count(self, text: str) -> int:
            self.characters += len(text)
            return super().count(text)

    doc = document(paragraphs(["x" * 30_000]))
    counted = []
    for overlap in (0, 7):
        counter = Counter()
        chunks = chunker(counter, overlap=overlap).chunk_one(doc).chunks
        assert all(chunk.overlap_start == chunk.start for chunk in chunks)
        counted.append(counter.characters)
    assert counted[1] < 2 * counted[0]


def test_overlap_of_repeated_sentences_has_its_own_offsets() -> None:
    doc = document(paragraphs(["The same words again. " * 30]))
    chunks = chunker(overlap=8).chunk_one(doc).chunks
    check_chunks(doc, chunks, WordCounter(), 40)
