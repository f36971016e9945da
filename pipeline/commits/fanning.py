"""One run a source, out of the events that started a run of the DAG ``watch``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pipeline.commits.model import Change
from pipeline.commits.starting import start_commit
from pipeline.services import Services
from rubrica.errors import RubricaError, SourceError
from rubrica.log import get_logger

_log = get_logger(__name__)


def start_all(payloads: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Start the run of each change that events tell of; of several of one source the last.

    Args:
        payloads: What the events carry, oldest first: ``{"changes": [{"source", "revision"}, …]}``.

    Returns:
        What became of each: ``source``, ``revision``, ``outcome``, ``run_id``.

    Raises:
        RubricaError: The first that could not be started for a reason that is not its own; the others were.
    """
    answers, errors = [], []
    with Services() as services, services.airflow() as client:
        for change in latest(payloads):
            try:
                answer = start_commit(services, client, change, trigger="poll")
            except SourceError as error:  # it was forgotten meanwhile
                _log.warning("commit of an unknown source", source=change.source, reason=error.reason)
            except RubricaError as error:
                errors.append(error)
            else:
                answers.append(change.to_json() | {"outcome": answer.outcome.value, "run_id": answer.run_id})
    if errors:
        raise errors[0]
    return answers


def latest(payloads: Iterable[Mapping[str, Any]]) -> list[Change]:
    """The last change of each source, in the order in which the sources are first named."""
    found: dict[str, Change] = {}
    for payload in payloads:
        for value in payload.get("changes", ()):
            change = Change.from_json(value)
            found[change.source] = change
    return list(found.values())
