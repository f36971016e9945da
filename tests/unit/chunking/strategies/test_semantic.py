from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest

from chunking.factory import build_chunker
from chunking.strategies.parts import StrategyParts, build_strategy
from chunking.strategies.semantic import side_after, side_before
from chunking.strategies.vectors import PassageVectors
from chunking.vector_cache import text_key
from extraction.builder import DocumentBuilder
from rubrica.errors import ConfigurationError
from rubrica.model import Chunk, ElementKind
from rubrica.settings import ChunkingSettings
from tests.support.chunking_parts import WordCounter, document, paragraphs
from tests.support.strategies import EMBEDDING, strategy_chunker
from tests.support.vectors import BagEmbedder, MemoryVectors

_TOPICS = ["snow load roof weight", "fire exit door smoke", "concrete class layer mix"]


def topic(number: int, sentences: int, first: int = 0) -> str:
    return " ".join(f"{_TOPICS[number].capitalize()} n{first + i}." for i in range(sentences))


def chunks_of(text: str, max_tokens: int = 400, min_tokens: int = 0, **settings: Any) -> list[Chunk]:
    cut = strategy_chunker(
        "semantic", structure_rules=False, max_tokens=max_tokens, min_tokens=min_tokens, **settings
    )
    return list(cut.chunk_one(document(paragraphs([text]))).chunks)


def first_words(text: str, **settings: Any) -> list[str]:
    return [chunk.body.split()[0] for chunk in chunks_of(text, **settings)]


def test_cuts_where_the_topic_changes() -> None:
    text = " ".join(topic(number, 8) for number in range(3))
    found = first_words(text, semantic_percentile=92, semantic_neighbours=0)
    assert found == ["Snow", "Fire", "Concrete"]


def test_neighbours_outvote_a_sentence_that_stands_alone() -> None:
    text = f"{topic(0, 4)} {topic(1, 1)} {topic(0, 4, 4)} {topic(2, 9)}"
    alone = first_words(text, semantic_percentile=85, semantic_neighbours=0)
    windowed = first_words(text, semantic_percentile=95, semantic_neighbours=3)
    assert alone == ["Snow", "Fire", "Snow", "Concrete"]
    assert windowed == ["Snow", "Concrete"]


def test_the_percentile_tells_how_many_cuts() -> None:
    text = " ".join(topic(number % 3, 2, 2 * number) for number in range(12))
    few = chunks_of(text, semantic_percentile=95)
    many = chunks_of(text, semantic_percentile=50)
    assert 1 < len(few) < len(many)
    assert len(chunks_of(text, semantic_percentile=100)) == 1


def test_groups_under_the_minimum_are_joined() -> None:
    text = f"{topic(0, 6)} {topic(1, 1)} {topic(0, 6, 6)} {topic(2, 6)}"

    def smallest(min_tokens: int) -> int:
        found = chunks_of(text, min_tokens=min_tokens, semantic_percentile=80, semantic_neighbours=0)
        assert len(found) > 1
        return min(chunk.tokens - 3 for chunk in found)

    assert smallest(0) == 5
    assert smallest(15) >= 15


def test_long_groups_are_cut_to_size() -> None:
    doc = document(paragraphs([topic(0, 60)]))
    chunks = strategy_chunker("semantic", structure_rules=False).chunk_one(doc).chunks
    assert len(chunks) > 5
    assert min(chunk.tokens for chunk in chunks) >= 10


def test_rules_are_kept_and_save_embeddings() -> None:
    builder = DocumentBuilder()
    for number in range(6):
        builder.add(ElementKind.PARAGRAPH, f"5.{number} {topic(number % 3, 2)}")
    doc = document(builder)
    ruled, plain = BagEmbedder(), BagEmbedder()
    chunks = strategy_chunker("semantic", embedder=ruled, semantic_percentile=0).chunk_one(doc).chunks
    strategy_chunker("semantic", embedder=plain, structure_rules=False).chunk_one(doc)
    assert all(chunk.body.startswith("5.") for chunk in chunks)
    assert len(ruled.texts) < len(plain.texts) == 13


# --- Windows -------------------------------------------------------------------------------------


def sides(texts: list[str], cut: int, neighbours: int, most: int = 1000) -> tuple[str, str]:
    plan = strategy_chunker("semantic")._planner.plan(document(paragraphs(texts)))

    def fits(text: str) -> bool:
        return len(text) <= most

    return side_before(plan, cut, neighbours, fits), side_after(plan, cut, neighbours, fits)


def test_a_sentence_is_embedded_with_its_neighbours_on_its_side() -> None:
    texts = ["One.", "Two.", "Three.", "Four."]
    assert sides(texts, 1, 0) == ("Two.", "Three.")
    assert sides(texts, 1, 1) == ("One.\n\nTwo.", "Three.\n\nFour.")
    assert sides(texts, 0, 2) == ("One.", "Two.\n\nThree.\n\nFour.")


