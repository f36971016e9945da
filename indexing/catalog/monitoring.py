"""What the exporter of metrics reads: a few statements in one snapshot that cannot change anything.

Each reading has a connection of its own, so that a server that went away is noticed within seconds and one
that came back is found again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from indexing.catalog.database import Connection, translate
from rubrica.errors import ConfigurationError, StackDownError

_CONNECT_TIMEOUT_S = 3
_STATEMENT_TIMEOUT_S = 5.0
_YOUNGEST = 10
_R = TypeVar("_R")

_GENERATIONS = """
SELECT id, number, state, coalesce(
        CASE state WHEN 'building' THEN created_at WHEN 'live' THEN live_at ELSE ended_at END, created_at
    ) AS since,
    (settings ->> 'min_tokens')::int AS min_tokens, (settings ->> 'max_tokens')::int AS max_tokens
FROM generations WHERE alias = %(alias)s AND state <> 'dropped' ORDER BY number DESC LIMIT %(limit)s
"""

_HOLDINGS = """
SELECT g.id AS generation_id, d.source, coalesce(i.state, 'pending') AS state, count(*) AS documents,
    coalesce(sum(i.chunk_count), 0)::bigint AS chunks, max(i.updated_at) AS written_at
FROM documents d
CROSS JOIN unnest(%(generations)s::bigint[]) AS g (id)
LEFT JOIN indexed_documents i ON i.generation_id = g.id AND i.document_id = d.id
WHERE d.path IS NOT NULL
GROUP BY g.id, d.source, coalesce(i.state, 'pending')
"""

_SOURCES = """
SELECT s.name, s.created_at, p.last_success_at, coalesce(p.last_revision, '') AS last_revision
FROM sources s LEFT JOIN source_progress p ON p.source = s.name AND p.generation_id = %(live)s
ORDER BY s.name
"""

_RUN_COUNTS = "SELECT source, state, count(*) AS number FROM runs GROUP BY source, state"

# The index on (source, started_at) gives the youngest of each source without reading the others.
_LAST_RUNS = """
SELECT s.name AS source, r.id, r.state, r.started_at, r.finished_at
FROM sources s
CROSS JOIN LATERAL (
    SELECT id, state, started_at, finished_at FROM runs
    WHERE source = s.name AND (finished_at IS NOT NULL OR NOT %(finished)s)
    ORDER BY started_at DESC, id DESC LIMIT 1
) r
"""

_STAGES = """
SELECT r.source, c.stage, sum(c.value) AS seconds FROM run_counters c JOIN runs r ON r.id = c.run_id
WHERE c.run_id = ANY(%(runs)s) AND c.name = %(counter)s GROUP BY r.source, c.stage
"""

_FAILURES = """
SELECT source, stage, count(*) AS number FROM failures WHERE resolved_at IS NULL GROUP BY source, stage
"""

_SETS = """
SELECT s.name, s.origin, count(q.id) AS questions FROM golden_sets s
LEFT JOIN golden_questions q ON q.set_name = s.name GROUP BY s.name, s.origin
"""

_EVALUATIONS = """
SELECT DISTINCT ON (e.set_name, e.generation_id)
    e.set_name, e.generation_id, e.metrics, e.started_at + make_interval(secs => e.seconds) AS ended_at
FROM evaluations e
WHERE e.generation_id = ANY(%(generations)s) AND e.search = %(search)s
ORDER BY e.set_name, e.generation_id, e.started_at DESC, e.id DESC
"""

_ACCEPTED = """
SELECT DISTINCT ON (e.set_name)
    e.set_name, e.generation_id, e.metrics, e.started_at + make_interval(secs => e.seconds) AS ended_at
