"""Pages an hour of the whole pipeline, by stage, and what a re-run saves.

Run it with ``python -m benchmarks.pipeline_throughput --pages 1000 FOLDER``: PDF files with a text layer are
taken from the folder, in an order of digests, until there are that many pages. It starts PostgreSQL, Redis
and Milvus of its own and runs all steps three times, each time in a process of its own, as a command does:
from nothing; again with nothing changed; and into a new index, with the documents extracted before in the
workspace and pair scores and vectors in Redis. ``--write`` stores the page under ``benchmarks/results``.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
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
from rubrica.log import configure_logging

_RESULT = Path(__file__).parent / "results" / "pipeline_throughput.md"
_STAGES = ("detect", "extract", "chunk", "index", "rest")
_SOURCE = "throughput"
_COUNTERS = ("added", "changed", "chunks_written", "chunks_embedded", "pairs_scored", "failed")
_LOOKED_AT = 3  # pages
_TEXT = 200  # characters a page
_MOST = 0.4  # of all pages in one file: otherwise one of 400 is most of what is measured


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
        seconds: Wall time of the whole process, its start and the loading of models included.
        cores: CPU seconds of it and its workers per second; the servers are not in it.
        stages: Seconds by stage; the last batch's index stage ends with the run.
        summary: What the run counted.
    """

    name: str
    seconds: float
    cores: float
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
        if 0 < count <= _MOST * pages:
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


def ingest(folder: str) -> tuple[dict[str, float], dict[str, Any]]:
    """Ingest the folder; returns the seconds of each stage, and what the run counted."""
    with Services() as services:
        spec = declare_source(services, folder, SourceOptions(name=_SOURCE))
        clock = Clock()
        summary = run_here(services, IngestRequest(spec.name), new_run_id(spec.name), clock)
        clock("rest", 0, 0)
    return dict(clock.seconds), {name: summary[name] for name in _COUNTERS}


def measure(name: str, settings: dict[str, str], folder: str) -> Measured:
    """The same in a process of its own, with settings in its environment."""
    command = [sys.executable, "-m", "benchmarks.pipeline_throughput", folder, "--one"]
    begun, worked = time.perf_counter(), _cpu_seconds()
    done = subprocess.run(command, env=os.environ | settings, check=True, stdout=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - begun
    stages, summary = json.loads(done.stdout.splitlines()[-1])
    stages["rest"] = seconds - sum(stages[stage] for stage in _STAGES[:-1] if stage in stages)
    return Measured(name, seconds, (_cpu_seconds() - worked) / seconds, stages, summary)


def _cpu_seconds() -> float:
    """What the processes that ended have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def _settings() -> Iterator[dict[str, str]]:
    """Settings of servers that live as long as the block."""
    with tempfile.TemporaryDirectory() as home:
        Path(home).chmod(0o755)
        stack = LocalStack(Path(home))
        try:
            up = stack.up(services=("postgres", "redis", "milvus"))
            yield {
                "RUBRICA_HOME": home,
                "RUBRICA_POSTGRES_URL": up.postgres_url,
                "RUBRICA_REDIS_URL": up.redis_url,
                "RUBRICA_MILVUS_URI": up.milvus_uri,
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
            measure(name, addresses | {"RUBRICA_ALIAS": alias}, folder)
            for name, alias in track(steps, console=Console(stderr=True))
        ]
    return _page(runs, files, total)


def _page(runs: list[Measured], files: int, pages: int) -> str:
    first, again = runs[0], runs[1]
    lines = [
        "# Pages an hour",
        "",
        f"{pages} pages of {files} PDF files, default settings, {os.cpu_count()} CPU cores, no GPU; each run",
        "is a process of its own. Made by `python -m benchmarks.pipeline_throughput`.",
        "",
        f"An unchanged corpus costs {again.seconds / first.seconds:.2%} of the first run.",
        "",
        *_table_of_runs(runs, pages),
        "",
        *_table_of_stages(runs),
        "",
    ]
    return "\n".join(lines)


def _table_of_runs(runs: list[Measured], pages: int) -> list[str]:
    names = [name.replace("_", " ") for name in _COUNTERS]
    lines = [_row("run", "time / first", "pages an hour", "cores busy", *names), _rule(4 + len(names))]
    for item in runs:
        an_hour = f"{pages / item.seconds * 3600:,.0f}" if item.summary["chunks_written"] else "-"
        share = f"{item.seconds / runs[0].seconds:.4f}"
        counts = [item.summary[name] for name in _COUNTERS]
        lines.append(_row(item.name, share, an_hour, f"{item.cores:.2f}", *counts))
    return lines


def _table_of_stages(runs: list[Measured]) -> list[str]:
    lines = [_row("stage", *(f"{item.name}: share of the first run" for item in runs)), _rule(1 + len(runs))]
    for stage in _STAGES:
        shares = (f"{item.stages.get(stage, 0) / runs[0].seconds:.1%}" for item in runs)
        lines.append(_row(_named(stage), *shares))
    return lines


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _rule(columns: int) -> str:
    return "|---" * columns + "|"


def _named(stage: str) -> str:
    names = {
        "detect": "detect, plan (all that an unchanged run does)",
        "index": "embed and index, retire, verdict",
        "rest": "start of the process",
    }
    return names.get(stage, stage)


def main() -> None:
    """Run and print the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        configure_logging(level="WARNING")
        sys.stdout.write(json.dumps(ingest(str(options.folder))) + "\n")
        return
    page = run(options.folder, options.pages)
    sys.stdout.write(page)
    if options.write:
        _RESULT.write_text(page)


if __name__ == "__main__":
    main()
