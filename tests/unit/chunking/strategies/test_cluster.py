from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.strategies.cluster import ClusterLimits
from chunking.strategies.hierarchy import build_hierarchy, silhouette
from extraction.builder import DocumentBuilder
from rubrica.errors import ConfigurationError
from rubrica.model import ElementKind
from rubrica.settings import Settings
from tests.support.chunking_parts import document, paragraphs
from tests.support.strategies import strategy_chunker
from tests.support.vectors import BagEmbedder

_TOPICS = ["snow load roof weight", "fire exit door smoke", "concrete class layer mix"]


def topic(number: int, sentences: int) -> str:
    return " ".join(f"{_TOPICS[number].capitalize()} n{i}." for i in range(sentences))


def sizes(texts: list[str], max_tokens: int = 256, **settings: Any) -> list[tuple[str, int]]:
    cut = strategy_chunker("cluster", structure_rules=False, max_tokens=max_tokens, **settings)
    chunks = cut.chunk_one(document(paragraphs(texts))).chunks
    return [(chunk.body.split()[0], chunk.tokens - 3) for chunk in chunks]


def test_distinct_topics_are_chunks_though_they_would_fit_together() -> None:
    texts = [topic(number, 8) for number in range(3)]
    assert sizes(texts, cluster_silhouette=0.25) == [("Snow", 40), ("Fire", 40), ("Concrete", 48)]
    assert sizes(texts, cluster_silhouette=1.0) == [("Snow", 128)]


def test_sizes_lie_between_the_bounds_where_nothing_is_distinct() -> None:
    found = [size for _, size in sizes([topic(0, 200)], cluster_silhouette=1.0)]
    assert max(found) <= 250 - 3
    assert min(found) >= 100
    assert np.mean(found) > 140


def test_a_topic_under_the_minimum_is_joined() -> None:
    texts = [topic(0, 8), topic(1, 1), topic(2, 8)]
    found = sizes(texts, min_tokens=20, max_tokens=60)
    assert len(found) == 2
    assert min(size for _, size in found) >= 20


def test_limits_scale_with_the_chunk() -> None:
    def within(limit: int) -> tuple[int, int, int]:
        limits = ClusterLimits.within(limit, silhouette=0.25, least=150, most=250)
        return limits.least, limits.most, limits.slack

    assert within(256) == (150, 250, 6)
    assert within(500) == (150, 250, 250)
    assert within(100) == (60, 100, 0)


def test_the_bounds_must_not_cross(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUBRICA_CLUSTER_MIN_TOKENS", "300")
    with pytest.raises(ConfigurationError, match="CLUSTER_MIN_TOKENS"):
        Settings()


def test_clauses_tables_and_definitions_are_clustered_as_wholes() -> None:
    builder = DocumentBuilder()
    builder.add_table([["mark", "class"], *([f"m{i}", f"c{i}"] for i in range(50))], header_rows=1)
    for number in range(6):
        builder.add(ElementKind.PARAGRAPH, f"5.{number} {topic(number % 3, 3)}")
    embedder = BagEmbedder()
    chunks = strategy_chunker("cluster", embedder=embedder, max_tokens=60).chunk_one(document(builder)).chunks
    assert len(embedder.texts) == 7
    held = [number for chunk in chunks for number in chunk.clauses]
    assert len(held) == len(set(held)) == 6


# --- Hierarchy -----------------------------------------------------------------------------------

_points = st.lists(
    st.lists(st.integers(-3, 3), min_size=3, max_size=3).filter(any), min_size=1, max_size=12
).map(lambda rows: np.array([np.array(row) / np.linalg.norm(row) for row in rows]))


@given(_points)
def test_only_neighbours_merge(points: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> None:
    hierarchy = build_hierarchy(points)
    assert hierarchy.spans[hierarchy.root] == (0, len(points))
    assert sorted(hierarchy.heights) == list(range(len(points) - 1))
    for node in range(len(points), len(hierarchy.spans)):
        left, right = (hierarchy.spans[child] for child in hierarchy.children(node))
        assert left[1] == right[0]
        assert hierarchy.spans[node] == (left[0], right[1])
        assert hierarchy.heights[right[0] - 1] == node - len(points)


@given(_points, st.integers(1, 11))
def test_the_silhouette_is_that_of_scikit_learn(
    points: np.ndarray[tuple[int, int], np.dtype[np.float64]], at: int
) -> None:
    from sklearn.metrics import silhouette_score  # type: ignore[import-untyped]

    if not 0 < at < len(points) or len(points) < 3:
        return
    labels = [int(i >= at) for i in range(len(points))]
    # Distances that should be zero come out as rounding noise, of which a silhouette may be made.
    distances = np.round(1.0 - points @ points.T, 7)
    np.fill_diagonal(distances, 0.0)
    expected = silhouette_score(np.abs(distances), labels, metric="precomputed")
    assert silhouette(points[:at], points[at:]) == pytest.approx(expected, abs=1e-5)
