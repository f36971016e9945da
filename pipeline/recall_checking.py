"""The check of recall, as the DAG ``recall_check`` and ``rubrica recall-check`` run it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

import structlog

from indexing.recall.metrics import LABELS, QUESTIONS
from indexing.recall.model import GoldenSet
from indexing.recall.regressions import METRIC
from pipeline.alarms import Review, note_empty, note_readable, note_unreadable, review
from pipeline.golden import sync_golden
from pipeline.recall import RecallRequest, evaluate_undisturbed
from pipeline.services import Services
from rubrica.errors import ConfigurationError, RubricaError, RunFailedError
from rubrica.log import get_logger
from rubrica.protocols import Progress

_P = ParamSpec("_P")
_R = TypeVar("_R")
_log = get_logger(__name__)


def run(step: Callable[Concatenate[Services, _P], _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
    """Run a step of the check as a task of its own, with services of its own."""
    with Services() as services, structlog.contextvars.bound_contextvars(stage=step.__name__):
        return step(services, *args, **kwargs)


def sets_to_check(services: Services) -> list[str]:
    """Bring the golden sets up to date with their sources, and name those that have questions.

    A source that cannot be read keeps the questions that it had; a file of questions that is wrong opens an
    alarm besides.

    Returns:
        Names of sets; none before anything is indexed.
    """
    live = services.catalog.generations.live(services.settings.indexing.alias)
    if live is None:
        _log.info("nothing is indexed yet")
        return []
    for source in services.catalog.sources.all(live.id):
        try:
            if sync_golden(services, source.spec.name).read:
                note_readable(services, source.spec.name)
        except ConfigurationError as error:
            note_unreadable(services, source.spec.name, error)
        except RubricaError as error:
            _log.warning("golden questions stay as they were", source=source.spec.name, reason=error.reason)
    summaries = services.catalog.golden.summaries()
    for summary in summaries:
        if not summary.questions:
            note_empty(services, summary.name)
    return [summary.name for summary in summaries if summary.questions]


def check_set(
    services: Services, name: str, *, trigger: str = "schedule", progress: Progress | None = None
) -> dict[str, Any]:
    """Ask one golden set and judge the answers: see ``pipeline.alarms.review``.

    Args:
        services: Open services.
        name: Name of the set.
        trigger: Who asks: "ingest", "schedule", "command".
        progress: Hears of every question.

    Returns:
        What was found, see ``as_row``.

    Raises:
        ConfigurationError: There is no such set, or nothing is indexed yet.
        TransientError: Ingestions change the index all the time.
    """
    golden = services.catalog.golden.get(name)
    if golden is None:
        raise ConfigurationError(f"There is no golden set {name!r}.", hint="See `rubrica golden list`.")
    record = evaluate_undisturbed(services, golden, RecallRequest(trigger=trigger), progress=progress)
    found = as_row(golden, review(services, golden, record))
    _log.info("recall checked", **{key: value for key, value in found.items() if key != "reasons"})
    return found


def as_row(golden: GoldenSet, found: Review) -> dict[str, Any]:
    """A review in a few values, as JSON has them."""
    compared = found.judgement.comparison
    return {
        "set": golden.name,
        "origin": str(golden.origin),
        "questions": int(found.record.metrics.get(QUESTIONS, 0)),
        METRIC: found.judgement.recall,
        LABELS: found.record.metrics.get(LABELS),
        "before": compared.before if compared else None,
        "accepted": found.accepted,
        "reasons": list(found.judgement.reasons),
        "alarms": [alarm.id for alarm in found.opened],
        "closed": list(found.closed),
        "evaluation": found.record.id,
    }


def summary(
    services: Services, names: Sequence[str] | None, checked: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """What a check came to.

    Args:
        services: Open services.
        names: The sets that were to be checked; ``None`` where they could not be listed.
        checked: What ``check_set`` found of each.

    Returns:
        ``sets`` (how many), ``worse`` (their names) and ``open_alarms`` (ids of all that are open now).

    Raises:
        RunFailedError: A set could not be asked.
    """
    alarms = services.catalog.alarms.open_alarms()
    for alarm in alarms:
        _log.warning("alarm is open", id=alarm.id, kind=alarm.said.kind.value, summary=alarm.said.summary)
    if names is None:
        raise RunFailedError("The golden sets could not be listed; see the log of the task sets.")
    left = sorted(set(names) - {row["set"] for row in checked})
    if left:
        raise RunFailedError(f"{len(left)} golden sets could not be asked: {', '.join(left)}.")
    return {
        "sets": len(checked),
        "worse": [row["set"] for row in checked if row["alarms"]],
        "open_alarms": [alarm.id for alarm in alarms],
    }
