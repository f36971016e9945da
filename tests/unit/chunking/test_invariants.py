"""DESIGN §2 on random documents, for every strategy and mode: C01, C04, C05, C06, C08 and their kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking.chunker import Chunker
from chunking.strategies import parts
from rubrica.model import Document
from tests.support.chunk_invariants import check_chunks, check_cuts, check_structure
from tests.support.chunking_parts import ByteCounter, WordCounter
from tests.support.random_documents import documents
from tests.support.strategies import EMBEDDING, EVERY, strategy_chunker
from tests.support.vectors import BagEmbedder, MemoryVectors

_RELAXED = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
_FEW = settings(_RELAXED, max_examples=12)

_choices: st.SearchStrategy[Mapping[str, Any]] = st.fixed_dictionaries(
    {
        "max_tokens": st.sampled_from([16, 24, 60, 200]),
        "min_tokens": st.sampled_from([0, 4, 16]),
        "overlap": st.sampled_from([0, 5, 15]),
        "structure_rules": st.booleans(),
        "context_line": st.booleans(),
        "semantic_percentile": st.sampled_from([0.0, 50.0, 95.0]),
        "semantic_neighbours": st.sampled_from([0, 1, 3]),
        "cluster_silhouette": st.sampled_from([-1.0, 0.1, 1.0]),
    }
)


def test_every_registered_strategy_is_tested() -> None:
    assert {name.partition("-")[0] for name in EVERY} | {"agentic"} >= set(parts._MODULES)


@pytest.mark.parametrize("name", EVERY)
@given(doc=documents(), chosen=_choices, counter=st.sampled_from([WordCounter(), ByteCounter()]))
@_RELAXED
def test_invariants(
    name: str, doc: Document, chosen: Mapping[str, Any], counter: WordCounter | ByteCounter
) -> None:
    cut = strategy_chunker(name, counter, **chosen)
    chunks = cut.chunk_one(doc).chunks
    check_chunks(doc, chunks, counter, chosen["max_tokens"])
    assert cut.chunk_one(doc).chunks == chunks
    assert bool(chunks) == bool(doc.text.strip())


@pytest.mark.parametrize("name", EVERY)
@given(doc=documents(), chosen=_choices)
@_RELAXED
def test_nothing_is_torn_that_would_have_fitted(name: str, doc: Document, chosen: Mapping[str, Any]) -> None:
    chosen = {**chosen, "structure_rules": True}
    cut = strategy_chunker(name, **chosen)
    plan = cut._planner.plan(doc)
    if plan.units:
        (partition,) = cut._strategy.partition([plan])
        check_cuts(plan, partition.starts)
    check_structure(doc, cut.chunk_one(doc).chunks, WordCounter(), chosen["max_tokens"])


@pytest.mark.parametrize("name", EVERY)
@given(
    docs=st.lists(documents(), min_size=2, max_size=4),
    chosen=_choices,
    random=st.randoms(use_true_random=False),
)
@_FEW
def test_a_document_does_not_depend_on_its_batch(
    name: str, docs: list[Document], chosen: Mapping[str, Any], random: Random
) -> None:
    docs = [replace(doc, id=str(i)) for i, doc in enumerate(docs)]
    alone = {doc.id: strategy_chunker(name, **chosen).chunk_one(doc).chunks for doc in docs}
    random.shuffle(docs)
    together = list(strategy_chunker(name, **chosen).chunk(docs))
    assert [result.document_id for result in together] == [doc.id for doc in docs]
    assert {result.document_id: result.chunks for result in together} == alone


@pytest.mark.parametrize("name", EMBEDDING)
@given(docs=st.lists(documents(), min_size=1, max_size=3), chosen=_choices, random=st.randoms())
@_FEW
def test_chunks_do_not_depend_on_what_is_cached(
    name: str, docs: list[Document], chosen: Mapping[str, Any], random: Random
) -> None:
    cache, embedder = MemoryVectors(), BagEmbedder()

    def run(cache: MemoryVectors) -> list[Any]:
        cut: Chunker = strategy_chunker(name, embedder=embedder, cache=cache, **chosen)
        return [result.chunks for result in cut.chunk(docs)]

    cold = run(cache)
    embedded = len(embedder.texts)
    assert embedded == len(set(embedder.texts)) == len(cache.kept)
    assert run(cache) == cold
    assert len(embedder.texts) == embedded
    for key in [key for key in cache.kept if random.random() < 0.5]:
        del cache.kept[key]
    assert run(cache) == cold
