"""What chunking again costs: cold, unchanged, and with one word changed in every document.

Run it with ``python -m benchmarks.rerun``; it starts a Redis of its own and reads ``examples/norms``.
Seconds are given as a ratio to the cold run of the same process.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from chunking.factory import build_chunker
from extraction.extract import extract
from indexing.embedders.factory import build_counter
from pipeline.stack import LocalStack
from rubrica.model import Document
from rubrica.settings import Settings

_NORMS = Path(__file__).resolve().parents[1] / "examples" / "norms"
_WORD = re.compile(r"\b[а-яёa-z]{6,}\b")


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run over all documents cost."""

    name: str
    pairs_scored: int
    pair_cache_hits: int
    chunks: int
    new_chunks: int
    seconds: float


def read_documents(settings: Settings) -> list[Document]:
    """The example documents, golden questions left out."""
    files = [path for path in sorted(_NORMS.rglob("*")) if path.is_file() and path.suffix != ".yaml"]
    return [extract(path.read_bytes(), path.name, settings.extraction) for path in files]


def edited(document: Document) -> Document:
    """The document with a word in its middle replaced by another of the same length."""
    words = list(_WORD.finditer(document.text))
    if not words:
        return document
    word = words[len(words) // 2]
    text = document.text[: word.start()] + "я" * len(word.group()) + document.text[word.end() :]
    return replace(document, text=text)


def measure(name: str, documents: Sequence[Document], settings: Settings, url: str, known: set[str]) -> Cost:
    """Chunk all documents with a new chunker and the cache that the runs before have filled."""
    chunker = build_chunker(settings.chunking, build_counter(settings.indexing), url)
    begun = time.perf_counter()
    results = list(chunker.chunk(documents))
    seconds = time.perf_counter() - begun
    ids = {chunk.id for result in results for chunk in result.chunks}
    new = len(ids - known)
    known |= ids
    scored = sum(result.stats.pairs_scored for result in results)
    hits = sum(result.stats.pair_cache_hits for result in results)
    return Cost(name, scored, hits, len(ids), new, seconds)


def main() -> None:
    """Run and print the table."""
    settings = Settings()
    documents = read_documents(settings)
    with tempfile.TemporaryDirectory() as folder:
        stack = LocalStack(Path(folder))
        url = stack.up(services=("redis",)).redis_url
        known: set[str] = set()
        try:
            costs = [
                measure("cold", documents, settings, url, known),
                measure("unchanged", documents, settings, url, known),
                measure("one word in every document", [edited(d) for d in documents], settings, url, known),
            ]
        finally:
            stack.purge()
    table = Table("run", "pairs scored", "from the cache", "chunks", "new chunks", "time / cold")
    for cost in costs:
        figures = (cost.pairs_scored, cost.pair_cache_hits, cost.chunks, cost.new_chunks)
        table.add_row(cost.name, *map(str, figures), f"{cost.seconds / costs[0].seconds:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
