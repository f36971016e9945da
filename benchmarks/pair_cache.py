"""What the pair cache costs: memory a score, speed, round trips, and its share of a warm re-run.

Run it with ``python -m benchmarks.pair_cache [--scores 10000 1000000 10000000]``. It starts the Redis
of the local stack on its own, once for each number of scores, and fills it with random scores, as
runs do: in slices, each with its expiry. Memory is the difference of Redis' ``used_memory``.

The re-run is of ``examples/norms``, beside the other scores. Its scores are made up instead of
computed: here only what surrounds them counts, and the tokenizer, the windows, the cache and the
cuts are the real ones.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import redis
from rich.console import Console
from rich.table import Table

import chunking
from benchmarks.rerun import read_documents
from chunking.cache.link import PAUSE_S
from chunking.factory import assemble_chunker
from chunking.pair_cache import Failed, Lookup, PairCache, RedisPairCache
from chunking.scorers.base import Pair
from chunking.scorers.onnx import OnnxPairScorer
from chunking.scoring import WindowScorer
from chunking.strategies.smart import SmartStrategy
from indexing.embedders.factory import build_counter
from pipeline.stack import LocalStack
from rubrica.model import Document
from rubrica.protocols import Progress
from rubrica.settings import Settings

_SCORES = (10_000, 1_000_000, 10_000_000)
_SLICE = 1 << 16
_PROBE = 100_000
_SEED = 4
_MODEL = Path(chunking.__file__).parent / "models" / "boundary-ru-en"


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast keys were handled.

    Attributes:
        rate: Keys a second of wall clock.
        cpu_us: Client's CPU time a key, in microseconds: what other load does not change.
        round_trips: Round trips for 10,000 keys.
    """

    rate: float
    cpu_us: float
    round_trips: float


@dataclass(frozen=True, slots=True)
class Cost:
    """What a number of scores costs.

    Attributes:
        scores: Scores stored.
        bytes_a_score: Memory of Redis for each, expiry included.
        expiring: Share of our keys in Redis that will expire.
        write: Storing them.
        hit: Looking up scores that are there.
        miss: Looking up scores that are not.
    """

    scores: int
    bytes_a_score: float
    expiring: float
    write: Speed
    hit: Speed
    miss: Speed


@dataclass(frozen=True, slots=True)
class Rerun:
    """What a warm re-run spends on the cache, beside a number of other scores."""

    scores: int
    hits: int
    misses: int
    seconds: float
    cache_seconds: float


class Stopwatch:
    """Measures one stretch of work on a cache."""

    def __init__(self, cache: RedisPairCache) -> None:
        self._cache = cache
        self._begun = (time.perf_counter(), time.process_time(), cache.link.round_trips)

    def speed(self, keys: int) -> Speed:
        """Of the work since the start."""
        wall, cpu, trips = self._begun
        return Speed(
            keys / (time.perf_counter() - wall),
            (time.process_time() - cpu) / keys * 1e6,
            (self._cache.link.round_trips - trips) / keys * 10_000,
        )


class TimedCache:
    """A cache that tells how long it was waited for."""

    def __init__(self, cache: PairCache) -> None:
        self._cache = cache
        self.seconds = 0.0

    def read(self, namespace: str, keys: Sequence[bytes]) -> Lookup:
        """Look scores up."""
        with self._timed():
            return self._cache.read(namespace, keys)

    def write(self, namespace: str, keys: Sequence[bytes], values: npt.NDArray[np.float32]) -> Failed:
        """Store scores."""
        with self._timed():
            return self._cache.write(namespace, keys, values)

    @contextmanager
    def _timed(self) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        self.seconds += time.perf_counter() - begun


class MadeUpScores(OnnxPairScorer):
    """The bundled scorer's tokenizer and windows, but numbers instead of the network."""

    def score(self, pairs: Sequence[Pair], progress: Progress) -> npt.NDArray[np.float32]:
        """Numbers that the pairs alone decide."""
        progress.advance(len(pairs))
        return np.array([np.sin(left.sum() - right.sum()) for left, right in pairs], dtype=np.float32)


@contextmanager
def redis_of_its_own() -> Iterator[str]:
    """URL of a fresh Redis of the local stack."""
    with tempfile.TemporaryDirectory() as folder:
        stack = LocalStack(Path(folder))
        try:
            yield stack.up(services=("redis",)).redis_url
        finally:
            stack.purge()


def random_keys(count: int, seed: int) -> list[bytes]:
    """Keys as ``pair_key`` makes them."""
    packed = np.random.default_rng(seed).bytes(12 * count)
    return [packed[i : i + 12] for i in range(0, len(packed), 12)]


