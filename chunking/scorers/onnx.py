"""A cross-encoder in ONNX on the CPU, with onnxruntime and tokenizers and nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from chunking.scorers.base import Pair, PairTemplate, TokenIds
from chunking.scorers.parallel import score_each
from rubrica.errors import ConfigurationError
from rubrica.protocols import Progress

# Files that a folder may hold, the one to take first in front, and their precision.
_MODELS = {"model_int8.onnx": "int8", "model.onnx": "float32"}
_TOKENIZER = "tokenizer.json"
_CONFIG = "config.json"
_DIGEST_CHARS = 16
# Fused, these are slower than their parts: without them a call takes 9 % and 2 % less time, to the same bits.
_DISABLED_OPTIMIZERS = ["SkipLayerNormFusion", "BiasGeluFusion"]
_RUNTIME = "2"
"""Version of how the model is run: change it when that may change a score."""


class OnnxPairScorer:
    """Runs a model one pair at a time, on as many threads as there are cores.

    Nothing is padded, and no thread waits for another. Dynamic quantisation scales the activations of a
    whole batch together, so an int8 model's logit would depend on the batch. Alone, on one thread, it is
    exact: the same bits in any order.
    """

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        """Prepare a scorer; nothing is loaded yet.

        Args:
            folder: Holds ``model_int8.onnx`` or ``model.onnx``, ``tokenizer.json`` and ``config.json``.
            threads: Pairs scored at the same time; 0 means one per core.

        Raises:
            ConfigurationError: A file is missing.
        """
        models = [name for name in _MODELS if (folder / name).is_file()]
        self._model = models[0] if models else next(iter(_MODELS))
        for name in (self._model, _TOKENIZER, _CONFIG):
            if not (folder / name).is_file():
                raise ConfigurationError(
                    f"The scorer in {folder} has no file {name}.", hint="Install the package again."
                )
        self._folder = folder
        self._threads = threads

    @cached_property
    def signature(self) -> str:
        """Name, digest of model and tokenizer, precision and way to run it."""
        state = hashlib.sha256()
        for name in (self._model, _TOKENIZER):
            state.update((self._folder / name).read_bytes())
        return f"{self._folder.name}@{state.hexdigest()[:_DIGEST_CHARS]}/{_MODELS[self._model]}.{_RUNTIME}"

    @cached_property
    def room(self) -> int:
        """Tokens of both sides together that the model reads."""
        with self._reading(_CONFIG):
            config = json.loads((self._folder / _CONFIG).read_text(encoding="utf-8"))
            positions = int(config["max_position_embeddings"])
        return positions - self._template.special_tokens

    def encode(self, texts: Sequence[str]) -> list[TokenIds]:
        """Tokens of each text, without special tokens."""
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [np.array(encoding.ids, dtype=np.int32) for encoding in encodings]

    def score(self, pairs: Sequence[Pair], progress: Progress) -> npt.NDArray[np.float32]:
        """Logits of the pairs, each run alone."""
        # Loaded here, once: the threads would each load them.
        template, session = self._template, self._session

        def logit(pair: Pair) -> float:
            ids, types = template.assemble(pair)
            feed = {
                "input_ids": ids[None],
                "attention_mask": np.ones_like(ids)[None],
                "token_type_ids": types[None],
            }
            (logits,) = session.run(["logits"], feed)
            return float(logits[0, 0])

        return score_each(logit, pairs, self._threads, progress)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        with self._reading(_TOKENIZER):
            tokenizer = Tokenizer.from_file(str(self._folder / _TOKENIZER))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _template(self) -> PairTemplate:
        pair = self._tokenizer.encode("left", "right")
        left, right = self.encode(["left", "right"])
        return PairTemplate.from_example(pair.ids, pair.type_ids, left.tolist(), right.tolist())

    @cached_property
    def _session(self) -> Any:
        # A run whose scores are all cached needs no runtime.
        import onnxruntime  # type: ignore[import-untyped]

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        with self._reading(self._model):
            return onnxruntime.InferenceSession(
                str(self._folder / self._model),
                options,
                providers=["CPUExecutionProvider"],
                disabled_optimizers=_DISABLED_OPTIMIZERS,
            )

    @contextmanager
    def _reading(self, name: str) -> Iterator[None]:
        """Report what a library says of a damaged file; both libraries raise bare exceptions."""
        try:
            yield
        except MemoryError:
            raise
        except Exception as error:
            raise ConfigurationError(
                f"The scorer's file {self._folder / name} is damaged ({type(error).__name__}).",
                hint="Train or fetch it again, or set RUBRICA_SCORER to the bundled boundary-ru-en.",
            ) from error
