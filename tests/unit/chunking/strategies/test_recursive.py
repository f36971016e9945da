from __future__ import annotations

from extraction.builder import DocumentBuilder
from rubrica.model import ElementKind
from tests.support.chunking_parts import document, paragraphs
from tests.support.strategies import strategy_chunker

P, L = ElementKind.PARAGRAPH, ElementKind.LIST_ITEM


def words(count: int, letter: str = "w") -> str:
    return " ".join(f"{letter}{i}" for i in range(count)) + "."


def bodies(
    builder: DocumentBuilder, *, structure_rules: bool = False, media_type: str = "text/markdown"
) -> list[str]:
    cut = strategy_chunker("recursive", structure_rules=structure_rules)
    return [chunk.body for chunk in cut.chunk_one(document(builder, media_type=media_type)).chunks]


def test_paragraphs_are_joined_while_they_fit() -> None:
    parts = [words(count) for count in (10, 10, 10, 10, 30, 5)]
    assert bodies(paragraphs(parts)) == [
        "\n\n".join(parts[:3]),
        parts[3],
        "\n\n".join(parts[4:]),
    ]


def test_a_long_paragraph_is_split_at_lines_then_sentences_then_words() -> None:
    lines = [words(20, "a"), words(12, "b"), f"{words(20, 'c')} {words(25, 'd')}", words(60, "e")]
    found = bodies(paragraphs(["\n".join(lines)]), media_type="text/plain")
    assert found[0] == "\n".join(lines[:2])
    assert found[1:3] == [words(20, "c"), words(25, "d")]
    assert " ".join(found[3:]) == lines[3]
    assert len(found[3].split()) == 37


def test_what_was_split_is_not_joined_with_its_neighbours() -> None:
    long = f"{words(30)} {words(10)}"
    assert bodies(paragraphs([words(5), long, words(5)])) == [words(5), words(30), words(10), words(5)]


def test_list_items_are_lines() -> None:
    builder = DocumentBuilder()
    builder.add(P, words(20))
    for i in range(3):
        builder.add(L, f"- {words(8, str(i))}", level=1)
    builder.add(P, words(15))
    assert [len(body.split()) for body in bodies(builder)] == [20, 27, 15]


def test_rules_come_before_separators() -> None:
    builder = DocumentBuilder()
    builder.add(P, words(25))
    builder.add(ElementKind.HEADING, "Heading", level=1)
    builder.add(P, words(20))
    assert [len(body.split()) for body in bodies(builder, structure_rules=True)] == [25, 21]
    assert [len(body.split()) for body in bodies(builder)] == [26, 20]
