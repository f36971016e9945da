"""The first page: is it right, is it fresh, what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from pipeline.services import Services

if TYPE_CHECKING:
    from indexing.catalog.alarms import Alarm
    from indexing.catalog.runs import Run

_ABOUT_ANSWERS = frozenset({"recall", "labels", "questions", "gate"})
"""Kinds of alarms that say something about answers; the others are about the machinery."""


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source and how far the live index has followed it.

    Attributes:
        name: Its name.
        kind: What it is.
        location: Where it is; without a login.
        revision: Revision that was reached.
        success: When it was reached.
        run: The last run.
        documents: Documents by state.
        failures: Open failures.
    """

    name: str
    kind: str
    location: str
    revision: str
    success: datetime | None
    run: Run | None
    documents: Counter[str]
    failures: int


@dataclass(frozen=True, slots=True)
class SetState:
    """A golden set and its last evaluation."""

    name: str
    origin: str
    questions: int
    recall: float | None
    at: datetime | None
    good: bool


@dataclass(frozen=True, slots=True)
class Glance:
    """All that one look should tell.

    Attributes:
        generation: Number of the live generation; ``None`` where nothing is indexed.
        documents: Documents in it.
        chunks: Their chunks.
        sources: Every source.
        sets: Every golden set.
        worse: Open alarms about answers.
        others: The other open alarms: runs, deadlines, polls, alerts of Prometheus.
        failures: Open failures by stage.
    """

    generation: int | None
    documents: int
    chunks: int
    sources: Sequence[SourceState]
    sets: Sequence[SetState]
    worse: Sequence[Alarm]
    others: Sequence[Alarm]
    failures: Counter[str]

    @property
    def right(self) -> bool | None:
        """Whether answers are as good as they should be; ``None`` where nobody measures."""
        measured = [item for item in self.sets if item.recall is not None]
        if self.worse:
            return False
        return all(item.good for item in measured) if measured else None

    @property
    def fresh(self) -> bool | None:
        """Whether no source is behind; ``None`` where there is no source."""
        if not self.sources and not self.behind:
            return None
        return not self.behind

    @property
    def behind(self) -> tuple[str, ...]:
        """Sources whose last run failed, that never had a good one, or that cannot be polled."""
        late = {item.name for item in self.sources if item.success is None or _failed(item.run)}
        unheard = {str(item.said.details.get("source", "")) for item in self.others if _is_poll(item)}
        return tuple(sorted((late | unheard) - {""}))


def _failed(run: Run | None) -> bool:
    return run is not None and run.state.value == "failed"


def _is_poll(alarm: Alarm) -> bool:
    return alarm.said.kind.value == "poll"


def glance(services: Services) -> Glance:
    """All that one look should tell."""
    catalog = services.catalog
    live = catalog.generations.live(services.settings.indexing.alias)
    failures = [record.failure for record in catalog.failures.find()]
    documents, chunks = catalog.generations.sizes(live.alias).get(live.id, (0, 0)) if live else (0, 0)
    alarms = catalog.alarms.open_alarms()
    return Glance(
        live.number if live else None,
        documents,
        chunks,
        _sources(services, live.id if live else None, Counter(item.source for item in failures)),
        _sets(services),
        [item for item in alarms if item.said.kind.value in _ABOUT_ANSWERS],
        [item for item in alarms if item.said.kind.value not in _ABOUT_ANSWERS],
        Counter(item.stage.value for item in failures),
    )


def _sources(services: Services, live_id: int | None, failures: Counter[str]) -> list[SourceState]:
    from sources.location import shown_location

    catalog = services.catalog
    states: dict[str, Counter[str]] = {}
    for (source, state), count in (catalog.indexed.counts(live_id) if live_id else {}).items():
        states.setdefault(source, Counter())[state] = count
    return [
        SourceState(
            item.spec.name,
            item.spec.kind,
            shown_location(item.spec),
            item.last_revision,
            item.last_success_at,
            catalog.runs.last(item.spec.name),
            states.get(item.spec.name, Counter()),
            failures[item.spec.name],
        )
        for item in catalog.sources.all(live_id)
    ]


def _sets(services: Services) -> list[SetState]:
    found = []
    floor = services.settings.recall.recall_floor
    for item in services.catalog.golden.summaries():
        last = next(iter(services.catalog.evaluations.history(item.name, limit=1)), None)
        measured = last is not None and bool(last.metrics.get("questions"))
        recall = last.metrics.get("recall@5") if last is not None and measured else None
        good = recall is None or item.origin == "bootstrap" or recall >= floor
        at = last.started_at if last is not None else None
        found.append(SetState(item.name, item.origin, item.questions, recall, at, good))
    return found
