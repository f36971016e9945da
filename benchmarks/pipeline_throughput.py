"""Pages an hour of the whole pipeline, by stage, and what a re-run saves.

Run it with ``python -m benchmarks.pipeline_throughput --pages 500 FOLDER``: PDF files with a text layer are
taken from the folder, in an order of digests, until there are that many pages. It starts PostgreSQL, Redis
and Milvus of its own and runs every step in its own process, three times: from nothing; again with nothing
changed; and into a new index, with the documents extracted before in the workspace and pair scores and
vectors in Redis. ``--write`` stores the page under ``benchmarks/results``.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
from rich.console import Console
from rich.progress import track

from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.services import Services
from pipeline.stack import LocalStack
from pipeline.steps import IngestRequest
from rubrica.identity import digest
from rubrica.settings import Settings

_RESULT = Path(__file__).parent / "results" / "pipeline_throughput.md"
_STAGES = ("detect", "extract", "chunk", "index", "rest")
_SOURCE = "throughput"
_COUNTERS = ("added", "changed", "chunks_written", "chunks_embedded", "pairs_scored", "failed")
_LOOKED_AT = 3  # pages
_TEXT = 200  # characters a page


@dataclass
class Clock:
    """How long each stage took, out of the progress that a run reports."""

    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    _stage: str = "rest"
    _since: float = field(default_factory=time.perf_counter)

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Hear that a stage begins."""
        del done, total
        now = time.perf_counter()
        self.seconds[self._stage] += now - self._since
        self._stage, self._since = stage if stage in _STAGES else "rest", now


@dataclass(frozen=True, slots=True)
class Measured:
    """One run over all files.

    Attributes:
        name: What was there before it.
        seconds: Wall time, the loading of models included.
        stages: Seconds by stage; the last batch's index stage ends with the run.
        summary: What the run counted.
    """

    name: str
    seconds: float
    stages: dict[str, float]
    summary: dict[str, Any]


def choose(folder: Path, pages: int, into: Path) -> tuple[int, int]:
    """Copy files of that many pages; returns how many files and pages there are.

    Args:
        folder: Where PDF files are, at any depth.
        pages: Least number of pages.
        into: Where they go.
    """
    files = total = 0
    for path in sorted(folder.rglob("*.pdf"), key=lambda path: digest(path.name)):
        if total >= pages:
            break
        count = _pages(path)
        if 0 < count <= pages:
            shutil.copy(path, into / f"{files:03}-{path.name}")
            files, total = files + 1, total + count
    return files, total


def _pages(path: Path) -> int:
    """Pages of a file; 0 where it cannot be read, or its first pages have no text and would need OCR."""
    try:
        with pypdfium2.PdfDocument(path) as document:
            texts = [page.get_textpage().get_text_range() for page in list(document)[:_LOOKED_AT]]
            return len(document) if sum(map(len, texts)) >= _TEXT * len(texts) else 0
    except pypdfium2.PdfiumError:
        return 0


def measure(name: str, settings: Settings, folder: Path) -> Measured:
    """Ingest the folder with fresh services, as a command does."""
    begun = time.perf_counter()
    with Services(settings) as services:
        spec = declare_source(services, str(folder), SourceOptions(name=_SOURCE))
        clock = Clock()
        summary = run_here(services, IngestRequest(spec.name), new_run_id(spec.name), clock)
        clock("rest", 0, 0)
    return Measured(name, time.perf_counter() - begun, dict(clock.seconds), summary)


@contextmanager
def _settings() -> Iterator[dict[str, Any]]:
    """Settings of servers that live as long as the block."""
    with tempfile.TemporaryDirectory() as home:
        Path(home).chmod(0o755)
        stack = LocalStack(Path(home))
        try:
            up = stack.up(services=("postgres", "redis", "milvus"))
            yield {
                "home": home,
                "postgres_url": up.postgres_url,
                "redis_url": up.redis_url,
                "milvus_uri": up.milvus_uri,
            }
        finally:
            stack.purge()


def run(source: Path, pages: int) -> str:
    """Measure, and tell it as a page of Markdown."""
    with tempfile.TemporaryDirectory() as folder, _settings() as addresses:
        files, total = choose(source, pages, Path(folder))
        steps = (
            ("from nothing", "first"),
            ("nothing changed", "first"),
            ("new index, warm caches", "second"),
        )
        runs = [
            measure(name, Settings(**addresses, alias=alias), Path(folder))
            for name, alias in track(steps, console=Console(stderr=True))
        ]
    return _page(runs, files, total)


def _page(runs: list[Measured], files: int, pages: int) -> str:
    first = runs[0]
    said = f"{pages} pages of {files} PDF files, every step in one process on this machine's CPUs"
    heads = ("run", "time / first", "pages an hour", *_COUNTERS)
    lines = ["# Pages an hour", "", f"{said}; made by `python -m benchmarks.pipeline_throughput`.", ""]
    lines += [f"| {' | '.join(heads).replace('_', ' ')} |", "|---" * len(heads) + "|"]
    for item in runs:
        an_hour = f"{pages / item.seconds * 3600:,.0f}" if item.summary["chunks_written"] else "–"
        counts = [item.summary[name] for name in _COUNTERS]
        cells = (item.name, f"{item.seconds / first.seconds:.4f}", an_hour, *counts)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    names = " | ".join(f"{item.name}: share of first" for item in runs)
    lines += ["", f"| stage | {names} |", "|---" * (len(runs) + 1) + "|"]
    for stage in _STAGES:
        shares = [f"{item.stages.get(stage, 0) / first.seconds:.1%}" for item in runs]
        lines.append(f"| {_named(stage)} | {' | '.join(shares)} |")
    return "\n".join([*lines, ""])


def _named(stage: str) -> str:
    return {"index": "embed and index, retire, verdict", "rest": "opening"}.get(stage, stage)


def main() -> None:
    """Run and print the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    page = run(options.folder, options.pages)
    print(page)
    if options.write:
        _RESULT.write_text(page)


if __name__ == "__main__":
    main()
