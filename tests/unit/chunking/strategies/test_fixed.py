from __future__ import annotations

from extraction.builder import DocumentBuilder
from rubrica.model import ElementKind
from tests.support.chunking_parts import WordCounter, document, paragraphs
from tests.support.strategies import strategy_chunker

P, H = ElementKind.PARAGRAPH, ElementKind.HEADING


def test_windows_are_full_and_end_at_words() -> None:
    text = " ".join(f"w{i}." for i in range(200))
    chunks = strategy_chunker("fixed").chunk_one(document(paragraphs([text]))).chunks
    assert [chunk.tokens for chunk in chunks[:-1]] == [40] * (len(chunks) - 1)
    assert " ".join(chunk.body for chunk in chunks) == text
    assert all(chunk.boundary_score is None for chunk in chunks)


def test_sentences_and_paragraphs_are_no_matter() -> None:
    doc = document(paragraphs(["One two three. Four five six."] * 20))
    chunks = strategy_chunker("fixed").chunk_one(doc).chunks
    assert [len(chunk.body.split()) for chunk in chunks] == [37, 37, 37, 9]


def test_the_overlap_is_carried_beside_the_window() -> None:
    doc = document(paragraphs([" ".join(f"w{i}" for i in range(100))]))
    chunks = strategy_chunker("fixed", overlap=7).chunk_one(doc).chunks
    assert all(
        len(doc.text[chunk.overlap_start : chunk.start].split()) == 7 and chunk.tokens <= 40
        for chunk in chunks[1:]
    )


def test_chinese_is_cut_between_characters_though_it_has_no_blanks() -> None:
    class Characters(WordCounter):
        def count(self, text: str) -> int:
            return 3 + sum(len(word) for word in text.split())

    doc = document(paragraphs(["漢字仮名交じり文" * 30]))
    chunks = strategy_chunker("fixed", Characters()).chunk_one(doc).chunks
    assert min(chunk.tokens for chunk in chunks[:-1]) > 30


def test_a_word_that_fits_is_not_cut() -> None:
    doc = document(paragraphs([f"{'a' * 20} " * 12 + "b" * 190 + " end"]))
    chunks = strategy_chunker("fixed").chunk_one(doc).chunks
    assert any("b" * 190 in chunk.body for chunk in chunks)


def test_with_rules_clauses_are_whole_without_them_windows_are_full() -> None:
    builder = DocumentBuilder()
    for number in range(1, 9):
        builder.add(H, f"{number} Chapter", level=1)
        builder.add(P, f"{number}.1 " + "word " * 22)
    doc = document(builder)
    ruled = strategy_chunker("fixed").chunk_one(doc).chunks
    assert [chunk.clauses for chunk in ruled] == [(str(i), f"{i}.1") for i in range(1, 9)]
    plain = strategy_chunker("fixed", structure_rules=False).chunk_one(doc).chunks
    assert [chunk.tokens for chunk in plain[:-1]] == [40] * (len(plain) - 1)
