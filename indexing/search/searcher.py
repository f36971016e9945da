"""Finds chunks by meaning and by words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from indexing.catalog.catalog import Catalog
from indexing.catalog.chunks import FoundChunk
from indexing.catalog.generations import Generation
from indexing.generations import check_generation
from indexing.search.conditions import condition_of
from indexing.search.fusion import deciding_score
from indexing.search.model import (
    DEFAULT_OPTIONS,
    NO_FILTERS,
    Explanation,
    Filters,
    Neighbour,
    Page,
    Reranker,
    Result,
    SearchMode,
    SearchOptions,
)
from indexing.search.rankings import RankingReader
from indexing.store.store import MAX_HITS, InvalidRequestError, VectorStore
from rubrica.errors import ConfigurationError
from rubrica.log import get_logger
from rubrica.model import Chunk, Hit, Stage
from rubrica.protocols import Embedder

_log = get_logger(__name__)

_DEPTH = 200
_RERANKED = 50
_MAX_NEIGHBOURS = 50


@dataclass(frozen=True, slots=True)
class _Found:
    chunk: FoundChunk
    explanation: Explanation

    @property
    def score(self) -> float:
        return deciding_score(self.explanation)


class Searcher:
    """Searches the live generation of an alias, or one that it is bound to.

    It reads the collection that PostgreSQL names, not the alias of Milvus, which is for other readers: while
    readers move to another generation, ids and chunks are then still of the same one.
    """

    def __init__(
        self,
        catalog: Catalog,
        store: VectorStore,
        embedder: Embedder,
        alias: str,
        *,
        generation: Generation | None = None,
    ) -> None:
        """Bind a searcher to an alias, or to one generation.

        Args:
            catalog: PostgreSQL.
            store: Milvus.
            embedder: The embedder that the generation was built with.
            alias: Name that readers use.
            generation: What is searched; by default the one that is live when the question comes.
        """
        self._catalog = catalog
        self._store = store
        self._embedder = embedder
        self._alias = alias
        self._generation = generation

    def search(
        self,
        query: str,
        k: int = 5,
        *,
        mode: SearchMode | str = SearchMode.HYBRID,
        filters: Filters = NO_FILTERS,
        offset: int = 0,
        candidates: int | None = None,
        reranker: Reranker | None = None,
    ) -> list[Hit]:
        """Find the chunks that answer a query best.

        Args:
            query: Words or a question.
            k: Most hits to return.
            mode: Which rankings are read.
            filters: What hits must meet.
            offset: How many of the best hits to pass over.
            candidates: How deep rankings are read (see ``SearchOptions``).
            reranker: Orders the candidates anew; scores are then its own.

        Returns:
            Hits, best first; none when nothing is indexed yet.

        Raises:
            ConfigurationError: The query is empty, a number or a filter is not valid.
            GenerationMismatchError: The index was built with another embedder.
        """
        options = SearchOptions(k=k, offset=offset, mode=_mode(mode), filters=filters, candidates=candidates)
        return self.page(query, options, reranker=reranker).hits

    def page(
        self, query: str, options: SearchOptions = DEFAULT_OPTIONS, *, reranker: Reranker | None = None
    ) -> Page:
        """One page of the ranking of a query.

        The ranking depends on everything but the offset and the neighbours, and equal scores stand in the
        order of ids: pages of the same options follow each other without a gap or a repetition as long as
        the index stays the same.

        On a Milvus that cannot search by words, a hybrid search is one by meaning; ``Page.mode`` tells.

        Args:
            query: Words or a question.
            options: How to search.
            reranker: Orders the candidates anew; only they are then in the ranking.

        Raises:
            ConfigurationError: The query is empty, a number or a filter is not valid, or the mode is sparse
                and Milvus cannot search by words.
            GenerationMismatchError: The index was built with another embedder.
        """
        _check(query, options)
        generation = self._generation or self._catalog.generations.live(self._alias)
        mode = self._possible(options.mode)
        if generation is None:
            return Page((), options.offset, 0, mode, None)
        check_generation(generation, self._embedder)
        condition = condition_of(options.filters, self._catalog, generation.id)
        depth = max(options.candidates or _DEPTH, options.k)
        reader = RankingReader(self._store, self._embedder, generation.collection)
        with _blaming(options.filters.expression):
            explained = reader.read(query, mode, condition, depth)
        found = self._known(generation, explained)
        if reranker is not None:
            found = _rerank(reranker, query, found[: max(options.candidates or _RERANKED, options.k)])
        results = self._results(generation, found, options)
        return Page(results, options.offset, len(found), mode, generation.number)

    def _possible(self, mode: SearchMode) -> SearchMode:
        if mode == SearchMode.HYBRID and not self._store.capabilities.words:
            _log.warning("searching by meaning only", server=self._store.capabilities.server)
            return SearchMode.DENSE
        return mode

    def _known(self, generation: Generation, explained: dict[str, Explanation]) -> list[_Found]:
        """What PostgreSQL knows too: neither half-written nor removed documents are shown."""
        chunks = self._catalog.chunks.found(generation.id, list(explained))
        return _ordered([_Found(chunk, explained[id_]) for id_, chunk in chunks.items()])

    def _results(
        self, generation: Generation, found: Sequence[_Found], options: SearchOptions
    ) -> tuple[Result, ...]:
        shown = found[options.offset : options.offset + options.k]
        beside: dict[str, list[Chunk]] = {}
        if options.neighbours and shown:
            ids = [item.chunk.id for item in shown]
            beside = self._catalog.chunks.neighbours(generation.id, ids, options.neighbours)
        return tuple(
            Result(
                _hit(rank, item),
                item.explanation,
                tuple(_neighbour(item.chunk, chunk) for chunk in beside.get(item.chunk.id, ())),
            )
            for rank, item in enumerate(shown, start=options.offset + 1)
        )


def _check(query: str, options: SearchOptions) -> None:
    if not query.strip():
        raise ConfigurationError("The query is empty.", stage=Stage.SEARCH, hint="Give words to search for.")
    limits = (
        ("k", options.k, 1, MAX_HITS),
        ("candidates", options.candidates, 1, MAX_HITS),
        ("offset", options.offset, 0, None),
        ("neighbours", options.neighbours, 0, _MAX_NEIGHBOURS),
    )
    for name, value, lowest, highest in limits:
        if value is not None and (value < lowest or (highest is not None and value > highest)):
            allowed = f"from {lowest} to {highest}" if highest is not None else f"{lowest} or more"
            raise ConfigurationError(f"{name} must be {allowed}, not {value}.", stage=Stage.SEARCH)


def _mode(name: SearchMode | str) -> SearchMode:
    try:
        return SearchMode(name)
    except ValueError as error:
        known = ", ".join(SearchMode)
        raise ConfigurationError(f"There is no mode {name!r}.", hint=f"Choose one of {known}.") from error


@contextmanager
def _blaming(expression: str) -> Iterator[None]:
    """Names the user's own expression where Milvus cannot read a filter; ours are valid."""
    try:
        yield
    except InvalidRequestError as error:
        if not expression:
            raise
        raise ConfigurationError(
            f"The filter {expression!r} is not valid: {error.reason}", stage=Stage.SEARCH
        ) from error