def test_a_side_too_long_keeps_the_words_nearest_to_the_cut() -> None:
    texts = ["Alpha beta gamma.", "Own words.", "Next ones.", "Epsilon zeta eta."]
    assert sides(texts, 1, 1, 20) == ("gamma.\n\nOwn words.", "Next ones.\n\nEpsilon")
    assert sides(["x" * 50, "y" * 50], 0, 1, 20) == ("x" * 20, "y" * 20)


def test_windows_are_shared_by_the_cuts_at_their_two_ends() -> None:
    embedder = BagEmbedder()
    cut = strategy_chunker("semantic", embedder=embedder, structure_rules=False)
    cut.chunk_one(document(paragraphs([topic(0, 50)])))
    assert len(embedder.texts) <= 52


@pytest.mark.parametrize("name", EMBEDDING)
def test_no_text_is_longer_than_the_embedder_reads(name: str) -> None:
    counter = WordCounter()
    counter.limit = 30
    embedder = BagEmbedder(counter)
    builder = paragraphs(["word " * 25, "x" * 900, "word " * 400])
    builder.add_table([[f"row{i}", "value"] for i in range(60)])
    strategy_chunker(name, counter, embedder=embedder, max_tokens=40).chunk_one(document(builder))
    assert embedder.texts


# --- Vectors -------------------------------------------------------------------------------------


def test_each_different_text_is_embedded_once_across_documents() -> None:
    embedder, cache = BagEmbedder(), MemoryVectors()
    vectors = PassageVectors(embedder, cache)
    first, nothing, second = vectors.embed([["a b", "c", "a b"], [], ["c", "d"]])
    assert embedder.texts == ["a b", "c", "d"]
    assert nothing.shape == (0, 16)
    assert np.array_equal(first[1], second[0])
    assert np.allclose(np.linalg.norm(first, axis=1), 1)
    vectors.embed([["d", "e"]])
    assert embedder.texts == ["a b", "c", "d", "e"]
    assert PassageVectors(embedder, MemoryVectors()).embed([]) == []


def test_vectors_of_another_model_are_not_taken() -> None:
    cache, embedder = MemoryVectors(), BagEmbedder()
    PassageVectors(embedder, cache).embed([["a"]])
    other = BagEmbedder()
    other.revision = "2"
    PassageVectors(other, cache).embed([["a"]])
    assert other.texts == ["a"]


def test_a_broken_vector_in_the_cache_is_a_miss() -> None:
    cache, embedder = MemoryVectors(), BagEmbedder()
    vectors = PassageVectors(embedder, cache)
    cache.write(vectors.signature, [text_key("a")], np.full((1, 16), np.inf, dtype=np.float32))
    vectors.embed([["a"]])
    assert embedder.texts == ["a"]


def test_the_last_bits_of_a_vector_do_not_matter() -> None:
    class Noisy(BagEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            noise = np.random.default_rng(len(texts)).normal(scale=1e-7, size=(len(texts), 16))
            return (super().embed_passages(texts) + noise).astype(np.float32)

    doc = document(paragraphs([" ".join(topic(number % 3, 3) for number in range(20))]))
    other = document(paragraphs([topic(1, 5)]), path="other.md")
    for name in EMBEDDING:
        alone = strategy_chunker(name, embedder=Noisy()).chunk_one(doc).chunks
        both = list(strategy_chunker(name, embedder=Noisy()).chunk([other, doc]))
        assert both[1].chunks == alone


def test_vectors_that_are_no_numbers_are_a_clear_error() -> None:
    class Broken(BagEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            return np.full((len(texts), 16), np.nan, dtype=np.float32)

    with pytest.raises(ConfigurationError, match="no numbers"):
        PassageVectors(Broken(), MemoryVectors()).embed([["a"]])


# --- Building ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EMBEDDING)
def test_a_missing_embedder_is_a_clear_error(name: Literal["semantic", "cluster"]) -> None:
    settings = ChunkingSettings(strategy=name)
    with pytest.raises(ConfigurationError, match=f"`{name}` compares vectors") as error:
        build_chunker(settings, WordCounter())
    assert error.value.hint


@pytest.mark.parametrize("name", EMBEDDING)
def test_the_signature_tells_settings_and_models_apart(name: Literal["semantic", "cluster"]) -> None:
    def signature(revision: str = "1", **settings: Any) -> str:
        embedder = BagEmbedder()
        embedder.revision = revision
        chosen = ChunkingSettings(strategy=name, **settings)
        return build_strategy(StrategyParts(chosen, WordCounter(), embedder=lambda: embedder)).signature

    changes: dict[str, list[dict[str, Any]]] = {
        "semantic": [{"semantic_percentile": 90}, {"semantic_neighbours": 2}],
        "cluster": [{"cluster_silhouette": 0.3}, {"cluster_min_tokens": 10}, {"cluster_max_tokens": 170}],
    }
    others = [signature("2"), *(signature(**change) for change in changes[name])]
    assert signature() == signature()
    assert len({signature(), *others}) == 1 + len(others)
