"""Strategies side by side: the same documents cut by each, measured the same way."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import get_args

from chunking.chunker import Chunker
from chunking.factory import build_chunker
from chunking.quality import Quality, figures
from chunking.quality_measure import QualityMeter
from chunking.strategies.parts import EmbedderSource
from extraction.builder import DocumentBuilder
from rubrica.errors import ConfigurationError
from rubrica.model import ChunkedDocument, ChunkingStats, Document, ElementKind
from rubrica.protocols import Progress, TokenCounter
from rubrica.settings import ChunkingSettings, Settings

SERVED = "agentic"
"""The one strategy that asks a service."""

DEFAULT = ("smart", "smart:window", "heading", "recursive", "fixed", "semantic", "cluster")
"""All that need no service; `code` is for source code."""

_STRATEGIES: tuple[str, ...] = get_args(ChunkingSettings.model_fields["strategy"].annotation)
_MODES: tuple[str, ...] = get_args(ChunkingSettings.model_fields["mode"].annotation)
_SMART = "smart"
_WARM_UP = "This sentence is only read so that all models are loaded."
_TOKENS_OF_IT = 10


@dataclass(frozen=True, slots=True)
class Spec:
    """A strategy to compare, with the mode where it has some; ``str`` gives what the user writes."""

    strategy: str
    mode: str = ""

    def __str__(self) -> str:
        return f"{self.strategy}:{self.mode}" if self.mode else self.strategy


@dataclass(frozen=True, slots=True)
class Run:
    """What one strategy made of the documents.

    Attributes:
        spec: The strategy.
        results: Chunks by document, in the order of the documents.
        qualities: How good they are, by document.
        seconds: Time for all, models loaded.
    """

    spec: Spec
    results: Sequence[ChunkedDocument]
    qualities: Sequence[Quality]
    seconds: float

    @property
    def stats(self) -> ChunkingStats:
        """What it cost, in pairs."""
        return ChunkingStats(pairs_scored=sum(result.stats.pairs_scored for result in self.results))

    def figures(self) -> dict[str, int | float | None]:
        """Sizes, structure and sharpness over all documents."""
        return figures(sum(self.qualities, Quality()))


def parse_specs(text: str) -> list[Spec]:
    """Strategies out of a list such as ``smart,recursive,smart:window``.

    Raises:
        ConfigurationError: A name or mode is unknown, or one comes twice.
    """
    specs = [_spec(part.strip()) for part in text.split(",") if part.strip()]
    doubled = next((spec for spec in specs if specs.count(spec) > 1), None)
    if doubled or not specs:
        reason = f"{doubled} is named twice." if doubled else "No strategy is named."
        raise ConfigurationError(f"--strategies: {reason}", hint=f"For instance {','.join(DEFAULT[:4])}.")
    return specs


def _spec(text: str) -> Spec:
    strategy, _, mode = text.partition(":")
    _check(strategy, _STRATEGIES, "strategy")
    if not mode:
        return Spec(strategy)
    if strategy != _SMART:
        raise ConfigurationError(
            f"--strategies: {strategy} has no modes.", hint="Only smart has: " + ", ".join(_MODES) + "."
        )
    _check(mode, _MODES, "mode")
    return Spec(strategy, mode)


def _check(name: str, known: Sequence[str], what: str) -> None:
    if name not in known:
        near = get_close_matches(name, known, n=1, cutoff=0.75)
        hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(known)}."
        raise ConfigurationError(f"--strategies: there is no {what} {name!r}.", hint=hint)


class Comparison:
    """Cuts the same documents by one strategy after the other, without any cache between them."""

    def __init__(
        self,
        documents: Sequence[Document],
        settings: Settings,
        counter: TokenCounter,
        embedder: EmbedderSource,
    ) -> None:
        """Prepare; nothing is cut yet.

        Args:
            documents: What to cut.
            settings: Limits and all else that the strategies share.
            counter: The embedder's tokenizer.
            embedder: Gives the embedder, for strategies that compare vectors.
        """
        self._documents = documents
        self._settings = settings
        self._counter = counter
        self._embedder = embedder

    def run(self, spec: Spec, documents: Progress, pairs: Progress) -> Run:
        """Cut all documents by one strategy.

        Args:
            spec: The strategy.
            documents: Hears of every document done.
            pairs: Hears of every pair scored.

        Raises:
            ConfigurationError: The strategy lacks something that it needs.
        """
        update: dict[str, str] = {"strategy": spec.strategy}
        if spec.mode:
            update["mode"] = spec.mode
        chunking = self._settings.chunking.model_copy(update=update)
        llm = self._settings.llm
        chunker = build_chunker(chunking, self._counter, embedder=self._embedder, llm=llm, progress=pairs)
        if spec.strategy != SERVED:
            _load_models(chunker, chunking.max_tokens)
        started = time.perf_counter()
        results = list(chunker.chunk(self._documents, documents))
        seconds = time.perf_counter() - started
        return Run(spec, results, self._measure(results), seconds)

    def alike(self, runs: Sequence[Run]) -> list[Run]:
        """The runs with sharpness and cohesion of all by the same scores: those that ``smart`` gave.

        Scores of different models cannot be compared. A cut that ``smart`` did not score, as it could not
        have been made, does not count. Without ``smart`` among the runs, no run keeps such figures.
        """
        scores = self._smart_scores(runs)
        measured: list[Run] = []
        for run in runs:
            pairs = zip(run.results, scores, strict=True)
            judged = [replace(result, cut_scores=known) for result, known in pairs]
            measured.append(replace(run, qualities=self._measure(judged)))
        return measured

    def _smart_scores(self, runs: Iterable[Run]) -> list[Mapping[int, float]]:
        scores: list[dict[int, float]] = [{} for _ in self._documents]
        for run in runs:
            # Mode `full` scores whole sides against each other: other figures, of its own cuts only.
            mode = run.spec.mode or self._settings.chunking.mode
            if run.spec.strategy != _SMART or mode == "full":
                continue
            for known, result in zip(scores, run.results, strict=True):
                known.update(result.cut_scores)
        return list(scores)

    def _measure(self, results: Sequence[ChunkedDocument]) -> list[Quality]:
        meter = QualityMeter(self._settings.chunking, self._counter)
        return [meter.measure(*pair) for pair in zip(self._documents, results, strict=True)]


def _load_models(chunker: Chunker, max_tokens: int) -> None:
    """Cut a text that is long enough to be cut, so that no strategy's time holds the loading."""
    builder = DocumentBuilder()
    builder.add(ElementKind.PARAGRAPH, " ".join([_WARM_UP] * (max_tokens * 3 // (2 * _TOKENS_OF_IT) + 1)))
    chunker.chunk_one(
        Document(
            id="",
            source="",
            path="",
            revision="",
            content_hash="",
            media_type="text/plain",
            language="en",
            title="",
            text=builder.text,
            elements=builder.elements,
        )
    )
