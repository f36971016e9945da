"""The cache of vectors is asked under the very namespace that it was filled under."""

from __future__ import annotations

from datetime import UTC, datetime

from chunking.vector_cache import passage_namespace
from indexing.catalog.generations import Generation
from indexing.forget import Trace, _namespace
from indexing.generations import generation_config
from tests.support.indexing import DigestEmbedder


def test_the_namespace_of_a_generation_is_that_of_its_embedder() -> None:
    embedder = DigestEmbedder()
    generation = Generation(
        id=1,
        alias="docs",
        number=1,
        collection="docs_g1",
        config_sig="",
        config=generation_config(embedder),
        settings={},
        embedder=embedder.name,
        dimension=embedder.dimension,
        state="live",
        created_at=datetime.now(UTC),
        live_at=None,
        ended_at=None,
        note="",
    )
    assert _namespace(generation) == passage_namespace(embedder)


def test_a_place_that_did_not_answer_proves_nothing() -> None:
    assert Trace("Redis", 3, 0).is_clean
    assert not Trace("Redis", 3, 1).is_clean
    assert not Trace("Redis", 3, None).is_clean
