"""Everything that a step may need, opened on first use and closed together."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

from extraction.signature import extraction_signature
from rubrica.identity import config_sig
from rubrica.log import get_logger
from rubrica.settings import Settings
from rubrica.workspace import Workspace

if TYPE_CHECKING:
    from chunking.chunker import Chunker
    from chunking.quality_measure import QualityMeter
    from chunking.strategies.base import Strategy
    from indexing.catalog.catalog import Catalog
    from indexing.catalog.generations import Generation
    from indexing.generations import Blueprint
    from indexing.search import Reranker, Searcher
    from indexing.store.store import VectorStore
    from indexing.writer import IndexWriter
    from pipeline.airflow_client import AirflowClient
    from rubrica.protocols import Embedder

_log = get_logger(__name__)

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

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        lender: Services | None = None,
        generation: Generation | None = None,
    ) -> None:
        """Choose the settings; nothing is opened yet.

        Args:
            settings: Read from the environment by default.
            lender: Whose connections are used, and whose models where the settings name the same.
            generation: What is written to and searched; the live one by default.
        """
        self.settings = settings or Settings()
        self._lender = lender
        self._generation = generation
        self._bound: dict[int, Services] = {}
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

        if self._lender is not None:
            return self._lender.catalog
        catalog = self._open.enter_context(Catalog(self.settings.services.postgres_url.get_secret_value()))
        catalog.migrate()
        return catalog

    @cached_property
    def store(self) -> VectorStore:
        """Milvus."""
        from indexing.store.store import VectorStore

        if self._lender is not None:
            return self._lender.store
        services = self.settings.services
        return self._open.enter_context(
            VectorStore(services.milvus_uri, token=services.milvus_token.get_secret_value())
        )

    @cached_property
    def embedder(self) -> Embedder:
        """The model that turns text into vectors, with what it computed before in Redis."""
        from indexing.embedders.cached import cached_embedder
        from indexing.embedders.factory import build_embedder

        if self._lender is not None and self._lender.settings.indexing == self.settings.indexing:
            return self._lender.embedder
        embedder = build_embedder(self.settings.indexing)
        redis_url, limits = self.settings.services.redis_url.get_secret_value(), self.settings.chunking
        if not redis_url:
            return embedder
        cached = cached_embedder(
            embedder, redis_url, days=limits.vector_cache_days, megabytes=limits.vector_cache_mb
        )
        self._open.callback(cached.close)
        return cached

    @cached_property
    def chunker(self) -> Chunker:
        """The chunker, with its pair cache."""
        from chunking.factory import assemble_chunker

        if self._lender is not None and self._lender.settings.recipe() == self.settings.recipe():
            return self._lender.chunker
        return assemble_chunker(self.settings.chunking, self.embedder.counter, self.strategy)

    @cached_property
    def chunker_signature(self) -> str:
        """That of the chunker, which is not built for it: its tokenizer takes a second."""
        from chunking.factory import chunker_signature

        return chunker_signature(self.settings.chunking, self.embedder.counter, self.strategy)

    @cached_property
    def strategy(self) -> Strategy:
        """What chooses the chunker's cuts."""
        from chunking.strategies.parts import StrategyParts, build_strategy

        if self._lender is not None and self._lender.settings.recipe() == self.settings.recipe():
            return self._lender.strategy
        redis_url = self.settings.services.redis_url.get_secret_value()
        chunking, counter, llm = self.settings.chunking, self.embedder.counter, self.settings.llm
        return build_strategy(StrategyParts(chunking, counter, redis_url, lambda: self.embedder, llm))

    @cached_property
    def quality_meter(self) -> QualityMeter:
        """Measures what the chunker makes."""
        from chunking.quality_measure import QualityMeter

        return QualityMeter(self.settings.chunking, self.embedder.counter)

    @property
    def generation(self) -> Generation:
        """The generation that is written to and searched: the live one, made on first use, unless bound."""
        from indexing.generations import ensure_live

        if self._generation is not None:
            return self._generation
        if self.live is not self:
            return self.live.generation
        alias = self.settings.indexing.alias
        return ensure_live(alias, self.catalog, self.store, self.embedder, self.blueprint)

    @property
    def unbound(self) -> Services:
        """The same services with the settings as they are now, bound to no generation."""
        return self if self._lender is None else self._lender.unbound

    @cached_property
    def blueprint(self) -> Blueprint:
        """What a generation that is built with these settings holds."""
        from indexing.generations import Blueprint, generation_config

        extraction = extraction_signature(self.settings.extraction)
        config = generation_config(self.embedder, extraction=extraction, chunker=self.chunker_signature)
        return Blueprint(config, self.settings.recipe())

    @property
    def live(self) -> Services:
        """The same services, bound to the live generation and to the settings that it was built with.

        These very ones where they are bound already, or where nothing is indexed yet.
        """
        if self._generation is not None:
            return self
        generation = self.catalog.generations.live(self.settings.indexing.alias)
        return self if generation is None else self.at(generation)

    def at(self, generation: Generation) -> Services:
        """The same services, bound to a generation and to the settings that it was built with.

        Args:
            generation: What they write to and search.
        """
        if self._lender is not None:
            return self._lender.at(generation)
        if generation.id not in self._bound:
            settings = self.settings.with_recipe(generation.settings)
            bound = Services(settings, lender=self, generation=generation)
            self._bound[generation.id] = self._open.enter_context(bound)
        bound = self._bound[generation.id]
        bound.lock_ttl_s = self.lock_ttl_s
        return bound.seeing(generation)

    def seeing(self, generation: Generation) -> Services:
        """These services, with what is known of their generation now: its state changes."""
        self._generation = generation
        return self

    @cached_property
    def writer(self) -> IndexWriter:
        """Writes documents to the generation."""
        from indexing.generations import check_writable
        from indexing.writer import IndexWriter

        generation = self.generation
        check_writable(generation, self.store, self.embedder)
        batch = self.settings.indexing.embed_batch
        return IndexWriter(self.catalog, self.store, self.embedder, generation, embed_batch=batch)

    @cached_property
    def searcher(self) -> Searcher:
        """Finds chunks in the generation that these services are bound to; by default in the live one."""
        from indexing.search import Searcher

        alias = self.settings.indexing.alias
        return Searcher(self.catalog, self.store, self.embedder, alias, generation=self._generation)

    @cached_property
    def reranker(self) -> Reranker:
        """Scores texts against a query with the chunker's cross-encoder."""
        from chunking.scorers import is_boundary_scorer
        from chunking.scoring import build_cut_scorer

        if is_boundary_scorer(self.settings.chunking.scorer):
            _log.warning(
                "reranked by a scorer that was not trained for it",
                scorer=self.settings.chunking.scorer,
                hint="It tells where a text turns, not what answers a question, and makes most rankings"
                " worse; RUBRICA_SCORER=BAAI/bge-reranker-v2-m3 does both.",
            )
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
                "chunker": self.chunker_signature,
            }
        )
