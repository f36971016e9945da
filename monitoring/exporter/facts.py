"""What one scrape reads from the catalog, all of it in one snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from indexing.catalog.monitoring import (
    GenerationFacts,
    Holding,
    LastRun,
    Measured,
    Reading,
    SetFacts,
    SourceCount,
    SourceFacts,
)
from rubrica.metrics import Counter

_NO_GENERATION = 0


@dataclass(frozen=True, slots=True)
class Watched:
    """What is watched.

    Attributes:
        postgres_url: PostgreSQL of the catalog.
        alias: The alias whose generations are described.
        search: How a set is asked in the evaluations that count, as they were stored.
        recall_floor: recall@5 under which an alarm is opened.
        labels_floor: The same of the share of labels that resolve.
    """

    postgres_url: str
    alias: str
    search: Mapping[str, Any]
    recall_floor: float
    labels_floor: float


@dataclass(frozen=True, slots=True)
class Facts:
    """One reading of the catalog; see ``indexing.catalog.monitoring.Reading`` for each."""

    generations: tuple[GenerationFacts, ...]
    holdings: tuple[Holding, ...]
    sources: tuple[SourceFacts, ...]
    runs: tuple[SourceCount, ...]
    failures: tuple[SourceCount, ...]
    last_runs: tuple[LastRun, ...]
    last_finished: tuple[LastRun, ...]
    stage_seconds: tuple[SourceCount, ...]
    sets: tuple[SetFacts, ...]
    evaluations: tuple[Measured, ...]
    accepted: tuple[Measured, ...]
    alarms: Mapping[str, int]

    @property
    def live(self) -> GenerationFacts | None:
        """The generation that is searched."""
        return next((item for item in self.generations if item.state == "live"), None)

    @property
    def numbers(self) -> Mapping[int, int]:
        """Number of each generation by its id in the catalog."""
        return {item.id: item.number for item in self.generations}


def read_facts(reading: Reading, watched: Watched) -> Facts:
    """Read everything that a scrape tells, but for work and quality.

    Args:
        reading: An open snapshot.
        watched: What is watched.
    """
    generations = reading.generations(watched.alias)
    live = next((item.id for item in generations if item.state == "live"), _NO_GENERATION)
    ids = [item.id for item in generations] or [_NO_GENERATION]
    finished = reading.last_runs(finished=True)
    return Facts(
        generations=tuple(generations),
        holdings=tuple(reading.holdings(ids)),
        sources=tuple(reading.sources(live)),
        runs=tuple(reading.runs()),
        failures=tuple(reading.failures()),
        last_runs=tuple(reading.last_runs()),
        last_finished=tuple(finished),
        stage_seconds=tuple(reading.stage_seconds([run.id for run in finished], Counter.STAGE_SECONDS)),
        sets=tuple(reading.sets()),
        evaluations=tuple(reading.evaluations(ids, watched.search)),
        accepted=tuple(reading.accepted(watched.alias)),
        alarms=reading.open_alarms(),
    )
