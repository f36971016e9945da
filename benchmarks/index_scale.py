"""What keeping a large index right costs, and that memory stays flat while it grows.

Run it with ``python -m benchmarks.index_scale``; it starts PostgreSQL and Milvus of its own. A folder of
generated text files goes through the whole pipeline: ingested, reconciled clean and with planted faults,
rebuilt with chunks of another size up to the switch, reconciled again, and rolled back.
Embedding is not the subject, so vectors come out of digests. Every size runs in a process of its own; seconds
are given as a ratio to the first ingestion of the same size, memory as the peak of the process that works.
``--write`` stores the page under ``benchmarks/results``.
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
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from indexing.catalog import Generation
from indexing.store.rows import full_row
from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.reconciling import ReconcileRequest, reconcile
from pipeline.reindexing import starting
from pipeline.reindexing.request import ReindexRequest
from pipeline.reindexing.switching import roll_back
from pipeline.services import Services
from pipeline.stack import LocalStack
from pipeline.steps import IngestRequest
from rubrica.identity import chunk_ids
from rubrica.log import configure_logging
from rubrica.model import Chunk, Document
from rubrica.settings import Settings

_RESULT = Path(__file__).parent / "results" / "index_scale.md"
_SOURCE = "scale"
_DIMENSION = 384
_PER_DOCUMENT = 100
_SENTENCE = 10  # words
_SENTENCES = 3  # of a chunk
_BEFORE: dict[str, Any] = {
    "strategy": "recursive",
    "max_tokens": 32,
    "min_tokens": 0,
    "redis_url": "",
    "batch_pairs": 20_000,  # pairs are estimated, but this strategy scores none
}
_AFTER = _BEFORE | {"max_tokens": 42}
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
    """What one step cost, and what it reported."""

    name: str
    seconds: float
    peak_mb: float
    found: dict[str, int]


def write_corpus(folder: Path, documents: int) -> None:
    """Text files of sentences of ten words, each of which becomes about a hundred chunks."""
    for number in range(documents):
        sentences = (_sentence(number, i) for i in range(_PER_DOCUMENT * _SENTENCES))
        (folder / f"{number:05}.txt").write_text(" ".join(sentences))


def _sentence(document: int, number: int) -> str:
    seed = document * 7919 + number * 104729
    words = [f"слово{(seed + i * i * 31) % 4001}" for i in range(_SENTENCE - 1)]
    return f"Пункт{document}н{number} {' '.join(words)}."


def orphan(number: int) -> tuple[Document, list[Chunk]]:
    """A document that nobody knows, of a hundred chunks."""
    id_ = f"{number:032x}"
    texts = [" ".join(_sentence(number, 3 * i + j) for j in range(_SENTENCES)) for i in range(_PER_DOCUMENT)]
    ids, chunks, start = chunk_ids(id_, texts), [], 0
    for i, text in enumerate(texts):
        chunks.append(Chunk(ids[i], id_, i, start, start + len(text), text, text, 30, start))
        start += len(text) + 1
    return Document(id_, _SOURCE, f"{number:05}.txt", "r", "h", "text/plain", "ru", "Сирота", "", ()), chunks


class Bench:
    """One index of one size."""

    def __init__(self, before: Services, after: Services, folder: Path, chunks: int) -> None:
        self._before = before
        self._after = after
        self._folder = folder
        self._chunks = chunks

    def steps(self) -> Iterator[tuple[str, Callable[[], dict[str, int]]]]:
        """What is measured, in order; what lies between two steps is not."""
        yield "ingest, from nothing", self._ingest
        yield "ingest, nothing changed", self._ingest
        yield "reconcile, nothing wrong", self._reconcile
        self._plant()
        yield "reconcile, report only", lambda: self._reconcile(dry_run=True)
        yield "reconcile, mend", self._reconcile
        yield "reconcile again", self._reconcile
        yield "reindex, to the switch", self._reindex
        yield "reconcile the new index", lambda: self._reconcile(generation=2)
        yield "roll back", self._roll_back

    def _ingest(self) -> dict[str, int]:
        spec = declare_source(self._before, str(self._folder), SourceOptions(name=_SOURCE))
        done = run_here(self._before, IngestRequest(spec.name), new_run_id(spec.name), _silent)
        return {"documents": done["added"], "chunks": done["chunks_written"]}

    def _plant(self) -> None:
        """Orphans of documents that nobody knows, and chunks that Milvus has lost."""
        store, live = self._before.store, self._live(self._before)
        embedder = self._before.embedder
        for number in range(int(self._chunks * _ORPHANS) // _PER_DOCUMENT):
            document, chunks = orphan(number)
            vectors = embedder.embed_passages([chunk.text for chunk in chunks])
            rows = [full_row(document, *pair) for pair in zip(chunks, vectors, strict=True)]
            store.upsert(live.collection, rows)
        catalog = self._before.catalog
        for document_id in catalog.documents.paths(_SOURCE):
            ids = sorted(catalog.chunks.ids(live.id, document_id))
            store.delete(live.collection, ids[: round(len(ids) * _LOST)])
        store.flush(live.collection)

    def _reconcile(self, *, dry_run: bool = False, generation: int = 0) -> dict[str, int]:
        done = reconcile(self._before, ReconcileRequest(dry_run=dry_run, generation=generation))
        return {"rows": done.rows} | {kind: count for kind, count in done.found.items() if count}

    def _reindex(self) -> dict[str, int]:
        done = starting.run_here(self._after, ReindexRequest(gate=False), starting.new_run_id(), _silent)
        assert done["state"] == "live", done
        return {"documents": done["documents"], "chunks": done["chunks"]}

    def _roll_back(self) -> dict[str, int]:
        roll_back(self._after, starting.new_run_id())
        live = self._live(self._after)
        assert live.number == 1, live
        return {"rows": self._after.store.count(live.alias)}

    @staticmethod
    def _live(services: Services) -> Generation:
        live = services.catalog.generations.live(services.settings.indexing.alias)
        assert live is not None
        return live


def _silent(stage: str, done: int, total: int) -> None:
    """Nobody watches."""


def measure(chunks: int) -> list[Step]:
    """Run all steps on an index of that many chunks."""
    with (
        tempfile.TemporaryDirectory() as folder,
        _servers() as addresses,
        patch("indexing.embedders.factory.build_embedder", lambda _: DigestEmbedder()),
        Services(Settings(**addresses, **_BEFORE)) as before,
        Services(Settings(**addresses, **_AFTER)) as after,
    ):
        write_corpus(Path(folder), chunks // _PER_DOCUMENT)
        return [_timed(*step) for step in Bench(before, after, Path(folder), chunks).steps()]


@contextmanager
def _servers() -> Iterator[dict[str, str]]:
    with tempfile.TemporaryDirectory() as home:
        Path(home).chmod(0o755)
        stack = LocalStack(Path(home))
        try:
            up = stack.up(services=("postgres", "milvus"))
            yield {"home": home, "postgres_url": up.postgres_url, "milvus_uri": up.milvus_uri}
        finally:
            stack.purge()


def _timed(name: str, step: Callable[[], dict[str, int]]) -> Step:
    _forget_peak()
    begun = time.perf_counter()
    found = step()
    done = Step(name, time.perf_counter() - begun, _peak_mb(), found)
    sys.stderr.write(f"{done}\n")
    return done


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
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return [Step(**item) for item in json.loads(done.stdout.splitlines()[-1])]


def page(measured: dict[int, list[Step]]) -> str:
    """The tables as a page of Markdown."""
    lines = [
        "# A large index",
        "",
        "The whole pipeline in one process beside Milvus Lite and PostgreSQL, vectors out of digests;",
        "made by `python -m benchmarks.index_scale`. The peak is that of the working process. Milvus Lite",
        "goes through the whole collection for every read, so reconciling grows faster than the index.",
        "",
    ]
    for chunks, steps in measured.items():
        lines += [*_table(chunks, steps), ""]
    if len(measured) > 1:
        lines += [*_growth(measured), ""]
    return "\n".join(lines)


def _table(chunks: int, steps: Sequence[Step]) -> list[str]:
    lines = [
        f"## {chunks:,} chunks",
        "",
        "| step | time / first ingestion | peak MiB | seen |",
        "|---|---|---|---|",
    ]
    for step in steps:
        seen = ", ".join(f"{count:,} {kind}" for kind, count in step.found.items())
        lines.append(f"| {step.name} | {step.seconds / steps[0].seconds:.3f} | {step.peak_mb:.0f} | {seen} |")
    return lines


def _growth(measured: dict[int, list[Step]]) -> list[str]:
    least, most = min(measured), max(measured)
    lines = [
        f"## {most / least:.0f} times the chunks",
        "",
        "| step | times the time | times the peak |",
        "|---|---|---|",
    ]
    for small, large in zip(measured[least], measured[most], strict=True):
        time_, peak = large.seconds / small.seconds, large.peak_mb / small.peak_mb
        lines.append(f"| {small.name} | {time_:.1f} | {peak:.2f} |")
    return lines


def main() -> None:
    """Run and print the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 50_000])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        configure_logging(level="WARNING")
        sys.stdout.write(json.dumps([asdict(step) for step in measure(options.one)]) + "\n")
        return
    text = page({chunks: _in_process(chunks) for chunks in options.chunks})
    sys.stdout.write(text)
    if options.write:
        _RESULT.write_text(text)


if __name__ == "__main__":
    main()
