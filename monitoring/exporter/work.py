"""What finished runs did, as counters that never fall.

The catalog knows what each run counted, and a run can be deleted with its source. So the totals are kept here
and only runs that ended since are added: a deleted run does not take its work back. After a restart the
totals begin with what the catalog still knows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from indexing.catalog.monitoring import FinishedRun, Reading, RunWork
from monitoring.exporter.families import Families
from rubrica import metrics
from rubrica.metrics import Counter, Series

_BEGINNING = datetime.fromtimestamp(0, UTC)
# A run may be committed after one that ended later, so that runs are looked at again for a while.
_OVERLAP = timedelta(minutes=10)

_PLAIN: dict[str, Series] = {
    Counter.PAIRS_SCORED: metrics.PAIRS_SCORED,
    Counter.PAIR_CACHE_HITS: metrics.PAIR_CACHE_HITS,
    Counter.PAIR_CACHE_MISSES: metrics.PAIR_CACHE_MISSES,
    Counter.PAIR_CACHE_ERRORS: metrics.PAIR_CACHE_ERRORS,
    Counter.CHUNKS_EMBEDDED: metrics.CHUNKS_EMBEDDED,
    Counter.EMBED_CACHE_HITS: metrics.EMBED_CACHE_HITS,
    Counter.EMBED_CACHE_MISSES: metrics.EMBED_CACHE_MISSES,
    Counter.EMBED_CACHE_ERRORS: metrics.EMBED_CACHE_ERRORS,
}
_CHANGES = (
    *(Counter.ADDED, Counter.CHANGED, Counter.MOVED),
    *(Counter.REMOVED, Counter.SKIPPED, Counter.FAILED),
)
_WRITES = {
    Counter.CHUNKS_WRITTEN: "written",
    Counter.CHUNKS_KEPT: "kept",
    Counter.CHUNKS_REMOVED: "removed",
}
_ENDS = ("success", "warning", "failed")

_Key = tuple[Series, tuple[str, ...]]


class WorkTotals:
    """Totals over all runs that ended, since the catalog began to know them."""

    def __init__(self) -> None:
        self._totals: dict[_Key, float] = defaultdict(float)
        self._seen: dict[str, datetime] = {}
        self._after = _BEGINNING

    def follow(self, reading: Reading, sources: Iterable[str]) -> None:
        """Add the runs that ended since the last call.

        Args:
            reading: An open snapshot.
            sources: Sources that have totals even before their first run.
        """
        ended = [
            run for run in reading.finished_runs(self._after) if self._seen.get(run.id) != run.finished_at
        ]
        work = reading.work([run.id for run in ended]) if ended else []
        for source in sources:
            self._begin(source)
        self._add(ended, work)
        self._seen |= {run.id: run.finished_at for run in ended}
        self._after = max([self._after, *(run.finished_at - _OVERLAP for run in ended)])
        self._seen = {id_: moment for id_, moment in self._seen.items() if moment > self._after}

    def describe(self, families: Families) -> None:
        """Add the totals to a scrape."""
        for (series, labels), total in sorted(self._totals.items(), key=lambda item: item[0][1]):
            families.add(series, total, *labels)

    def _begin(self, source: str) -> None:
        for key in _keys(source):
            self._totals[key] += 0.0

    def _add(self, ended: list[FinishedRun], work: list[RunWork]) -> None:
        source_of = {run.id: run.source for run in ended}
        for run in ended:
            self._totals[metrics.RUNS_FINISHED, (run.source, run.state)] += 1
            self._totals[metrics.RUN_SECONDS, (run.source,)] += max(run.seconds, 0.0)
        for item in work:
            key = _key(source_of[item.run_id], item)
            if key is not None:
                self._totals[key] += item.value


def _keys(source: str) -> Iterable[_Key]:
    yield from ((series, (source,)) for series in (*_PLAIN.values(), metrics.RUN_SECONDS))
    yield from ((metrics.RUNS_FINISHED, (source, state)) for state in _ENDS)
    yield from ((metrics.DOCUMENT_CHANGES, (source, change.value)) for change in _CHANGES)
    yield from ((metrics.CHUNK_WRITES, (source, action)) for action in _WRITES.values())


def _key(source: str, item: RunWork) -> _Key | None:
    if item.name in _PLAIN:
        return _PLAIN[item.name], (source,)
    if item.name in _CHANGES:
        return metrics.DOCUMENT_CHANGES, (source, item.name)
    if item.name in _WRITES:
        return metrics.CHUNK_WRITES, (source, _WRITES[Counter(item.name)])
    if item.name == Counter.STAGE_SECONDS:
        return metrics.STAGE_SECONDS, (source, item.stage)
    return None
