"""The failures page: what failed, and another try."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.services import Services
from rubrica.errors import ConfigurationError

if TYPE_CHECKING:
    from indexing.catalog.failures import FailureRecord

LISTED = 100
"""Failures of a page."""


@dataclass(frozen=True, slots=True)
class FailureList:
    """A page of the open failures.

    Attributes:
        records: By source and path.
        total: How many the filters let through.
        page: Which page, from 1.
        pages: How many there are.
        sources: Open failures by source, all of them.
        stages: Open failures by stage, all of them.
        watched: How many sources there are.
    """

    records: Sequence[FailureRecord]
    total: int
    page: int
    pages: int
    sources: Counter[str]
    stages: Counter[str]
    watched: int


@dataclass(frozen=True, slots=True)
class FailedPath:
    """Names a failure: each path of a source has at most one that is open."""

    source: str
    path: str


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run that tries failed documents again.

    Attributes:
        source: Its source.
        run_id: Its id.
        state: As Airflow has it.
        documents: How many it takes again.
    """

    source: str
    run_id: str
    state: str
    documents: int


def failures(services: Services, *, source: str = "", stage: str = "", page: int = 1) -> FailureList:
    """The open failures.

    Args:
        services: Open services.
        source: Only of this source.
        stage: Only of this stage.
        page: Which page, from 1.
    """
    records = services.catalog.failures.find()
    shown = [
        record
        for record in records
        if source in {"", record.failure.source} and stage in {"", record.failure.stage.value}
    ]
    first = (page - 1) * LISTED
    return FailureList(
        shown[first : first + LISTED],
        len(shown),
        page,
        max(1, -(-len(shown) // LISTED)),
        Counter(record.failure.source for record in records),
        Counter(record.failure.stage.value for record in records),
        len(services.catalog.sources.all()),
    )


def retry(services: Services, wanted: Iterable[FailedPath]) -> list[StartedRun]:
    """Let Airflow try failed documents again, although they did not change: what ``rubrica retry`` does.

    Args:
        services: Open services.
        wanted: Which.

    Returns:
        The runs, one a source.

    Raises:
        ConfigurationError: None of them has failed.
        StackDownError: Airflow does not answer.
    """
    from pipeline.ingestion import DAG_ID, start
    from pipeline.steps import IngestRequest

    paths: dict[str, list[str]] = defaultdict(list)
    for item in wanted:
        paths[item.source].append(item.path)
    runs = []
    with services.airflow() as client:
        for source, some in sorted(paths.items()):
            records = services.catalog.failures.retry(source, some)
            if records:
                run_id = start(client, services, IngestRequest(source, trigger="retry"))
                state = client.run(DAG_ID, run_id).state
                runs.append(StartedRun(source, run_id, state, len(records)))
    if not runs:
        raise ConfigurationError(
            "None of these documents is on the list of failures any more.", hint="Load the page again."
        )
    return runs


def state_of(services: Services, run_id: str) -> str:
    """State of a run that was started; as Airflow has it.

    Raises:
        FatalError: Airflow does not know it.
        StackDownError: Airflow does not answer.
    """
    from pipeline.ingestion import DAG_ID

    with services.airflow() as client:
        return client.run(DAG_ID, run_id).state
