"""Facts about generations, sources and recall as series."""

from __future__ import annotations

from collections import Counter as Tally
from datetime import datetime

from indexing.catalog.alarms import AlarmKind
from indexing.catalog.runs import RunState
from indexing.recall.metrics import DEPTHS, IOU, LABELS, MRR, NDCG, PRECISION, QUESTIONS, RECALL
from indexing.recall.model import Origin
from monitoring.exporter.facts import Facts, Watched
from monitoring.exporter.families import Families
from rubrica import metrics
from rubrica.model import Stage

_RANKING = (MRR, NDCG, PRECISION, IOU)
_FAILING = (Stage.EXTRACT, Stage.CHUNK, Stage.INDEX)
_DOCUMENT_STATES = ("indexed", "failed", "pending")
_REVISION = 12


def describe(families: Families, facts: Facts, watched: Watched) -> None:
    """Add all of it to a scrape."""
    _generations(families, facts, watched.alias)
    _documents(families, facts)
    _sources(families, facts)
    _runs(families, facts)
    _sets(families, facts, watched)
    _recall(families, facts, watched.alias)
    for kind in AlarmKind:
        families.add(metrics.ALARMS_OPEN, facts.alarms.get(kind.value, 0), kind.value)


def _generations(families: Families, facts: Facts, alias: str) -> None:
    if facts.live is not None:
        families.add(metrics.LIVE_GENERATION, facts.live.number, alias)
    for item in facts.generations:
        families.add(metrics.GENERATION_STATE, 1, alias, item.number, item.state)
        families.add_time(metrics.GENERATION_SINCE, item.since, alias, item.number, item.state)
    written: dict[int, datetime] = {}
    for holding in facts.holdings:
        if holding.written_at is not None:
            before = written.get(holding.generation_id, holding.written_at)
            written[holding.generation_id] = max(before, holding.written_at)
    for id_, moment in written.items():
        families.add_time(metrics.GENERATION_WRITTEN, moment, alias, facts.numbers[id_])


def _documents(families: Families, facts: Facts) -> None:
    documents: Tally[tuple[str, str]] = Tally()
    chunks: Tally[tuple[str, int]] = Tally()
    live = facts.live.id if facts.live else 0
    for item in facts.holdings:
        if item.generation_id == live:
            documents[item.source, item.state] = item.documents
        if item.generation_id in facts.numbers:
            chunks[item.source, facts.numbers[item.generation_id]] += item.chunks
    for source in facts.sources:
        for state in _DOCUMENT_STATES:
            families.add(metrics.DOCUMENTS, documents[source.name, state], source.name, state)
    for labels, number in sorted(chunks.items()):
        families.add(metrics.CHUNKS, number, *labels)


def _sources(families: Families, facts: Facts) -> None:
    failures = Tally({(item.source, item.name): int(item.number) for item in facts.failures})
    for source in facts.sources:
        families.add_time(metrics.SOURCE_CREATED, source.created_at, source.name)
        families.add_time(metrics.LAST_SUCCESS, source.last_success_at, source.name)
        revision = source.last_revision[:_REVISION]
        families.add_time(metrics.SOURCE_REVISION, source.last_success_at, source.name, revision)
        for stage in _FAILING:
            failures.setdefault((source.name, stage.value), 0)
    for labels, number in sorted(failures.items()):
        families.add(metrics.FAILURES, number, *labels)


def _runs(families: Families, facts: Facts) -> None:
    known = Tally({(item.source, item.name): int(item.number) for item in facts.runs})
    last = {run.source: run for run in facts.last_runs}
    for source in facts.sources:
        run = last.get(source.name)
        families.add_time(metrics.LAST_RUN, run.started_at if run else None, source.name)
        for state in RunState:
            families.add(metrics.RUNS, known[source.name, state.value], source.name, state.value)
            is_it = run is not None and run.state == state.value
            families.add(metrics.LAST_RUN_STATE, int(is_it), source.name, state.value)
    for run in facts.last_finished:
        if run.finished_at is not None:
            took = (run.finished_at - run.started_at).total_seconds()
            families.add(metrics.LAST_RUN_SECONDS, took, run.source)
    for item in facts.stage_seconds:
        families.add(metrics.LAST_RUN_STAGE_SECONDS, item.number, item.source, item.name)


def _sets(families: Families, facts: Facts, watched: Watched) -> None:
    families.add(metrics.LABELS_FLOOR, watched.labels_floor, watched.alias)
    for item in facts.sets:
        families.add(metrics.GOLDEN_QUESTIONS, item.questions, item.name, item.origin)
        # Questions that Rubrica made itself are no measure, only their change is: `pipeline.alarms`.
        if item.origin != Origin.BOOTSTRAP:
            families.add(metrics.RECALL_FLOOR, watched.recall_floor, watched.alias, item.name)


def _recall(families: Families, facts: Facts, alias: str) -> None:
    for item in facts.evaluations:
        labels = (alias, item.set_name, facts.numbers[item.generation_id])
        families.add_time(metrics.EVALUATED_AT, item.ended_at, *labels)
        families.add(metrics.LABELS_RESOLVED, item.metrics.get(LABELS, 1.0), *labels)
        if not item.metrics.get(QUESTIONS):
            continue  # Where no label resolves there are means of nothing.
        for depth in DEPTHS:
            families.add(metrics.RECALL_AT_K, item.metrics[RECALL.format(depth)], *labels, depth)
        for name in _RANKING:
            if name in item.metrics:
                families.add(metrics.RANKING, item.metrics[name], *labels, name)
    for item in facts.accepted:
        for depth in DEPTHS:
            if RECALL.format(depth) in item.metrics:
                value = item.metrics[RECALL.format(depth)]
                families.add(metrics.RECALL_ACCEPTED, value, alias, item.set_name, depth)
