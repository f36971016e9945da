from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BertModel,
    DistilBertConfig,
    DistilBertForSequenceClassification,
    ModernBertConfig,
    ModernBertForSequenceClassification,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForSequenceClassification,
    XLMRobertaConfig,
    XLMRobertaForSequenceClassification,
)

from chunking.scorers import build_pair_scorer
from chunking.scorers.base import Pair
from chunking.scorers.huggingface import HuggingFacePairScorer, _one_torch_thread, token_batches
from rubrica.errors import ConfigurationError
from rubrica.protocols import NoProgress
from rubrica.settings import ChunkingSettings
from tests.support.words import WORDS

SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    # As large as training leaves it: at the default 0.02 all logits would be the same.
    "initializer_range": 0.5,
    "num_labels": 1,
}


def _bert(folder: Path, labels: int = 1) -> None:
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", ".", *WORDS]
    tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=64,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    ).save_pretrained(folder)
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(vocabulary), max_position_embeddings=80, **SIZES | {"num_labels": labels}
    )
    BertForSequenceClassification(config).save_pretrained(folder)


def _xlm_roberta(folder: Path) -> None:
    vocabulary = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -3.0), (".", -3.0)]
    tokenizer = Tokenizer(models.Unigram([*vocabulary, *((f"▁{w}", -5.0) for w in WORDS)], unk_id=3))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(folder)
    torch.manual_seed(2)
    config = XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=66, type_vocab_size=1, **SIZES
    )
    XLMRobertaForSequenceClassification(config).save_pretrained(folder)


