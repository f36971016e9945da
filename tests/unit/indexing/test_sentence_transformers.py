"""A tiny model, made here, stands for any model of the library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from indexing.embedders.factory import build_counter, build_embedder
from rubrica.errors import ConfigurationError, LimitExceededError
from rubrica.settings import IndexingSettings

pytestmark = pytest.mark.filterwarnings("ignore")  # the library's own, of which every release has others

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "passage", "query", ":", "бетон", "стена", "окно"]
LIMIT = 24


def save_model(folder: Path, seed: int) -> None:
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer_class: Any = PreTrainedTokenizerFast
    fast = tokenizer_class(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=LIMIT,
    )
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
    )
    plain = folder.with_name(folder.name + "-plain")
    BertModel(config).save_pretrained(plain)
    fast.save_pretrained(plain)
    transformer = Transformer(str(plain))
    SentenceTransformer(modules=[transformer, Pooling(16)], device="cpu").save(str(folder))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny"
    save_model(folder, seed=0)
    return folder


@pytest.fixture
def settings(model: Path) -> IndexingSettings:
    return IndexingSettings(
        embedder=str(model), embedder_query_prefix="query: ", embedder_passage_prefix="passage: "
    )


def test_vectors_are_unit_and_prefixes_count(model: Path, settings: IndexingSettings) -> None:
    embedder = build_embedder(settings)
    vectors = embedder.embed_passages(["бетон", "стена окно"])
    assert vectors.shape == (2, embedder.dimension) == (2, 16)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    bare = build_embedder(IndexingSettings(embedder=str(model)))
    np.testing.assert_allclose(bare.embed_passages(["passage: бетон"])[0], vectors[0], atol=1e-6)
    np.testing.assert_allclose(bare.embed_query("query: окно"), embedder.embed_query("окно"), atol=1e-6)
    assert not np.allclose(embedder.embed_query("бетон"), vectors[0], atol=1e-3)


def test_counter_is_the_models_own_and_counts_prefix_and_specials(settings: IndexingSettings) -> None:
    counter = build_counter(settings)
    assert counter.limit == LIMIT
    assert counter.count("") == 4
    assert counter.count("бетон стена") == 6
    assert counter.count("бетон " * 100) == 104


def test_overlong_passage_is_refused_and_the_longest_is_not(settings: IndexingSettings) -> None:
    embedder = build_embedder(settings)
    assert embedder.embed_passages(["бетон " * (LIMIT - 4)]).shape == (1, 16)
    with pytest.raises(LimitExceededError, match=str(LIMIT)):
        embedder.embed_passages(["бетон " * (LIMIT - 3)])


def test_revision_follows_weights_and_prefixes_not_the_place(
    model: Path, settings: IndexingSettings, tmp_path: Path
) -> None:
    import shutil

    first = build_embedder(settings)
    moved = shutil.copytree(model, tmp_path / "elsewhere" / "tiny")
    again = build_embedder(settings.model_copy(update={"embedder": str(moved)}))
    assert (again.name, again.revision, again.counter.name) == (
        first.name,
        first.revision,
        first.counter.name,
    )
    bare = build_embedder(settings.model_copy(update={"embedder_query_prefix": ""}))
    assert bare.revision != first.revision
    save_model(tmp_path / "other" / "tiny", seed=1)
    other = build_embedder(settings.model_copy(update={"embedder": str(tmp_path / "other" / "tiny")}))
    assert other.revision != first.revision


def test_folder_without_a_model_is_a_configuration_error(tmp_path: Path) -> None:
    settings = IndexingSettings(embedder=str(tmp_path))
    with pytest.raises(ConfigurationError, match="RUBRICA_EMBEDDER"):
        build_counter(settings).count("бетон")
    with pytest.raises(ConfigurationError, match="cannot be loaded"):
        build_embedder(settings).embed_query("бетон")


def test_unknown_name_is_a_configuration_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    settings = IndexingSettings(embedder="nobody/nothing")
    with pytest.raises(ConfigurationError, match="nobody/nothing"):
        build_counter(settings).count("бетон")
    with pytest.raises(ConfigurationError, match="nobody/nothing"):
        _ = build_embedder(settings).revision
    with pytest.raises(ConfigurationError, match="nobody/nothing"):
        build_embedder(settings).embed_query("бетон")
