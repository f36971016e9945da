"""A search over the chunks of one trial, exact and in memory: vectors, BM25, their fusion."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import bm25s  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt

from indexing.search.fusion import deciding_score, explain, ranking
from indexing.store.store import ScoredId
from indexing.store.terms import search_terms
from rubrica.model import Chunk, Document, Hit

Vectors = npt.NDArray[np.float32]
QueryVector = Callable[[str], Vectors]

_DEPTH = 200  # as deep as the search over Milvus reads its rankings
_K1, _B = 1.2, 0.75  # Milvus' own


class ChunkSearch:
    """Answers as a hybrid search over an index of these chunks would.

    Milvus finds neighbours by an approximate index and rounds lengths in BM25, so that places may differ
    a little; all trials are judged alike.
    """

    def __init__(
        self,
        documents: Sequence[tuple[Document, Sequence[Chunk]]],
        vectors: Vectors,
        query_vector: QueryVector,
    ) -> None:
        """Build the index.

        Args:
            documents: Documents with their chunks.
            vectors: Unit vectors of all chunks' texts, in order; ``[chunks, dimension]``.
            query_vector: Embeds a question.
        """
        self._chunks = [(document, chunk) for document, chunks in documents for chunk in chunks]
        self._places = {chunk.id: i for i, (_, chunk) in enumerate(self._chunks)}
        self._vectors = vectors
        self._query_vector = query_vector
        self._words = _lexicon([chunk.text for _, chunk in self._chunks])

    def __call__(self, question: str, k: int) -> list[Hit]:
        """The best ``k`` chunks for a question, best first."""
        dense = self._ranked(self._vectors @ self._query_vector(question), least=-np.inf)
        sparse = self._ranked(self._word_scores(question), least=0.0)
        fused = explain(dense, sparse)
        scores = {id_: deciding_score(found) for id_, found in fused.items()}
        best = sorted(scores, key=lambda id_: (-scores[id_], id_))[:k]
        return [_hit(rank, scores[id_], *self._chunks[self._places[id_]]) for rank, id_ in enumerate(best, 1)]

    def _ranked(self, scores: Vectors, least: float) -> list[ScoredId]:
        order = np.argsort(-scores, kind="stable")[:_DEPTH]
        found = (ScoredId(self._chunks[i][1].id, float(scores[i])) for i in order if scores[i] > least)
        return ranking(found, _DEPTH)

    def _word_scores(self, question: str) -> Vectors:
        terms = search_terms(question).split()
        if self._words is None or not terms:
            return np.zeros(len(self._chunks), dtype=np.float32)
        return np.asarray(self._words.get_scores(terms), dtype=np.float32)


def _lexicon(texts: Sequence[str]) -> bm25s.BM25 | None:
    terms = [search_terms(text).split() for text in texts]
    if not any(terms):
        return None
    words = bm25s.BM25(k1=_K1, b=_B, method="lucene")
    words.index(terms, show_progress=False)
    return words


def _hit(rank: int, score: float, document: Document, chunk: Chunk) -> Hit:
    return Hit(
        rank=rank,
        score=score,
        chunk_id=chunk.id,
        document_id=document.id,
        source=document.source,
        path=document.path,
        title=document.title,
        start=chunk.start,
        end=chunk.end,
        page_from=chunk.page_from,
        page_to=chunk.page_to,
        clauses=chunk.clauses,
        heading_path=chunk.heading_path,
        text=chunk.body,
    )
