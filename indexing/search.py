"""Finds chunks by meaning and by words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from indexing.catalog.catalog import Catalog
from indexing.catalog.chunks import FoundChunk
from indexing.catalog.generations import Generation
from indexing.generations import check_generation
from indexing.store.filters import all_of, equals, one_of
from indexing.store.store import MAX_HITS, InvalidRequestError, ScoredId, VectorStore
from indexing.store.terms import search_terms
from rubrica.errors import ConfigurationError
from rubrica.model import Hit, Stage
from rubrica.protocols import Embedder
from sources.filters import PathFilter

Reranker = Callable[[str, Sequence[str]], Sequence[float]]
"""Scores texts against a query: higher is better."""

_MIN_CANDIDATES = 50
_CANDIDATES_PER_HIT = 3


@dataclass(frozen=True, slots=True)
class _Found:
    chunk: FoundChunk
    score: float


class Searcher:
    """Searches the live generation of an alias."""

    def __init__(self, catalog: Catalog, store: VectorStore, embedder: Embedder, alias: str) -> None:
        """Bind a searcher to an alias.

        Args:
            catalog: PostgreSQL.
            store: Milvus.
            embedder: The embedder that the live generation was built with.
            alias: Name that readers use.
        """
        self._catalog = catalog
        self._store = store
        self._embedder = embedder
        self._alias = alias

    def search(
        self,
        query: str,
        k: int = 5,
        *,
        source: str | None = None,
        path_glob: str | None = None,
        language: str | None = None,
        filter_expression: str = "",
        reranker: Reranker | None = None,
    ) -> list[Hit]:
        """Find the chunks that answer a query best.

        Args:
            query: Words or a question.
            k: Most hits to return.
            source: Only in this source.
            path_glob: Only in documents whose path matches, by the rules of ``.gitignore``.
            language: Only in documents of this language (ISO 639-1).
            filter_expression: A further condition, as Milvus writes it:
                ``attributes["standard"] == "СП 1"``.
            reranker: Orders the candidates anew; scores are then its own.

        Returns:
            Hits, best first; none when nothing is indexed yet.

        Raises:
            ConfigurationError: The query is empty, ``k`` or the filter is not valid.
            GenerationMismatchError: The index was built with another embedder.
        """
        _check(query, k)
        generation = self._catalog.generations.live(self._alias)
        if generation is None:
            return []
        check_generation(generation, self._embedder)
        condition = self._condition(source, path_glob, language, filter_expression)
        if condition is None:
            return []
        found = self._candidates(generation, query, k, condition, filter_expression)
        if reranker is not None:
            found = _rerank(reranker, query, found)
        return [_hit(rank, item) for rank, item in enumerate(found[:k], start=1)]

    def _condition(
        self, source: str | None, path_glob: str | None, language: str | None, expression: str
    ) -> str | None:
        """The filter for Milvus, or ``None`` when no document can meet it."""
        conditions = [expression]
        if source:
            conditions.append(equals("source", source))
        if language:
            conditions.append(equals("language", language))
        if path_glob:
            # Paths are in PostgreSQL only, so that a rename does not touch Milvus.
            selected = PathFilter(include=[path_glob])
            paths = self._catalog.documents.paths(source)
            ids = sorted(id_ for id_, path in paths.items() if selected.selects(path))
            if not ids:
                return None
            conditions.append(one_of("document_id", ids))
        return all_of(*conditions)

    def _candidates(
        self, generation: Generation, query: str, k: int, condition: str, expression: str
    ) -> list[_Found]:
        limit = min(MAX_HITS, max(_MIN_CANDIDATES, _CANDIDATES_PER_HIT * k))
        try:
            scored = self._store.search(
                self._alias,
                self._embedder.embed_query(query),
                search_terms(query),
                limit=limit,
                condition=condition,
            )
        except InvalidRequestError as error:
            if not expression:
                raise
            raise ConfigurationError(
                f"The filter {expression!r} is not valid: {error.reason}", stage=Stage.SEARCH
            ) from error
        return self._known(generation, scored)

    def _known(self, generation: Generation, scored: Sequence[ScoredId]) -> list[_Found]:
        """What PostgreSQL knows too: neither half-written nor removed documents are shown."""
        chunks = self._catalog.chunks.found(generation.id, [item.chunk_id for item in scored])
        found = [_Found(chunks[item.chunk_id], item.score) for item in scored if item.chunk_id in chunks]
        return sorted(found, key=lambda item: (-item.score, item.chunk.id))


def _check(query: str, k: int) -> None:
    if not query.strip():
        raise ConfigurationError("The query is empty.", stage=Stage.SEARCH, hint="Give words to search for.")
    if not 1 <= k <= MAX_HITS:
        raise ConfigurationError(f"k must be from 1 to {MAX_HITS}, not {k}.", stage=Stage.SEARCH)


def _rerank(reranker: Reranker, query: str, found: Sequence[_Found]) -> list[_Found]:
    scores = reranker(query, [item.chunk.text for item in found])
    rescored = [_Found(item.chunk, float(score)) for item, score in zip(found, scores, strict=True)]
    return sorted(rescored, key=lambda item: -item.score)


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
