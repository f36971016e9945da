"""How good the chunks of the generations in use are, read beside the scrapes: it can take a while."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime

from chunking.quality import FIXED_POINT, SCORE_BOUNDS, TOKEN_BOUNDS, Quality
from indexing.catalog.monitoring import GenerationFacts, read_catalog
from monitoring.exporter.facts import Facts
from monitoring.exporter.families import Families
from rubrica import metrics
from rubrica.errors import RubricaError
from rubrica.log import get_logger

_STATES = ("live", "soaking", "building")
_TIMEOUT_S = 600.0
_WAIT_S = 1.0
_TORN = {"table": "tables", "clause": "clauses", "heading": "headings"}
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class GenerationQuality:
    """What a generation holds, by source.

    Attributes:
        read_at: When it was read.
        by_source: Counts and sums.
        repeated: Chunks whose text stands in another document too.
    """

    read_at: datetime
    by_source: Mapping[str, Quality]
    repeated: Mapping[str, int]


_State = tuple[object, ...]


class QualityWatch:
    """Reads the quality of generations again when they were written to, in a thread of its own."""

    def __init__(self, postgres_url: str, *, every_s: float) -> None:
        """Watch a catalog.

        Args:
            postgres_url: PostgreSQL of the catalog.
            every_s: Least time between two readings, in seconds.
        """
        self._postgres_url = postgres_url
        self._every_s = every_s
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="quality")
        self._pending: Future[tuple[_State, dict[int, GenerationQuality]]] | None = None
        self._known: Mapping[int, GenerationQuality] = {}
        self._state: _State = ()
        self._next = 0.0

    def latest(self, facts: Facts) -> Mapping[int, GenerationQuality]:
        """What is known now, by id of the generation; a reading that is due is begun.

        Args:
            facts: What the catalog holds.
        """
        state = _state(facts)
        if self._pending is None and state != self._state and time.monotonic() >= self._next:
            ids = [item.id for item in facts.generations if item.state in _STATES]
            self._pending = self._thread.submit(self._read, state, ids)
        if self._pending is not None:
            self._take(self._pending)
        return self._known

    def close(self) -> None:
        """End the thread when it has read."""
        self._thread.shutdown(cancel_futures=True)

    def _read(self, state: _State, ids: list[int]) -> tuple[_State, dict[int, GenerationQuality]]:
        with read_catalog(self._postgres_url, timeout_s=_TIMEOUT_S) as reading:
            now = datetime.now(UTC)
            found = {
                id_: GenerationQuality(
                    now,
                    {source: Quality.from_counts(counts) for source, counts in reading.quality(id_).items()},
                    reading.repeated(id_),
                )
                for id_ in ids
            }
        return state, found

    def _take(self, pending: Future[tuple[_State, dict[int, GenerationQuality]]]) -> None:
        try:
            self._state, self._known = pending.result(timeout=_WAIT_S)
        except TimeoutError:
            return
        except RubricaError as error:
            _log.warning("the quality of chunks could not be read", reason=error.reason)
        self._pending = None
        self._next = time.monotonic() + self._every_s


def _state(facts: Facts) -> _State:
    """What changes when a reading would give something else."""
    return tuple(
        sorted(
            (item.generation_id, item.source, item.state, item.documents, item.chunks, item.written_at or 0)
            for item in facts.holdings
            if item.state == "indexed"
        )
    )


def describe(families: Families, facts: Facts, known: Mapping[int, GenerationQuality]) -> None:
    """Add the quality of chunks to a scrape."""
    for generation in facts.generations:
        quality = known.get(generation.id)
        if quality is not None and generation.state in _STATES:
            _describe_generation(families, generation, quality)
    times = [item.read_at for item in known.values()]
    families.add_time(metrics.QUALITY_AT, max(times, default=None))


def _describe_generation(families: Families, generation: GenerationFacts, known: GenerationQuality) -> None:
    limits = {"min": generation.min_tokens, "max": generation.max_tokens}
    for name, limit in limits.items():
        if limit is not None:
            families.add(metrics.SIZE_LIMITS, limit, generation.number, name)
    for source, quality in known.by_source.items():
        labels = (source, generation.number)
        _sizes(families, quality, labels)
        _scores(families, quality, labels)
        _faults(families, quality, labels, generation.max_tokens, known.repeated.get(source, 0))
        for unit, name in _TORN.items():
            families.add(metrics.UNITS, getattr(quality, name), *labels, unit)
            torn = quality.headings_parted if unit == "heading" else getattr(quality, f"{name}_torn")
            families.add(metrics.UNITS_TORN, torn, *labels, unit)


_Labels = tuple[str, int]


def _sizes(families: Families, quality: Quality, labels: _Labels) -> None:
    families.add(metrics.MEASURED, quality.chunks, *labels)
    total = sum(size * count for size, count in quality.tokens.items())
    families.add_histogram(metrics.CHUNK_TOKENS, TOKEN_BOUNDS, quality.token_histogram(), total, *labels)


def _scores(families: Families, quality: Quality, labels: _Labels) -> None:
    total = quality.made_sum / FIXED_POINT
    families.add_histogram(metrics.BOUNDARY_SCORE, SCORE_BOUNDS, quality.score_histogram(), total, *labels)
    for made, count, score in (
        ("yes", quality.cuts_made, quality.made_sum),
        ("no", quality.cuts_inside, quality.inside_sum),
    ):
        families.add(metrics.CUTS, count, *labels, made)
        families.add(metrics.CUT_SCORES_SUMMED, score / FIXED_POINT, *labels, made)


def _faults(
    families: Families, quality: Quality, labels: _Labels, max_tokens: int | None, elsewhere: int
) -> None:
    faults = {
        "under_min": quality.under_min,
        "fragment": quality.fragments,
        "duplicate": quality.duplicates,
        "duplicate_elsewhere": elsewhere,
    }
    if max_tokens is not None:
        faults["oversized"] = sum(count for size, count in quality.tokens.items() if size > max_tokens)
    for fault, count in faults.items():
        families.add(metrics.CHUNK_FAULTS, count, *labels, fault)
