"""smart_chunker 0.0.5 with the same network as ours in float32, offline.

Its code runs as it is. What differs from ``SmartChunker(folder)``: its import may not download Punkt's
data, and sentences come from the splitters that it names (razdel for Russian, Punkt for English, out of a
package that carries the model). Where time is not measured, onnxruntime runs the same float32 network, in
half the time and to the same five digits, and scores are remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import punkt
import razdel  # type: ignore[import-untyped]
from tokenizers import Encoding, Tokenizer

from benchmarks.chunkers.network import float32_scorer
from benchmarks.chunkers.network_onnx import onnx_folder
from benchmarks.chunkers.workshop import Workshop
from chunking.scorers.base import Pair
from chunking.scorers.onnx import OnnxPairScorer
from rubrica.identity import digest
from rubrica.protocols import NoProgress

Split = Callable[[str], list[str]]

_DEFAULT_LIMIT = 256
_AT_ONCE = 256


def build_smart_chunker(limit: int, workshop: Workshop) -> Callable[[str, str], Sequence[str]]:
    """``SmartChunker.split_into_chunks`` at a limit in tokens of its own tokenizer."""
    by_language = {language: smart_chunker(language, limit, workshop) for language in ("ru", "en")}

    def split(text: str, language: str) -> Sequence[str]:
        chunks: Sequence[str] = by_language["ru" if language == "ru" else "en"].split_into_chunks(text)
        return chunks

    return split


def smart_chunker(language: str, limit: int, workshop: Workshop) -> Any:
    """A ``SmartChunker``.

    Args:
        language: Whose sentence splitter it is given.
        limit: Most tokens of a chunk; its windows grow with it.
        workshop: Folders and memory.
    """
    chunker = _chunker(str(float32_scorer(workshop.data.parent / "models", workshop.cache)))
    copy = object.__new__(type(chunker))
    vars(copy).update(vars(chunker))
    copy.max_chunk_length = limit
    copy.sentence_tokenizer = _SPLITTERS[language]
    if workshop.remember:
        copy._calculate_similarity_func = _remembering(copy, workshop)
    return copy


def _sentences_ru(text: str) -> list[str]:
    return [sentence.text for sentence in razdel.sentenize(text)]


def _sentences_en(text: str) -> list[str]:
    return list(punkt.tokenizer_for("english").tokenize(text))


_SPLITTERS = {"ru": _sentences_ru, "en": _sentences_en}


@cache
def _chunker(folder: str) -> Any:
    with patch("nltk.download"):  # runs at import, asks the network
        make = import_module("smart_chunker.chunker").SmartChunker
    return make(folder)


class OnnxScores:
    """Scores pairs of texts as ``SmartChunker`` does, its truncation included, with onnxruntime."""

    def __init__(self, chunker: Any, folder: Path) -> None:
        """Prepare the network of a chunker.

        Args:
            chunker: A ``SmartChunker``.
            folder: Its network as ONNX in float32.
        """
        self._scorer = OnnxPairScorer(folder)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(chunker.model_.config.max_position_embeddings)

    def __call__(self, pairs: Sequence[Sequence[str]]) -> npt.NDArray[np.float32]:
        """Logits of pairs of texts."""
        encodings = self._tokenizer.encode_batch([(left, right) for left, right in pairs])
        return self._scorer.score([_sides(encoding) for encoding in encodings], NoProgress())


def _sides(encoding: Encoding) -> Pair:
    ids = np.array(encoding.ids, np.int32)
    text = np.array(encoding.special_tokens_mask) == 0
    right = np.array(encoding.type_ids) == 1
    return ids[text & ~right], ids[text & right]


def _remembering(chunker: Any, workshop: Workshop) -> Callable[[Sequence[Sequence[str]]], list[float]]:
    folder = Path(chunker.reranker_name)
    kind = f"smart_chunker {folder.name}"
    score = OnnxScores(chunker, onnx_folder(folder))

    def scores(pairs: Sequence[Sequence[str]]) -> list[float]:
        keys = [digest(kind, *pair) for pair in pairs]
        known = workshop.memory.vectors(keys)
        missing = [i for i, key in enumerate(keys) if key not in known]
        for start in range(0, len(missing), _AT_ONCE):
            part = missing[start : start + _AT_ONCE]
            values = score([pairs[i] for i in part])
            new = {keys[i]: np.array([value], np.float32) for i, value in zip(part, values, strict=True)}
            workshop.memory.keep_vectors(new)
            known.update(new)
        return [float(known[key][0]) for key in keys]

    return scores


def scores_of(sentences: Sequence[str], workshop: Workshop) -> list[float]:
    """The scores of all gaps between sentences, with the windows of its default limit.

    The pairs are made by its own code; no sentence is cut further.
    """
    chunker = smart_chunker("en", _DEFAULT_LIMIT, workshop)
    lengths = [len(chunker.tokenizer_.tokenize(sentence, add_special_tokens=True)) for sentence in sentences]
    pairs = []
    for gap in range(len(sentences) - 1):
        bounds = chunker._get_pair(lengths, gap)  # noqa: SLF001 - has no public name
        pairs.append([" ".join(sentences[start:end]) for start, end in bounds])
    scores: list[float] = chunker._calculate_similarity_func(pairs)  # noqa: SLF001 - has no public name
    return scores
