"""The one search that all chunkers are measured with: vectors and BM25, fused by reciprocal ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import CountVectorizer  # type: ignore[import-untyped]

from benchmarks.chunkers.align import Span
from benchmarks.chunkers.model import Piece
from benchmarks.chunkers.sets import Question, RetrievalSet
from benchmarks.chunkers.workshop import Workshop
from indexing.store.terms import stems

Matrix = npt.NDArray[np.float64]

DEPTHS = (1, 5, 10)
_IOU_DEPTH = 5
# Cormack, Clarke and Büttcher 2009.
_RRF_K = 60
# What Milvus takes by default.
_BM25_K1, _BM25_B = 1.2, 0.75
_COVERED = 0.5


@dataclass(frozen=True, slots=True)
class Answers:
    """How well the chunks of one chunker answer the questions of one set.

    Attributes:
        recall: By depth, per question its recall in 0…1.
        iou: Per question, tokens of the answer among those of the first five chunks, over the union of both.
    """

    recall: dict[int, Matrix]
    iou: Matrix


def answer(pieces: Sequence[Piece], asked: RetrievalSet, workshop: Workshop) -> Answers:
    """Ask all questions of a set.

    Args:
        pieces: Chunks of all its documents.
        asked: The set.
        workshop: The embedder.
    """
    order = rank(pieces, [question.text for question in asked.questions], workshop)
    ranked = [[pieces[i] for i in row] for row in order]
    found = list(zip(ranked, asked.questions, strict=True))
    recall = {k: np.array([recall_at(best[:k], question) for best, question in found]) for k in DEPTHS}
    lengths = [TokenOffsets(document.text, workshop) for document in asked.documents]
    iou = [
        token_iou(best[:_IOU_DEPTH], question, lengths[question.document], workshop)
        for best, question in found
    ]
    return Answers(recall, np.array(iou))


# --- Search ------------------------------------------------------------------------------------------


def rank(pieces: Sequence[Piece], queries: Sequence[str], workshop: Workshop) -> npt.NDArray[np.int64]:
    """Ordinals of the best chunks for each query, best first: ``[queries, 10 or fewer]``."""
    texts = [piece.text for piece in pieces]
    passages = workshop.embedder.embed_passages([workshop.fitting(text) for text in texts])
    vectors = np.stack([workshop.embedder.embed_query(query) for query in queries])
    lexical = bm25([" ".join(stems(text)) for text in texts], [" ".join(stems(query)) for query in queries])
    fused = fuse((vectors @ passages.T).astype(np.float64), lexical)
    best = np.argsort(-fused, axis=1, kind="stable")[:, : max(DEPTHS)]
    return best.astype(np.int64)


def bm25(documents: Sequence[str], queries: Sequence[str]) -> Matrix:
    """BM25 of each query and document, both as words parted by spaces: ``[queries, documents]``."""
    counter = CountVectorizer(tokenizer=str.split, preprocessor=None, lowercase=False, token_pattern=None)
    counts = counter.fit_transform(documents).astype(np.float64).tocsc()
    asked = counter.transform(queries).sign().astype(np.float64)
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    having = np.diff(counts.indptr)
    idf = np.log(1 + (len(documents) - having + 0.5) / (having + 0.5))
    normal = _BM25_K1 * (1 - _BM25_B + _BM25_B * lengths / lengths.mean())
    weighted = counts.copy()
    weighted.data = counts.data * (_BM25_K1 + 1) / (counts.data + normal[counts.indices])
    result: Matrix = (asked.multiply(idf).tocsr() @ weighted.T.tocsr()).toarray()
    return result


def fuse(dense: Matrix, lexical: Matrix) -> Matrix:
    """Sum of reciprocal ranks; what has no word in common with the query gets nothing for words."""
    return _reciprocal(dense) + np.where(lexical > 0, _reciprocal(lexical), 0.0)


def _reciprocal(scores: Matrix) -> Matrix:
    order = np.argsort(-scores, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(scores.shape[1])[None], axis=1)
    inverse: Matrix = 1.0 / (_RRF_K + 1 + ranks)
    return inverse


# --- Hits --------------------------------------------------------------------------------------------


def recall_at(found: Sequence[Piece], question: Question) -> float:
    """How much of an answer is in the chunks that were found.

    An answer in one span counts 1 when one chunk covers at least half of its characters, else 0. An answer
    in several spans cannot be asked of one chunk: it counts the share of its characters that all the chunks
    cover together.
    """
    own = [(piece.start, piece.end) for piece in found if piece.document == question.document]
    if len(question.spans) > 1:
        return _covered(own, question.spans) / _length(question.spans)
    (span,) = question.spans
    return float(any(_shared(piece, span) >= _COVERED * (span[1] - span[0]) for piece in own))


def _covered(spans: Sequence[Span], wanted: Sequence[Span]) -> int:
    edges = sorted({edge for start, end in (*spans, *wanted) for edge in (start, end)})
    return sum(
        right - left for left, right in pairwise(edges) if _inside(left, spans) and _inside(left, wanted)
    )


def _inside(offset: int, spans: Sequence[Span]) -> bool:
    return any(start <= offset < end for start, end in spans)


def _shared(one: Span, other: Span) -> int:
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def _length(spans: Sequence[Span]) -> int:
    return sum(end - start for start, end in spans)


class TokenOffsets:
    """Tokens before every offset of a text; a word's tokens are spread evenly over its characters."""

    def __init__(self, text: str, workshop: Workshop) -> None:
        weights = np.zeros(len(text) + 1)
        position = 0
        for word in text.split():
            start = text.index(word, position)
            position = start + len(word)
            weights[start + 1 : position + 1] = workshop.tokens(word) / len(word)
        self._before = np.cumsum(weights)

    def between(self, start: int, end: int) -> float:
        """Tokens of ``text[start:end]``."""
        return float(self._before[end] - self._before[start])


def token_iou(found: Sequence[Piece], question: Question, offsets: TokenOffsets, workshop: Workshop) -> float:
    """Intersection over union of the answer's tokens and those retrieved (Smith and Troynikov 2024).

    What is retrieved twice counts twice, and context lines count: a reader pays for both.
    """
    own = [(piece.start, piece.end) for piece in found if piece.document == question.document]
    edges = sorted({edge for span in (*own, *question.spans) for edge in span})
    shared = sum(
        offsets.between(left, right)
        for left, right in pairwise(edges)
        if _inside(left, own) and _inside(left, question.spans)
    )
    wanted = sum(offsets.between(*span) for span in question.spans)
    retrieved = sum(workshop.tokens(piece.text) for piece in found)
    return shared / (wanted + retrieved - shared)
