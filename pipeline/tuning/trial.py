"""One trial: chunk the documents with some settings, embed, ask, and count what it cost."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from chunking.factory import build_chunker
from indexing.recall.evaluate import evaluate
from indexing.recall.model import Evaluation, QuestionOutcome
from indexing.recall.texts import IndexedText
from pipeline.tuning.corpus import Corpus
from pipeline.tuning.ranking import ChunkSearch
from pipeline.tuning.space import Values
from rubrica.model import Chunk, ChunkedDocument, Document
from rubrica.protocols import Embedder, NoProgress, Progress, TokenCounter
from rubrica.settings import Settings

RECALL = "recall@5"
MRR = "mrr"
_MRR_SHARE = 1e-3
_KEPT = (RECALL, MRR, "recall@1", "recall@10")
_EMBEDS_SENTENCES = frozenset({"semantic", "cluster"})
_BATCH = 32


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one trial.

    Attributes:
        values: The settings, by name.
        metrics: Means over the questions, by name.
        questions: Metrics of each question, by its id.
        chunks: How many there were.
        tokens: Tokens that the embedder reads when nothing is cached.
        pairs: Pairs that the scorer reads then.
        cost: Tokens that both models read then, of the pairs as many as windows may hold: what decides
            how long an index takes to build, on any machine.
        seconds: How long the trial took.
    """

    values: Values
    metrics: Mapping[str, float]
    questions: Mapping[str, Mapping[str, float]]
    chunks: int
    tokens: int
    pairs: int
    cost: int
    seconds: float

    @property
    def quality(self) -> float:
        """Recall@5; between equals the mean reciprocal rank decides."""
        return self.metrics[RECALL] + _MRR_SHARE * self.metrics[MRR]

    @property
    def outcomes(self) -> Iterator[QuestionOutcome]:
        """The questions as evaluations have them."""
        for id_, metrics in self.questions.items():
            yield QuestionOutcome(id_, resolved=True, outcome=metrics)

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """What ``to_json`` gave."""
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Bars:
    """Who hears how far a trial has come.

    Attributes:
        documents: Hears of every document that is cut.
        pairs: Hears of every pair scored.
        passages: Hears of every passage embedded.
    """

    documents: Progress = field(default_factory=NoProgress)
    pairs: Progress = field(default_factory=NoProgress)
    passages: Progress = field(default_factory=NoProgress)


class TrialRunner:
    """Tries settings on a corpus."""

    def __init__(
        self, corpus: Corpus, settings: Settings, embedder: Embedder, bars: Bars | None = None
    ) -> None:
        """Prepare; nothing is cut yet.

        Args:
            corpus: Documents and questions.
            settings: All settings that a trial does not choose.
            embedder: Embeds chunks and questions; with a cache, what came before costs little.
            bars: Who hears how far a trial has come.
        """
        self._corpus = corpus
        self._settings = settings
        self._embedder = _Metered(embedder, (bars or Bars()).passages)
        self._bars = bars or Bars()
        self._queries: dict[str, npt.NDArray[np.float32]] = {}

    def run(self, values: Values) -> Outcome:
        """Try some settings.

        Args:
            values: Settings by name, as ``Space.suggest`` names them.

        Raises:
            ConfigurationError: The settings contradict each other.
        """
        started = time.monotonic()
        settings = self._settings.with_recipe(values)
        self._embedder.tokens = 0
        cut = self._cut(settings)
        chunks = [chunk for _, chunked in cut for chunk in chunked.chunks]
        tokens = self._embedder.tokens + sum(chunk.tokens for chunk in chunks)
        pairs = sum(chunked.stats.pairs_scored + chunked.stats.pair_cache_hits for _, chunked in cut)
        found = self._ask(cut, chunks)
        return Outcome(
            values=dict(values),
            metrics={name: found.metrics[name] for name in _KEPT},
            questions={item.question_id: _kept(item.outcome) for item in found.answers},
            chunks=len(chunks),
            tokens=tokens,
            pairs=pairs,
            cost=tokens + 2 * pairs * settings.chunking.window_tokens,
            seconds=time.monotonic() - started,
        )

    def _cut(self, settings: Settings) -> list[tuple[Document, ChunkedDocument]]:
        # Strategies that embed sentences are to be charged for all of them, so only the embedder has a cache.
        embeds = settings.chunking.strategy in _EMBEDS_SENTENCES
        chunker = build_chunker(
            settings.chunking,
            self._embedder.counter,
            "" if embeds else settings.services.redis_url.get_secret_value(),
            embedder=lambda: self._embedder,
            llm=settings.llm,
            progress=None if embeds else self._bars.pairs,
        )
        documents = self._corpus.documents
        return list(zip(documents, chunker.chunk(documents, self._bars.documents), strict=True))

    def _ask(self, cut: Sequence[tuple[Document, ChunkedDocument]], chunks: Sequence[Chunk]) -> Evaluation:
        vectors = self._embedder.embed_all([chunk.text for chunk in chunks])
        texts = {document.id: _text(document, chunked.chunks) for document, chunked in cut}
        search = ChunkSearch([(document, item.chunks) for document, item in cut], vectors, self._query)
        return evaluate(self._corpus.questions, search, lambda _, name: texts.get(name))

    def _query(self, question: str) -> npt.NDArray[np.float32]:
        if question not in self._queries:
            self._queries[question] = self._embedder.embed_query(question)
        return self._queries[question]


def _kept(metrics: Mapping[str, float]) -> dict[str, float]:
    return {name: metrics[name] for name in (RECALL, MRR) if name in metrics}


def _text(document: Document, chunks: Sequence[Chunk]) -> IndexedText:
    spans = tuple((chunk.start, chunk.end) for chunk in chunks)
    pages = tuple((chunk.page_from or 0, chunk.page_to or 0) for chunk in chunks)
    ids = tuple(chunk.id for chunk in chunks)
    return IndexedText(document.id, document.path, document.text, spans, ids, pages)


class _Metered:
    """An embedder that counts what strategies give it to read, and tells how far it is."""

    def __init__(self, embedder: Embedder, progress: Progress) -> None:
        self._embedder = embedder
        self._progress = progress
        self.tokens = 0

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def revision(self) -> str:
        return self._embedder.revision

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    @property
    def counter(self) -> TokenCounter:
        return self._embedder.counter

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed what a strategy compares, and charge for it."""
        self.tokens += sum(map(self.counter.count, texts))
        return self.embed_all(texts)

    def embed_all(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed the chunks, whose tokens are known."""
        parts = []
        for first in range(0, len(texts), _BATCH):
            parts.append(self._embedder.embed_passages(texts[first : first + _BATCH]))
            self._progress.advance(len(parts[-1]))
        return np.concatenate(parts) if parts else np.empty((0, self.dimension), dtype=np.float32)

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        return self._embedder.embed_query(text)