def _rerank(reranker: Reranker, query: str, found: Sequence[_Found]) -> list[_Found]:
    scores = reranker(query, [item.chunk.text for item in found]) if found else []
    return _ordered(
        [
            _Found(item.chunk, replace(item.explanation, rerank_score=float(score)))
            for item, score in zip(found, scores, strict=True)
        ]
    )


def _ordered(found: list[_Found]) -> list[_Found]:
    return sorted(found, key=lambda item: (-item.score, item.chunk.id))


def _hit(rank: int, found: _Found) -> Hit:
    chunk = found.chunk
    return Hit(
        rank=rank,
        score=found.score,
        chunk_id=chunk.id,
        document_id=chunk.document_id,
        source=chunk.source,
        path=chunk.path,
        title=chunk.title,
        start=chunk.start,
        end=chunk.end,
        page_from=chunk.page_from,
        page_to=chunk.page_to,
        clauses=chunk.clauses,
        heading_path=chunk.heading_path,
        text=chunk.body,
    )


def _neighbour(hit: FoundChunk, chunk: Chunk) -> Neighbour:
    return Neighbour(
        distance=chunk.ordinal - hit.ordinal,
        chunk_id=chunk.id,
        start=chunk.start,
        end=chunk.end,
        page_from=chunk.page_from,
        page_to=chunk.page_to,
        clauses=chunk.clauses,
        heading_path=chunk.heading_path,
        text=chunk.body,
    )
