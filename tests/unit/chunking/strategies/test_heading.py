from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from extraction.builder import DocumentBuilder
from rubrica.model import ElementKind
from tests.support.chunking_parts import document
from tests.support.strategies import strategy_chunker

P, H = ElementKind.PARAGRAPH, ElementKind.HEADING


def outline(*sections: tuple[int, int]) -> DocumentBuilder:
    """Sections by level of their heading and number of words; level 0 has no heading."""
    builder = DocumentBuilder()
    for number, (level, words) in enumerate(sections):
        if level:
            builder.add(H, f"H{number}", level=level)
        if words:
            builder.add(P, " ".join(["word"] * words) + ".")
    return builder


def groups(builder: DocumentBuilder, **settings: Any) -> list[list[str]]:
    """Headings of each chunk."""
    cut = strategy_chunker("heading", context_line=False, **settings)
    chunks = cut.chunk_one(document(builder)).chunks
    return [[line for line in chunk.body.splitlines() if line.startswith("H")] for chunk in chunks]


@pytest.mark.parametrize("structure_rules", [True, False])
def test_a_section_is_a_chunk(*, structure_rules: bool) -> None:
    builder = outline((0, 12), (1, 12), (2, 12), (2, 12), (1, 12))
    found = groups(builder, max_tokens=200, structure_rules=structure_rules)
    assert found == [[], ["H1"], ["H2"], ["H3"], ["H4"]]


def test_headings_in_a_row_open_one_section() -> None:
    assert groups(outline((1, 12), (1, 0), (2, 0), (3, 12))) == [["H0"], ["H1", "H2", "H3"]]


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        # Siblings first, and not across the end of their parent.
        ([(1, 12), (2, 3), (2, 3), (1, 12)], [["H0", "H1", "H2"], ["H3"]]),
        ([(1, 12), (2, 12), (2, 3), (1, 12)], [["H0"], ["H1", "H2"], ["H3"]]),
        # A parent with little text of its own goes with its first child.
        ([(1, 12), (1, 3), (2, 12), (2, 12)], [["H0"], ["H1", "H2"], ["H3"]]),
        # The last small child of one parent does not go to the next.
        ([(1, 34), (2, 3), (1, 12)], [["H0"], ["H1"], ["H2"]]),
        # Nothing that it fits to.
        ([(1, 34), (1, 3), (1, 34)], [["H0"], ["H1"], ["H2"]]),
    ],
)
def test_small_sections_are_merged_upward(
    sections: Sequence[tuple[int, int]], expected: list[list[str]]
) -> None:
    assert groups(outline(*sections)) == expected


def test_without_a_minimum_nothing_is_merged() -> None:
    assert groups(outline((1, 3), (2, 3), (2, 3)), min_tokens=0) == [["H0"], ["H1"], ["H2"]]


def test_a_long_section_is_cut_between_paragraphs() -> None:
    builder = outline((1, 12))
    builder.add(H, "Long", level=1)
    texts = [f"{'one ' * 7}end. {'two ' * 7}end." for _ in range(4)]
    for text in texts:
        builder.add(P, text)
    chunks = strategy_chunker("heading", context_line=False).chunk_one(document(builder)).chunks
    assert [chunk.body for chunk in chunks[1:]] == [
        "Long\n\n" + "\n\n".join(texts[:2]),
        "\n\n".join(texts[2:]),
    ]


def test_a_document_without_headings_is_cut_to_size() -> None:
    chunks = strategy_chunker("heading").chunk_one(document(outline(*[(0, 30)] * 4))).chunks
    assert [len(chunk.body.split()) for chunk in chunks] == [30] * 4


def test_a_heading_inside_a_clause_that_fits_does_not_tear_it() -> None:
    builder = DocumentBuilder()
    builder.add(H, "5 Loads", level=1)
    builder.add(P, "word " * 12)
    builder.add(H, "Remarks", level=2)
    builder.add(P, "word " * 12)
    (chunk,) = strategy_chunker("heading").chunk_one(document(builder)).chunks
    assert "Remarks" in chunk.body
