"""Everything that a step may need, opened on first use and closed together."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

from extraction.signature import extraction_signature
from rubrica.identity import config_sig
from rubrica.settings import Settings
from rubrica.workspace import Workspace

if TYPE_CHECKING:
    from chunking.chunker import Chunker
    from chunking.quality_measure import QualityMeter
    from indexing.catalog.catalog import Catalog
    from indexing.catalog.generations import Generation
    from indexing.search import Reranker, Searcher
    from indexing.store.store import VectorStore
    from indexing.writer import IndexWriter
    from pipeline.airflow_client import AirflowClient
    from rubrica.protocols import Embedder

AIRFLOW_TTL_S = 3600.0
"""Seconds that a source's lock lives between two tasks, which may have to wait for a free GPU."""

PROCESS_TTL_S = 60.0
"""Seconds that a source's lock outlives the process of ``rubrica ingest --here``."""


class Services:
    """The parts of Rubrica, wired by the settings.

    A task pays only for what it uses: importing this module loads no model and no client.

    Attributes:
        settings: The settings.
        lock_ttl_s: Seconds that the lock of a source lives unless it is renewed.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.lock_ttl_s = AIRFLOW_TTL_S
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    @cached_property
    def workspace(self) -> Workspace:
        """Artefacts of runs and documents."""
        return Workspace(self.settings.workspace)

    @cached_property
    def catalog(self) -> Catalog:
        """PostgreSQL, its schema up to date."""
        from indexing.catalog.catalog import Catalog

        catalog = self._open.enter_context(Catalog(self.settings.services.postgres_url.get_secret_value()))
        catalog.migrate()
        return catalog

    @cached_property
    def store(self) -> VectorStore:
        """Milvus."""
        from indexing.store.store import VectorStore

        services = self.settings.services
        return self._open.enter_context(
            VectorStore(services.milvus_uri, token=services.milvus_token.get_secret_value())
        )

    @cached_property
    def embedder(self) -> Embedder:
        """The model that turns text into vectors."""
        from indexing.embedders.factory import build_embedder

        return build_embedder(self.settings.indexing)

    @cached_property
    def chunker(self) -> Chunker:
        """The chunker, with its pair cache."""
        from chunking.factory import build_chunker

        redis_url = self.settings.services.redis_url.get_secret_value()
        return build_chunker(
            self.settings.chunking,
            self.embedder.counter,
            redis_url,
            embedder=lambda: self.embedder,
            llm=self.settings.llm,
        )

    @cached_property
    def quality_meter(self) -> QualityMeter:
        """Measures what the chunker makes."""
        from chunking.quality_measure import QualityMeter

        return QualityMeter(self.settings.chunking, self.embedder.counter)

    @cached_property
    def generation(self) -> Generation:
        """The generation that readers see, built on first use."""
        from indexing.generations import ensure_live

        return ensure_live(self.settings.indexing, self.catalog, self.store, self.embedder)

    @cached_property
    def writer(self) -> IndexWriter:
        """Writes documents to the live generation."""
        from indexing.writer import IndexWriter

        batch = self.settings.indexing.embed_batch
        return IndexWriter(self.catalog, self.store, self.embedder, self.generation, embed_batch=batch)

    @cached_property
    def searcher(self) -> Searcher:
        """Finds chunks in the live generation."""
        from indexing.search import Searcher

        return Searcher(self.catalog, self.store, self.embedder, self.settings.indexing.alias)

    @cached_property
    def reranker(self) -> Reranker:
        """Scores texts against a query with the chunker's cross-encoder."""
        from chunking.scoring import build_cut_scorer

        scorer = build_cut_scorer(self.settings.chunking, "")
        return lambda query, texts: scorer.score_pairs([(query, text) for text in texts]).values.tolist()

    def airflow(self) -> AirflowClient:
        """A session with Airflow's API; the caller closes it."""
        from pipeline.airflow_client import AirflowClient

        return AirflowClient.from_settings(self.settings.services)

    @cached_property
    def config_sig(self) -> str:
        """Signature of all that decides how a file becomes chunks."""
        return config_sig(
            {
                "extraction": extraction_signature(self.settings.extraction),
                "chunker": self.chunker.signature,
            }
        )
