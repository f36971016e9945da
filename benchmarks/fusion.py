"""What the lexical half of the search compares, and how both halves are fused: recall of each way.

Run it with ``python -m benchmarks.fusion``. The sets and their chunks are those of ``benchmarks.recall`` and
share its cache; rankings are exact and in memory. Stems alone and reciprocal ranks (Cormack et al., 2009) are
what Rubrica had before.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import bm25s  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from benchmarks.chunkers.workshop import Workshop
from benchmarks.recall import Corpus, chunks_of, corpora
from indexing.recall.evaluate import evaluate
from indexing.recall.texts import IndexedText, rebuilt
from indexing.search.fusion import explain, ranking
from indexing.store.store import ScoredId
from indexing.store.terms import search_terms, stems
from rubrica.model import Hit

Scores = npt.NDArray[np.float32]
Rankings = tuple[Sequence[ScoredId], Sequence[ScoredId]]
Fuse = Callable[[Sequence[ScoredId], Sequence[ScoredId]], dict[str, float]]

_ROOT = Path(__file__).resolve().parents[1]
_DEPTH = 200
_RRF_K = 60
_K1, _B = 1.2, 0.75
_FIGURES = ("recall@1", "recall@5", "recall@10", "mrr")

WORDS: Mapping[str, Callable[[str], list[str]]] = {
    "stems": stems,
    "stems and pieces": lambda text: search_terms(text).split(),
}


def reciprocal_ranks(dense: Sequence[ScoredId], sparse: Sequence[ScoredId]) -> dict[str, float]:
    """The sum of ``1 / (60 + place)`` over both rankings."""
    scores: dict[str, float] = {}
    for found in (dense, sparse):
        for place, item in enumerate(found, start=1):
            scores[item.chunk_id] = scores.get(item.chunk_id, 0.0) + 1 / (_RRF_K + place)
    return scores


def scaled_scores(dense: Sequence[ScoredId], sparse: Sequence[ScoredId]) -> dict[str, float]:
    """As the search does it."""
    return {id_: told.fused_score or 0.0 for id_, told in explain(dense, sparse).items()}


FUSIONS: Mapping[str, Fuse] = {
    "words alone": lambda _, sparse: {item.chunk_id: item.score for item in sparse},
    "reciprocal ranks": reciprocal_ranks,
    "scaled scores": scaled_scores,
}


class Collection:
    """The chunks of a corpus, with the scores of all its questions by meaning."""

    def __init__(self, corpus: Corpus, workshop: Workshop) -> None:
        """Chunk and embed a corpus, unless that is remembered."""
        self.corpus = corpus
        self._documents = list(zip(corpus.documents, chunks_of(corpus, workshop), strict=True))
        self._chunks = [(document, chunk) for document, chunks in self._documents for chunk in chunks]
        self._places = {chunk.id: place for place, (_, chunk) in enumerate(self._chunks)}
        vectors = workshop.embedder.embed_passages([chunk.text for _, chunk in self._chunks])
        questions = list(dict.fromkeys(question.question for question in corpus.questions))
        asked = np.stack([workshop.embedder.embed_query(question) for question in questions])
        self._dense = dict(zip(questions, asked @ vectors.T, strict=True))

    @property
    def size(self) -> int:
        """Number of chunks."""
        return len(self._chunks)

    def rankings(self, terms_of: Callable[[str], list[str]]) -> dict[str, Rankings]:
        """Both rankings of every question.

        Args:
            terms_of: What BM25 compares.
        """
        index = bm25s.BM25(k1=_K1, b=_B, method="lucene")
        index.index([terms_of(chunk.text) for _, chunk in self._chunks], show_progress=False)
        return {
            question: (
                self._ranked(dense, least=-np.inf),
                self._ranked(index.get_scores(terms_of(question)), least=0.0),
            )
            for question, dense in self._dense.items()
        }

    def _ranked(self, scores: Scores, least: float) -> list[ScoredId]:
        best = np.argsort(-scores, kind="stable")[:_DEPTH]
        found = (ScoredId(self._chunks[i][1].id, float(scores[i])) for i in best if scores[i] > least)
        return ranking(found, _DEPTH)

    def measure(self, rankings: Mapping[str, Rankings], fuse: Fuse) -> Mapping[str, float]:
        """Recall of one way of fusing the rankings."""
        texts = self._texts()

        def search(question: str, k: int) -> list[Hit]:
            scores = fuse(*rankings[question])
            best = sorted(scores, key=lambda id_: (-scores[id_], id_))[:k]
            return [self._hit(place, scores[id_], id_) for place, id_ in enumerate(best, start=1)]

        return evaluate(self.corpus.questions, search, lambda _, name: texts.get(name)).metrics

    def _texts(self) -> dict[str, IndexedText]:
        """The documents by all names that questions call them."""
        found: dict[str, IndexedText] = {}
        for document, chunks in self._documents:
            text = rebuilt(document.path, document.path, chunks)
            stem = document.path.rpartition(".")[0]
            found |= dict.fromkeys((document.title, stem, document.path), text)
        return found

    def _hit(self, rank: int, score: float, id_: str) -> Hit:
        document, chunk = self._chunks[self._places[id_]]
        return Hit(
            rank=rank,
            score=score,
            chunk_id=id_,
            document_id=document.path,
            source="",
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


def table(collection: Collection) -> Table:
    """All ways on one corpus."""
    corpus = collection.corpus
    title = f"{corpus.name}: {len(corpus.questions)} questions, {collection.size} chunks"
    shown = Table("words", "fused by", *_FIGURES, title=title, title_justify="left")
    for words, terms_of in WORDS.items():
        rankings = collection.rankings(terms_of)
        for name, fuse in FUSIONS.items():
            metrics = collection.measure(rankings, fuse)
            shown.add_row(words, name, *(f"{metrics[figure]:.3f}" for figure in _FIGURES))
    return shown


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fusion", description=__doc__)
    parser.add_argument("--data", type=Path, default=_ROOT.parent / "shared" / "data", help="folder of data")
    parser.add_argument("--cache", type=Path, default=_ROOT / ".cache" / "recall", help="what is remembered")
    parser.add_argument("--sets", nargs="*", help="only these sets")
    options = parser.parse_args()
    workshop = Workshop(options.cache, options.data)
    readers = corpora(options.data)
    for name in options.sets or readers:
        Console().print(table(Collection(readers[name](), workshop)))


if __name__ == "__main__":
    main()