FROM evaluations e JOIN generations g ON g.id = e.generation_id
WHERE g.alias = %(alias)s AND e.accepted
ORDER BY e.set_name, e.started_at DESC, e.id DESC
"""

_ALARMS = "SELECT kind, count(*) FROM alarms WHERE closed_at IS NULL GROUP BY kind"

_FINISHED = """
SELECT id, source, state, finished_at, extract(epoch FROM finished_at - started_at)::float8 AS seconds
FROM runs WHERE finished_at > %(after)s
"""

_WORK = """
SELECT c.run_id, c.stage, c.name, sum(c.value) AS value FROM run_counters c
WHERE c.run_id = ANY(%(runs)s) GROUP BY c.run_id, c.stage, c.name
"""

# As `ChunkQualities.of_generation`, by source.
_QUALITY = """
WITH latest AS (
    SELECT DISTINCT ON (i.document_id) d.source, q.counts
    FROM indexed_documents i
    JOIN documents d ON d.id = i.document_id
    JOIN chunk_quality q ON q.document_id = i.document_id AND q.mark = i.mark AND q.config_sig = i.config_sig
    WHERE i.generation_id = %(generation)s AND i.state = 'indexed' AND i.chunk_count > 0
    ORDER BY i.document_id, q.measured_at DESC
)
SELECT source, key, sum(value::bigint)::bigint FROM latest, jsonb_each_text(counts) GROUP BY source, key
"""

# As `ChunkQualities.repeated`, by source; grouping once is cheaper than looking for each chunk's twins.
_REPEATED = """
WITH texts AS (
    SELECT md5(text) AS digest FROM chunks WHERE generation_id = %(generation)s
    GROUP BY md5(text) HAVING count(DISTINCT document_id) > 1
)
SELECT d.source, count(*) FROM texts t
JOIN chunks c ON c.generation_id = %(generation)s AND md5(c.text) = t.digest
JOIN documents d ON d.id = c.document_id
GROUP BY d.source
"""


@dataclass(frozen=True, slots=True)
class GenerationFacts:
    """A generation: since when it is in its state, and its limits on chunks where they are known."""

    id: int
    number: int
    state: str
    since: datetime
    min_tokens: int | None
    max_tokens: int | None


@dataclass(frozen=True, slots=True)
class Holding:
    """What a generation holds of a source's documents in one state: indexed, failed or pending."""

    generation_id: int
    source: str
    state: str
    documents: int
    chunks: int
    written_at: datetime | None


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """A source, and how far the live generation has followed it."""

    name: str
    created_at: datetime
    last_success_at: datetime | None
    last_revision: str


@dataclass(frozen=True, slots=True)
class SourceCount:
    """A number of a source, by state or stage."""

    source: str
    name: str
    number: float


@dataclass(frozen=True, slots=True)
class LastRun:
    """The youngest run of a source."""

    source: str
    id: str
    state: str
    started_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class SetFacts:
    """A golden set."""

    name: str
    origin: str
    questions: int


