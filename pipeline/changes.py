"""What has changed between two evaluations: documents, settings, generation, the way of searching."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from indexing.catalog.generations import Generation
from indexing.recall.model import EvaluationRecord
from pipeline.services import Services
from rubrica.errors import RubricaError
from rubrica.log import get_logger
from sources.history import commits

_log = get_logger(__name__)


def changes_since(services: Services, before: EvaluationRecord, now: EvaluationRecord) -> dict[str, Any]:
    """What a reader of an alarm asks first: what did we change?

    Args:
        services: Open services.
        before: The evaluation that was accepted.
        now: The evaluation that is worse.

    Returns:
        ``since`` (when the first was made), ``evaluation`` (its id), ``generation`` (numbers ``before``
        and ``now``), ``settings`` and ``search`` (those that differ, see ``different``), ``models``
        (whether the versions of Rubrica or its models changed though no setting did), ``sources`` (each
        that moved, with ``from``, ``to`` and its commits).
    """
    generations = services.catalog.generations
    old, new = generations.get(before.generation_id), generations.get(now.generation_id)
    settings = different(_settings(old), _settings(new))
    return {
        "since": before.started_at,
        "evaluation": before.id,
        "generation": {"before": old and old.number, "now": new and new.number},
        "settings": settings,
        "models": before.config_sig != now.config_sig and not settings,
        "search": different(before.search, now.search),
        "sources": list(_moved(services, before.revisions, now.revisions)),
    }


def different(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Values that differ, by name: objects with ``name``, ``before`` and ``now``."""
    names = sorted(before.keys() | now.keys())
    return [
        {"name": name, "before": before.get(name), "now": now.get(name)}
        for name in names
        if before.get(name) != now.get(name)
    ]


def between_generations(old: Generation, new: Generation) -> dict[str, Any]:
    """What sets two generations of the same documents apart; see ``changes_since``."""
    settings = different(_settings(old), _settings(new))
    return {
        "generation": {"before": old.number, "now": new.number},
        "settings": settings,
        "models": old.config_sig != new.config_sig and not settings,
    }


def _settings(generation: Generation | None) -> dict[str, Any]:
    """A generation's settings under the names of their variables."""
    known = generation.settings if generation else {}
    return {f"RUBRICA_{name.upper()}": value for name, value in known.items()}


def _moved(services: Services, before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for name in sorted(now):
        old, new = before.get(name, ""), now[name]
        if old != new:
            yield {"source": name, "from": old, "to": new} | _commits(services, name, old, new)


def _commits(services: Services, name: str, old: str, new: str) -> dict[str, Any]:
    """The commits in between; an alarm is raised also where they cannot be read."""
    spec = services.catalog.sources.get(name)
    if spec is None:
        return {"commits": [], "note": "The source is not known any more."}
    try:
        found = commits(spec, services.settings, since=old, until=new)
    except RubricaError as error:
        _log.warning("the history could not be read", source=name, reason=error.reason)
        return {"commits": [], "note": f"Its history could not be read: {error.reason}"}
    return {"commits": [asdict(commit) for commit in found]}
