"""The collector: one reading of the catalog, kept for a few seconds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from threading import Lock

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from indexing.catalog.monitoring import read_catalog
from monitoring.exporter import quality
from monitoring.exporter.describe import describe
from monitoring.exporter.facts import Facts, Watched, read_facts
from monitoring.exporter.families import Families
from monitoring.exporter.quality import QualityWatch
from monitoring.exporter.work import WorkTotals
from rubrica import __version__, metrics
from rubrica.errors import RubricaError
from rubrica.log import get_logger

_log = get_logger(__name__)


class CatalogCollector(Collector):
    """Describes the catalog to Prometheus.

    While PostgreSQL cannot be read there is ``rubrica_up 0`` and nothing else: an old number would be taken
    for a new one.
    """

    def __init__(self, watched: Watched, *, cache_s: float = 5.0, quality_s: float = 60.0) -> None:
        """Watch a catalog; nothing is read yet.

        Args:
            watched: What is watched.
            cache_s: How long a reading is given again, in seconds.
            quality_s: Least time between two readings of the chunks' quality, in seconds.
        """
        self._watched = watched
        self._cache_s = cache_s
        self._work = WorkTotals()
        self._quality = QualityWatch(watched.postgres_url, every_s=quality_s)
        self._lock = Lock()
        self._families: list[Metric] = []
        self._stale_at = 0.0
        self._reason = ""

    def describe(self) -> Iterator[Metric]:
        """Nothing: the registry would read the catalog to know the names."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """The series, read now or a few seconds ago."""
        with self._lock:
            if time.monotonic() >= self._stale_at:
                self._families = list(self._read())
                self._stale_at = time.monotonic() + self._cache_s
            return iter(self._families)

    def close(self) -> None:
        """End what reads in the background."""
        self._quality.close()

    def _read(self) -> Families:
        families = Families()
        families.add(metrics.BUILD, 1, __version__)
        started = time.perf_counter()
        try:
            with read_catalog(self._watched.postgres_url) as reading:
                facts = read_facts(reading, self._watched)
                self._work.follow(reading, [source.name for source in facts.sources])
        except RubricaError as error:
            self._tell(error)
            families.add(metrics.UP, 0)
            return families
        self._reason = ""
        families.add(metrics.READ_SECONDS, time.perf_counter() - started)
        self._describe(families, facts)
        return families

    def _describe(self, families: Families, facts: Facts) -> None:
        families.add(metrics.UP, 1)
        families.add_time(metrics.READ_AT, datetime.now(UTC))
        describe(families, facts, self._watched)
        self._work.describe(families)
        quality.describe(families, facts, self._quality.latest(facts))

    def _tell(self, error: RubricaError) -> None:
        """Say once why there are no series, not at every scrape."""
        if error.reason != self._reason:
            _log.warning("the catalog cannot be read", reason=error.reason, hint=error.hint)
        self._reason = error.reason