def _roberta(folder: Path) -> None:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate(["<s>", "<pad>", "</s>", "<unk>", *alphabet])}
    tokenizer = Tokenizer(models.BPE(vocabulary, [], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(folder)
    torch.manual_seed(3)
    config = RobertaConfig(
        vocab_size=len(vocabulary), max_position_embeddings=600, **SIZES | {"num_labels": 2}
    )
    RobertaForSequenceClassification(config).save_pretrained(folder)


def _distilbert(folder: Path) -> None:
    _bert(folder)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    tokenizer.model_input_names = ["input_ids", "attention_mask"]
    tokenizer.save_pretrained(folder)
    torch.manual_seed(4)
    sizes: dict[str, Any] = {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64, "num_labels": 1}
    config = DistilBertConfig(
        vocab_size=tokenizer.vocab_size, max_position_embeddings=80, initializer_range=0.5, **sizes
    )
    DistilBertForSequenceClassification(config).save_pretrained(folder)


def _modernbert(folder: Path) -> None:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *alphabet])}
    tokenizer = Tokenizer(models.BPE(vocabulary, [], unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B [SEP]",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(folder)
    torch.manual_seed(5)
    config = ModernBertConfig(
        vocab_size=len(vocabulary),
        max_position_embeddings=600,
        pad_token_id=0,
        cls_token_id=2,
        sep_token_id=3,
        bos_token_id=2,
        eos_token_id=3,
        local_attention=16,
        **SIZES | {"global_attn_every_n_layers": 2},
    )
    ModernBertForSequenceClassification(config).save_pretrained(folder)


FAMILIES = {
    "bert": _bert,
    "xlm-roberta": _xlm_roberta,
    "roberta": _roberta,
    "distilbert": _distilbert,
    "modernbert": _modernbert,
}


@pytest.fixture(scope="module", params=list(FAMILIES.values()), ids=list(FAMILIES))
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small cross-encoder with random weights, saved as its own family saves it."""
    make: Callable[[Path], None] = request.param
    folder = tmp_path_factory.mktemp("Модель with space") / "scorer"
    make(folder)
    return folder


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bert") / "scorer"
    _bert(folder)
    return folder


def _pairs(scorer: HuggingFacePairScorer, count: int) -> list[Pair]:
    dice = random.Random(2)
    texts = [" ".join(dice.choices(WORDS, k=dice.randint(1, 20))) + "." for _ in range(2 * count)]
    encoded = scorer.encode(texts)
    return list(zip(encoded[::2], encoded[1::2], strict=True))


def _scores(scorer: HuggingFacePairScorer, pairs: Sequence[Pair]) -> np.ndarray[Any, Any]:
    return scorer.score(pairs, NoProgress())


def test_200_pairs_alone_in_batches_and_shuffled_give_equal_bits(folder: Path) -> None:
    scorer = HuggingFacePairScorer(str(folder), device="cpu")
    pairs = _pairs(scorer, 200)
    together = _scores(scorer, pairs)
    alone = np.concatenate([_scores(scorer, [pair]) for pair in pairs])
    batches = np.concatenate([_scores(scorer, pairs[i : i + 32]) for i in range(0, 200, 32)])
    order = random.Random(3).sample(range(200), 200)
    shuffled = np.empty_like(together)
    other = HuggingFacePairScorer(str(folder), device="cpu", threads=3)
    shuffled[order] = _scores(other, [pairs[i] for i in order])
    assert len(set(together.tolist())) > 150
    assert together.tobytes() == alone.tobytes() == batches.tobytes() == shuffled.tobytes()


def test_assembled_pairs_equal_the_tokenizers_own(folder: Path) -> None:
    scorer = HuggingFacePairScorer(str(folder), device="cpu")
    dice = random.Random(4)
    for _ in range(50):
        sides = [[" ".join(dice.choices(WORDS, k=3)) + "." for _ in range(dice.randint(1, 3))] for _ in "lr"]
        encoded = [np.concatenate(scorer.encode(side)) for side in sides]
        ids, types = scorer._template.assemble((encoded[0], encoded[1]))
        left, right = (scorer._lead + " ".join(side) for side in sides)
        expected = scorer._tokenizer(left, right, return_token_type_ids=True)
        assert ids.tolist() == expected["input_ids"]
        assert types.tolist() == expected["token_type_ids"]


def test_a_batch_equals_the_tokenizers_own(folder: Path) -> None:
    scorer = HuggingFacePairScorer(str(folder), device="cpu")
    texts = ["бетон стена крыша.", "beam.", "slab.", "пожар beam вода."]
    encoded = scorer.encode(texts)
    batch = scorer._template.assemble_batch(
        [(encoded[0], encoded[1]), (encoded[2], encoded[3]), (encoded[1], encoded[2])],
        scorer._tokenizer.pad_token_id,
    )
    led = [scorer._lead + text for text in texts]
    expected = scorer._tokenizer([led[0], led[2], led[1]], [led[1], led[3], led[2]], padding=True)
    assert batch.ids.tolist() == expected["input_ids"]
    assert batch.mask is not None
    assert batch.mask.tolist() == expected["attention_mask"]
    assert scorer._template.assemble_batch([(encoded[0], encoded[1])] * 2, 0).mask is None


def test_scores_equal_the_models_own(folder: Path) -> None:
    scorer = HuggingFacePairScorer(str(folder), device="cpu")
    left, right = scorer.encode(["бетон стена.", "slab fire."])
    own = scorer._tokenizer(f"{scorer._lead}бетон стена.", f"{scorer._lead}slab fire.", return_tensors="pt")
    with torch.inference_mode(), _one_torch_thread():
        logits = scorer._model(**own).logits[0]
    expected = logits[0] if len(logits) == 1 else logits[1] - logits[0]
    assert _scores(scorer, [(left, right)])[0] == expected.item()


def test_padded_batches_agree_with_pairs_alone(folder: Path) -> None:
    scorer = HuggingFacePairScorer(str(folder), device="cpu")
    pairs = _pairs(scorer, 20)
    np.testing.assert_allclose(scorer._forward(pairs).numpy(), _scores(scorer, pairs), atol=1e-4)
    np.testing.assert_allclose(scorer._score_batches(pairs, NoProgress()), _scores(scorer, pairs), atol=1e-4)


def test_the_longest_pair_fits_the_model(folder: Path) -> None:
    scorer = HuggingFacePairScorer(str(folder), device="cpu")
    (ids,) = scorer.encode(["бетон " * 600])
    half = scorer.room // 2
    assert np.isfinite(_scores(scorer, [(ids[: scorer.room - half], ids[:half])])).all()


def test_attention_is_sdpa(bert: Path) -> None:
    assert HuggingFacePairScorer(str(bert))._model.config._attn_implementation == "sdpa"


def test_room_is_the_smaller_of_tokenizer_and_positions(bert: Path) -> None:
    assert HuggingFacePairScorer(str(bert)).room == 64 - 3


def test_signature_follows_weights_and_precision(bert: Path, tmp_path: Path) -> None:
    _bert(tmp_path / "scorer", labels=2)
    signatures = {
        HuggingFacePairScorer(str(bert), device="cpu").signature,
        HuggingFacePairScorer(str(bert), device="cpu", dtype="bfloat16").signature,
        HuggingFacePairScorer(str(tmp_path / "scorer"), device="cpu").signature,
    }
    assert len(signatures) == 3
    assert HuggingFacePairScorer(str(bert), device="cpu").signature in signatures


def test_settings_choose_it(bert: Path) -> None:
    scorer = build_pair_scorer(ChunkingSettings(scorer=str(bert), scorer_device="cpu"))
    assert isinstance(scorer, HuggingFacePairScorer)
    assert scorer.signature.endswith("/cpu/float32")


def test_a_model_without_a_trained_head_is_refused(bert: Path, tmp_path: Path) -> None:
    torch.manual_seed(1)
    BertModel.from_pretrained(bert).save_pretrained(tmp_path)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((bert / name).read_bytes())
    scorer = HuggingFacePairScorer(str(tmp_path), device="cpu")
    with pytest.raises(ConfigurationError, match="no trained cross-encoder"):
        _scores(scorer, _pairs(scorer, 1))


def test_too_many_labels_are_refused(tmp_path: Path) -> None:
    _bert(tmp_path, labels=3)
    scorer = HuggingFacePairScorer(str(tmp_path), device="cpu")
    with pytest.raises(ConfigurationError, match="3 labels"):
        _scores(scorer, _pairs(scorer, 1))


def test_a_missing_folder_is_refused_at_once() -> None:
    with pytest.raises(ConfigurationError, match="does not exist"):
        HuggingFacePairScorer("./no/such folder")


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be loaded"):
        HuggingFacePairScorer(str(tmp_path)).encode(["бетон"])


def test_a_model_that_is_not_there_is_refused_offline() -> None:
    code = """
from chunking.scorers.huggingface import HuggingFacePairScorer
from rubrica.errors import ConfigurationError
try:
    HuggingFacePairScorer("nobody/no-such-model").signature
except ConfigurationError as error:
    print(error)
"""
    environment = {"HF_HUB_OFFLINE": "1", "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert "nobody/no-such-model cannot be loaded" in done.stdout
    assert "RUBRICA_SCORER" in done.stdout


def test_an_unknown_device_is_refused(bert: Path) -> None:
    with pytest.raises(ConfigurationError, match="RUBRICA_SCORER_DEVICE"):
        HuggingFacePairScorer(str(bert), device="toaster")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_cuda_without_a_gpu_is_refused(bert: Path) -> None:
    with pytest.raises(ConfigurationError, match="no GPU"):
        HuggingFacePairScorer(str(bert), device="cuda")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_batches_on_a_gpu_agree_with_the_cpu(folder: Path) -> None:
    gpu = HuggingFacePairScorer(str(folder), device="cuda", batch_tokens=256)
    pairs = _pairs(gpu, 200)
    cpu = HuggingFacePairScorer(str(folder), device="cpu")
    np.testing.assert_allclose(_scores(gpu, pairs), _scores(cpu, pairs), atol=0.3)


def test_batches_stay_within_the_budget() -> None:
    lengths = [random.Random(i).randint(1, 90) for i in range(300)]
    batches = list(token_batches(lengths, 200))
    assert sorted(i for batch in batches for i in batch) == list(range(300))
    assert all(max(lengths[i] for i in batch) * len(batch) <= 200 for batch in batches)
    assert len(batches) < 120


def test_a_pair_over_the_budget_is_a_batch_of_its_own() -> None:
    assert list(token_batches([5, 300, 4], 10)) == [[1], [0, 2]]
    assert list(token_batches([1, 2], 0)) == [[1], [0]]
    assert list(token_batches([], 10)) == []