@dataclass(frozen=True, slots=True)
class Measured:
    """The last evaluation of a set on a generation."""

    set_name: str
    generation_id: int
    metrics: Mapping[str, float]
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run that ended; ``seconds`` is how long it took."""

    id: str
    source: str
    state: str
    finished_at: datetime
    seconds: float


@dataclass(frozen=True, slots=True)
class RunWork:
    """What a run counted under a name in a stage."""

    run_id: str
    stage: str
    name: str
    value: float


class Reading:
    """One snapshot of the catalog."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def generations(self, alias: str) -> list[GenerationFacts]:
        """The youngest generations that were not dropped, youngest first."""
        return self._rows(GenerationFacts, _GENERATIONS, {"alias": alias, "limit": _YOUNGEST})

    def holdings(self, generation_ids: Sequence[int]) -> list[Holding]:
        """What generations hold; of a generation that does not exist every document is pending."""
        return self._rows(Holding, _HOLDINGS, {"generations": list(generation_ids)})

    def sources(self, live_id: int | None) -> list[SourceFacts]:
        """All sources by name."""
        return self._rows(SourceFacts, _SOURCES, {"live": live_id})

    def runs(self) -> list[SourceCount]:
        """Numbers of runs by source and state."""
        return self._counts(_RUN_COUNTS)

    def failures(self) -> list[SourceCount]:
        """Numbers of open failures by source and stage."""
        return self._counts(_FAILURES)

    def last_runs(self, *, finished: bool = False) -> list[LastRun]:
        """The youngest run of each source that has any, or the youngest that ended."""
        return self._rows(LastRun, _LAST_RUNS, {"finished": finished})

    def stage_seconds(self, run_ids: Sequence[str], counter: str) -> list[SourceCount]:
        """A counter of some runs, by source and stage."""
        return self._counts(_STAGES, {"runs": list(run_ids), "counter": counter})

    def sets(self) -> list[SetFacts]:
        """All golden sets."""
        return self._rows(SetFacts, _SETS)

    def evaluations(self, generation_ids: Sequence[int], search: Mapping[str, Any]) -> list[Measured]:
        """The last evaluation of each set on each generation, of those that searched in this way."""
        values = {"generations": list(generation_ids), "search": Jsonb(dict(search))}
        return self._rows(Measured, _EVALUATIONS, values)

    def accepted(self, alias: str) -> list[Measured]:
        """The last accepted evaluation of each set."""
        return self._rows(Measured, _ACCEPTED, {"alias": alias})

    def open_alarms(self) -> dict[str, int]:
        """Numbers of open alarms by kind."""
        return dict(self._connection.execute(_ALARMS).fetchall())

    def finished_runs(self, after: datetime) -> list[FinishedRun]:
        """Runs that ended after a moment."""
        return self._rows(FinishedRun, _FINISHED, {"after": after})

    def work(self, run_ids: Sequence[str]) -> list[RunWork]:
        """What runs counted, their batches added up."""
        return self._rows(RunWork, _WORK, {"runs": list(run_ids)})

    def quality(self, generation_id: int) -> dict[str, dict[str, int]]:
        """Counts of ``chunking.quality.Quality`` by source, of what a generation holds."""
        found: dict[str, dict[str, int]] = {}
        for source, key, total in self._connection.execute(_QUALITY, {"generation": generation_id}):
            found.setdefault(source, {})[key] = total
        return found

    def repeated(self, generation_id: int) -> dict[str, int]:
        """Chunks by source whose text stands in another document of the generation too."""
        return dict(self._connection.execute(_REPEATED, {"generation": generation_id}).fetchall())

    def _rows(self, kind: type[_R], query: str, values: Mapping[str, Any] | None = None) -> list[_R]:
        with self._connection.cursor(row_factory=class_row(kind)) as cursor:
            return cursor.execute(query, values).fetchall()

    def _counts(self, query: str, values: Mapping[str, Any] | None = None) -> list[SourceCount]:
        rows = self._connection.execute(query, values).fetchall()
        return [SourceCount(source, name, float(number)) for source, name, number in rows]


@contextmanager
def read_catalog(postgres_url: str, *, timeout_s: float = _STATEMENT_TIMEOUT_S) -> Iterator[Reading]:
    """Read one snapshot of the catalog, without the right to write.

    Args:
        postgres_url: ``postgresql://user:password@host/database``.
        timeout_s: Longest time of one statement, in seconds.

    Raises:
        StackDownError: The address is empty.
        ConfigurationError: The address is not a PostgreSQL URL.
        ServiceUnavailableError: Nothing answers there, or not in time.
        FatalError: The tables are missing.
    """
    if not postgres_url:
        raise StackDownError("No PostgreSQL is configured.", hint="Run `rubrica up` first.")
    try:
        with _connect(postgres_url, timeout_s) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            yield Reading(connection)
    except psycopg.Error as error:
        raise translate(error) from error


def _connect(postgres_url: str, timeout_s: float) -> Connection:
    try:
        return psycopg.connect(
            postgres_url,
            connect_timeout=_CONNECT_TIMEOUT_S,
            application_name="rubrica-exporter",
            options=f"-c statement_timeout={timeout_s * 1000:.0f}",
        )
    except psycopg.ProgrammingError as error:
        raise ConfigurationError(
            "RUBRICA_POSTGRES_URL is not a PostgreSQL URL.", hint="Use postgresql://user:password@host/db."
        ) from error
