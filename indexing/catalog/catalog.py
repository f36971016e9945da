"""The catalog: one object that owns the connections and every table's operations."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from indexing.catalog import migrations
from indexing.catalog.alarms import Alarms
from indexing.catalog.audit import Audit
from indexing.catalog.chunks import Chunks
from indexing.catalog.database import Database
from indexing.catalog.deliveries import Deliveries
from indexing.catalog.differences import Differences
from indexing.catalog.documents import Documents
from indexing.catalog.erasure import Erasure
from indexing.catalog.evaluations import Evaluations
from indexing.catalog.failures import Failures
from indexing.catalog.generations import Generations
from indexing.catalog.golden import GoldenSets
from indexing.catalog.indexed import IndexedDocuments
from indexing.catalog.locks import ReindexLocks, SourceLocks
from indexing.catalog.quality import ChunkQualities
from indexing.catalog.reading import Reading
from indexing.catalog.runs import Runs
from indexing.catalog.selection import Selection
from indexing.catalog.sources import Sources


class Catalog:
    """What Rubrica knows, in PostgreSQL.

    Attributes:
        sources: Sources and their progress.
        documents: Identity of documents.
        indexed: What each generation holds of each document.
        chunks: Chunks, for readers.
        runs: Runs and counters.
        quality: How good the chunks of each document version are.
        failures: The dead-letter list.
        generations: Builds of the index.
        golden: Golden questions.
        evaluations: How well they were answered.
        differences: The live generation against another one.
        reading: Documents for people who look at them.
        audit: What each generation should hold, from end to end.
        erasure: Documents deleted for good.
        locks: One run at a time per source.
        reindex_locks: One rebuild at a time per alias.
        alarms: What is wrong with the answers.
        deliveries: Whom that was told.
        selection: Which chunks a search may return.
    """

    def __init__(self, postgres_url: str, *, max_connections: int = 4) -> None:
        """Connect; use as a context manager, or ``close`` it.

        Args:
            postgres_url: ``postgresql://user:password@host/database``.
            max_connections: Size of the pool.

        Raises:
            StackDownError: The address is empty.
            ConfigurationError: The address is not a PostgreSQL URL.
            ServiceUnavailableError: Nothing answers there.
        """
        self._database = Database(postgres_url, max_connections=max_connections)
        self.sources = Sources(self._database)
        self.documents = Documents(self._database)
        self.indexed = IndexedDocuments(self._database)
        self.chunks = Chunks(self._database)
        self.runs = Runs(self._database)
        self.quality = ChunkQualities(self._database)
        self.failures = Failures(self._database)
        self.generations = Generations(self._database)
        self.golden = GoldenSets(self._database)
        self.evaluations = Evaluations(self._database)
        self.differences = Differences(self._database)
        self.reading = Reading(self._database)
        self.audit = Audit(self._database)
        self.erasure = Erasure(self._database)
        self.locks = SourceLocks(self._database)
        self.reindex_locks = ReindexLocks(self._database)
        self.alarms = Alarms(self._database)
        self.deliveries = Deliveries(self._database)
        self.selection = Selection(self._database)

    def migrate(self) -> list[str]:
        """Bring the schema up to date; returns the versions that were applied."""
        return migrations.migrate(self._database, migrations.bundled_migrations())

    def exclusive(self, name: str) -> AbstractContextManager[None]:
        """Hold the lock ``name`` against every other process; it dies with this one."""
        return self._database.exclusive(name)

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