def fill(cache: RedisPairCache, scores: int, console: Console) -> None:
    """Store random scores."""
    for start in range(0, scores, _SLICE):
        keys = random_keys(min(_SLICE, scores - start), start)
        values = np.random.default_rng(start).normal(size=len(keys)).astype(np.float32)
        while cache.write("benchmark", keys, values).any():
            console.log("Redis is slow; the slice is written again in a moment")
            time.sleep(PAUSE_S)
        if start and start % (_SLICE * 16) == 0:
            console.log(f"{start:,} of {scores:,} scores written")


def measure(cache: RedisPairCache, client: redis.Redis, scores: int, console: Console) -> Cost:
    """Fill an empty cache, and read from it."""
    before = client.info("memory")["used_memory"]
    watch = Stopwatch(cache)
    fill(cache, scores, console)
    write = watch.speed(scores)
    memory = client.info("memory")["used_memory"] - before
    keyspace = client.info("keyspace")["db0"]
    last = (scores - 1) // _SLICE * _SLICE
    known = [key for start in {0, last} for key in random_keys(min(_SLICE, scores - start), start)][:_PROBE]
    watch = Stopwatch(cache)
    found = cache.read("benchmark", known)
    hit = watch.speed(len(known))
    if found.missed.any():
        raise SystemExit(f"{found.missed.sum()} of {len(known)} scores are lost.")
    watch = Stopwatch(cache)
    cache.read("benchmark", random_keys(len(known), scores + _SEED))
    miss = watch.speed(len(known))
    return Cost(scores, memory / scores, keyspace["expires"] / keyspace["keys"], write, hit, miss)


def rerun(cache: RedisPairCache, scores: int, documents: Sequence[Document], settings: Settings) -> Rerun:
    """Chunk documents twice; the second time is measured."""
    timed = TimedCache(cache)
    counter = build_counter(settings.indexing)

    def chunk() -> tuple[int, int]:
        scorer = WindowScorer(MadeUpScores(_MODEL), timed, settings.chunking.window_tokens)
        strategy = SmartStrategy(scorer, mode="optimal", structure=True)
        stats = [
            item.stats for item in assemble_chunker(settings.chunking, counter, strategy).chunk(documents)
        ]
        return sum(item.pair_cache_hits for item in stats), sum(item.pairs_scored for item in stats)

    chunk()
    begun, timed.seconds = time.perf_counter(), 0.0
    hits, misses = chunk()
    return Rerun(scores, hits, misses, time.perf_counter() - begun, timed.seconds)


def show_costs(costs: Sequence[Cost], console: Console) -> None:
    """Print the table of costs."""
    table = Table("scores", title="Pair cache", title_justify="left")
    for heading in ("bytes a score", "expiring"):
        table.add_column(heading, justify="right")
    for what in ("written", "hits", "misses"):
        for heading in (f"{what} / s", "µs CPU each", "round trips / 10,000"):
            table.add_column(heading, justify="right")
    for cost in costs:
        cells = [f"{cost.scores:,}", f"{cost.bytes_a_score:.1f}", f"{cost.expiring:.0%}"]
        for speed in (cost.write, cost.hit, cost.miss):
            cells += [f"{speed.rate:,.0f}", f"{speed.cpu_us:.1f}", f"{speed.round_trips:.1f}"]
        table.add_row(*cells)
    console.print(table)


def show_reruns(reruns: Sequence[Rerun], console: Console) -> None:
    """Print the table of re-runs."""
    table = Table(title="Warm re-run", title_justify="left")
    for heading in ("scores in Redis", "hits", "scored", "seconds", "in the cache", "share", "hits / s"):
        table.add_column(heading, justify="right")
    for run in reruns:
        table.add_row(
            *(f"{run.scores:,}", f"{run.hits:,}", f"{run.misses:,}", f"{run.seconds:.2f}"),
            *(f"{run.cache_seconds:.3f}", f"{run.cache_seconds / run.seconds:.1%}"),
            f"{run.hits / run.cache_seconds:,.0f}",
        )
    console.print(table)


def main() -> None:
    """Run and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--scores", type=int, nargs="+", default=_SCORES, help="numbers of scores")
    options = parser.parse_args()
    console, settings = Console(width=160), Settings()
    documents = read_documents(settings)
    costs, reruns = [], []
    for scores in options.scores:
        with redis_of_its_own() as url:
            cache, client = RedisPairCache(url, days=90, megabytes=4096), redis.Redis.from_url(url)
            costs.append(measure(cache, client, scores, console))
            reruns.append(rerun(cache, scores, documents, settings))
            cache.close()
            client.close()
    show_costs(costs, console)
    show_reruns(reruns, console)


if __name__ == "__main__":
    main()
