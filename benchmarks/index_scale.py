"""What keeping a large index right costs: writing, reconciling, mending; and that memory stays flat.

Run it with ``python -m benchmarks.index_scale``; it starts PostgreSQL and Milvus of its own. Embedding is not
the subject, so vectors come out of digests. Every size runs in a process of its own; seconds are given as a
ratio to the first writing of the same size, memory as the peak of the process that works.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from indexing.catalog import Catalog, Generation
from indexing.generations import ensure_live
from indexing.reconcile import Reconciler, Repair, Trouble
from indexing.store.rows import full_row
from indexing.store.store import VectorStore
from indexing.writer import IndexWriter
from pipeline.stack import LocalStack
from rubrica.identity import chunk_ids
from rubrica.model import Chunk, Document, SourceSpec

_DIMENSION = 384
_PER_DOCUMENT = 100
_ORPHANS = 0.4  # of the chunks: 20,000 beside 50,000
_LOST = 0.02  # of the chunks: 1,000 of 50,000


class _Counter:
    name = "words"
    limit = 512

    def count(self, text: str) -> int:
        """Words."""
        return len(text.split())


class DigestEmbedder:
    """Vectors out of a digest of the text: exact and quick."""

    name = "digest"
    revision = "1"
    dimension = _DIMENSION
    counter = _Counter()

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed passages."""
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Embed one text."""
        digest = hashlib.shake_128(text.encode()).digest(_DIMENSION)
        vector = np.frombuffer(digest, dtype=np.uint8).astype(np.float32) + 1
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Step:
    """What one step cost."""

    name: str
    seconds: float
    peak_mb: float
    found: dict[str, int]


def document_of(id_: str, number: int) -> tuple[Document, list[Chunk]]:
    """A document of a hundred chunks of about thirty words."""
    words = [f"слово{(number * 31 + i * 7) % 4000}" for i in range(30)]
    texts = [f"{number}.{i} {' '.join(words[i % 30 :] + words[: i % 30])}" for i in range(_PER_DOCUMENT)]
    ids, chunks, start = chunk_ids(id_, texts), [], 0
    for i, text in enumerate(texts):
        chunks.append(Chunk(ids[i], id_, i, start, start + len(text), text, text, 31, start, 1 + i // 5))
        start += len(text) + 1
    document = Document(
        id_, "scale", f"{number:05}.md", "r", "h", "text/markdown", "ru", f"Документ {number}", "", ()
    )
    return document, chunks


class Bench:
    """One index of one size."""

    def __init__(self, catalog: Catalog, store: VectorStore, live: Generation, chunks: int) -> None:
        self._catalog = catalog
        self._store = store
        self._live = live
        self._documents = chunks // _PER_DOCUMENT
        self._chunks = chunks
        self._embedder = DigestEmbedder()

    def steps(self) -> Iterator[tuple[str, Callable[[], dict[str, int]]]]:
        """What is measured, in order; what lies between two steps is not."""
        yield "write, through the writer", self._write
        yield "reconcile, nothing wrong", self._reconcile
        self._plant()
        yield "reconcile, report only", lambda: self._reconcile(dry_run=True)
        yield "reconcile, mend", self._reconcile
        yield "reconcile again", self._reconcile

    def _all(self, numbers: range, prefix: str = "") -> Iterator[tuple[Document, list[Chunk]]]:
        paths = {number: f"{prefix}{number:05}.md" for number in numbers}
        ids = self._catalog.documents.register("scale", paths.values())
        return (document_of(ids[path], number) for number, path in paths.items())

    def _write(self) -> dict[str, int]:
        writer = IndexWriter(self._catalog, self._store, self._embedder, self._live)
        for document, chunks in self._all(range(self._documents)):
            writer.write_document(document, chunks, mark="m", config_sig="s")
        writer.settle()
        return {}

    def _plant(self) -> None:
        """Orphans of documents that nobody knows, and chunks that Milvus has lost."""
        numbers = range(int(self._documents * _ORPHANS))
        for number in numbers:
            document, chunks = document_of(f"{number:032x}", number)
            vectors = self._embedder.embed_passages([chunk.text for chunk in chunks])
            rows = [full_row(document, *pair) for pair in zip(chunks, vectors, strict=True)]
            self._store.upsert(self._live.collection, rows)
        lost = int(self._chunks * _LOST) // _PER_DOCUMENT
        for _, chunks in self._all(range(lost)):
            self._store.delete(self._live.collection, [chunk.id for chunk in chunks])
        self._store.flush(self._live.collection)

    def _reconcile(self, *, dry_run: bool = False) -> dict[str, int]:
        found = dict.fromkeys((kind.value for kind in Trouble), 0)

        def report(repair: Repair) -> None:
            found[repair.kind.value] += repair.count

        reconciler = Reconciler(
            self._catalog,
            self._store,
            lambda: self._embedder,
            self._live,
            lambda _: nullcontext(True),
            dry_run=dry_run,
            report=report,
        )
        reconciler.mend(reconciler.survey())
        return {kind: count for kind, count in found.items() if count}


def measure(chunks: int) -> list[Step]:
    """Run all steps on an index of that many chunks."""
    with _servers() as (postgres, milvus), Catalog(postgres) as catalog, VectorStore(milvus) as store:
        catalog.migrate()
        catalog.sources.register(SourceSpec("scale", "folder", "/srv/scale"))
        live = ensure_live("scale", catalog, store, DigestEmbedder())
        return [_timed(*step) for step in Bench(catalog, store, live, chunks).steps()]


@contextmanager
def _servers() -> Iterator[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        stack = LocalStack(Path(folder))
        try:
            up = stack.up(services=("postgres", "milvus"))
            yield up.postgres_url, up.milvus_uri
        finally:
            stack.purge()


def _timed(name: str, step: Callable[[], dict[str, int]]) -> Step:
    _forget_peak()
    begun = time.perf_counter()
    found = step()
    return Step(name, time.perf_counter() - begun, _peak_mb(), found)


def _forget_peak() -> None:
    """Linux lets a process forget its peak; elsewhere peaks only grow."""
    file = Path("/proc/self/clear_refs")
    if file.exists():
        file.write_text("5")


def _peak_mb() -> float:
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        return int(lines["VmHWM"].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _in_process(chunks: int) -> list[Step]:
    command = [sys.executable, "-m", "benchmarks.index_scale", "--one", str(chunks)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [Step(**item) for item in json.loads(done.stdout.splitlines()[-1])]


def _table(chunks: int, steps: Sequence[Step]) -> Table:
    table = Table("step", "time / writing", "peak MiB", "found", title=f"{chunks:,} chunks")
    for step in steps:
        ratio = step.seconds / steps[0].seconds
        found = ", ".join(f"{count} {kind}" for kind, count in step.found.items())
        table.add_row(step.name, f"{ratio:.2f}", f"{step.peak_mb:.0f}", found or "nothing")
    return table


def main() -> None:
    """Run and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 50_000])
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        sys.stdout.write(json.dumps([asdict(step) for step in measure(options.one)]) + "\n")
        return
    measured = {chunks: _in_process(chunks) for chunks in options.chunks}
    for chunks, steps in measured.items():
        Console().print(_table(chunks, steps))
    least, most = min(measured), max(measured)
    for small, large in zip(measured[least], measured[most], strict=True):
        Console().print(
            f"{small.name}: {most / least:.0f} times the chunks,"
            f" {large.seconds / small.seconds:.1f} times the time,"
            f" {large.peak_mb / small.peak_mb:.2f} times the peak"
        )


if __name__ == "__main__":
    main()
