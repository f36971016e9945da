"""The invariants that every strategy keeps on every document."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from chunking.plan import Plan
from chunking.rules import Severity
from rubrica.identity import chunk_ids
from rubrica.model import Chunk, Document, Element, ElementKind
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


def check_cuts(plan: Plan, starts: Sequence[int]) -> None:
    """No cut breaks a rule where what the rule holds together would have fitted, and forced cuts are made.

    Around a cut that breaks a rule, the stretch between the nearest cuts that break only lesser ones must
    be too long for a chunk.
    """
    layout = plan.layout
    severity = layout.severity
    assert list(starts) == sorted(set(starts))
    assert starts[0] == 0
    assert starts[-1] < layout.size
    assert set(layout.forced) <= set(starts)
    for cut in (start - 1 for start in starts[1:]):
        if severity[cut] <= Severity.FREE:
            continue
        first = max((i + 1 for i in range(cut) if severity[i] < severity[cut]), default=0)
        milder = (i + 1 for i in range(cut + 1, len(severity)) if severity[i] < severity[cut])
        stop = min(milder, default=layout.size)
        assert not layout.fits(first, stop), f"{severity[cut].name} at unit {cut + 1} of {first}–{stop}"


def check_structure(
    document: Document, chunks: Sequence[Chunk], counter: TokenCounter, max_tokens: int
) -> None:
    """Rows, tables, code blocks and clauses that fit are whole, told from the document alone.

    Args:
        document: What was chunked, with structure rules.
        chunks: What came out.
        counter: A tokenizer whose counts add up.
        max_tokens: The limit asked for.
    """
    limit = min(max_tokens, counter.limit)
    edges = [chunk.start for chunk in chunks[1:]]
    for element, before, after in _with_neighbours(document):
        if element.kind is ElementKind.TABLE:
            for row in _row_spans(document, element):
                _check_whole(document, row, edges, counter, limit)
        # A heading goes with the first unit, which may leave no room for the whole.
        led = before is not None and before.kind in {ElementKind.TITLE, ElementKind.HEADING}
        alone = element.clause is not None and after is not None and after.clause is not None
        if not led and (element.kind in {ElementKind.TABLE, ElementKind.CODE} or alone):
            _check_whole(document, (element.start, element.end), edges, counter, limit)


def _with_neighbours(document: Document) -> Iterator[tuple[Element, Element | None, Element | None]]:
    elements = document.elements
    yield from zip(elements, [None, *elements], [*elements[1:], None], strict=False)


def _row_spans(document: Document, table: Element) -> Iterator[tuple[int, int]]:
    start = table.start
    for line in document.text[table.start : table.end].split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def _check_whole(
    document: Document, span: tuple[int, int], edges: Sequence[int], counter: TokenCounter, limit: int
) -> None:
    text = document.text[slice(*span)]
    start = span[0] + len(text) - len(text.lstrip())
    inside = [edge for edge in edges if start < edge < start + len(text.strip())]
    assert not inside or counter.count(text) > limit, f"torn: {text!r}"
