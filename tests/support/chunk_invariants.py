"""The invariants that every strategy keeps on every document."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from rubrica.identity import chunk_ids
from rubrica.model import Chunk, Document
from rubrica.protocols import TokenCounter


def check_chunks(document: Document, chunks: Sequence[Chunk], counter: TokenCounter, max_tokens: int) -> None:
    """Assert that ``chunks`` are sound.

    Args:
        document: What was chunked.
        chunks: What came out.
        counter: The tokenizer that counts.
        max_tokens: The limit asked for.
    """
    check_bodies(document, chunks)
    check_tiling(document, chunks)
    check_limit(chunks, counter, max_tokens)
    check_texts(document, chunks)
    assert [chunk.id for chunk in chunks] == chunk_ids(document.id, [chunk.text for chunk in chunks])
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def check_bodies(document: Document, chunks: Sequence[Chunk]) -> None:
    """A body is what stands between its offsets, without blanks at its ends."""
    for ordinal, chunk in enumerate(chunks):
        assert chunk.ordinal == ordinal
        assert chunk.document_id == document.id
        assert document.text[chunk.start : chunk.end] == chunk.body
        assert chunk.body
        assert chunk.body == chunk.body.strip()


def check_tiling(document: Document, chunks: Sequence[Chunk]) -> None:
    """Every non-blank character is in exactly one body, and bodies come in order."""
    position = 0
    for chunk in chunks:
        assert chunk.start >= position
        assert not document.text[position : chunk.start].strip()
        position = chunk.end
    assert not document.text[position:].strip()
    starts = [chunk.start for chunk in chunks]
    assert all(left < right for left, right in itertools.pairwise(starts))


def check_limit(chunks: Sequence[Chunk], counter: TokenCounter, max_tokens: int) -> None:
    """The final text keeps the limit and its length is told truly."""
    for chunk in chunks:
        assert chunk.tokens == counter.count(chunk.text)
        assert chunk.tokens <= min(max_tokens, counter.limit)


def check_texts(document: Document, chunks: Sequence[Chunk]) -> None:
    """What is embedded ends with overlap and body."""
    for chunk in chunks:
        assert 0 <= chunk.overlap_start <= chunk.start
        assert chunk.text.endswith(document.text[chunk.overlap_start : chunk.end])
        if chunk.ordinal == 0:
            assert chunk.overlap_start == chunk.start
            assert chunk.boundary_score is None
