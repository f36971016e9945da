"""What chunking costs: seconds and memory, in a process of its own, with nothing remembered."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.chunkers.model import Contender
from benchmarks.chunkers.sets import read_file
from benchmarks.chunkers.workshop import Workshop
from rubrica.model import Document

_MIB = 2**20
_KIB = 2**10
# Longer than any chunk, and nothing of it comes again in what is measured.
_WARMING = " ".join(f"Sentence {i} tells of the matter of {i * i} things." for i in range(80))


@dataclass(frozen=True, slots=True)
class Cost:
    """What one chunker took for some documents.

    Attributes:
        seconds: By the clock; models are loaded before.
        cpu_seconds: The processor's, of all threads: other programs disturb it less.
        memory_mib: Peak memory beyond that of the process before the chunker was built.
        pairs: Pairs that a cross-encoder scored.
        characters: Length of the documents.
    """

    seconds: float
    cpu_seconds: float
    memory_mib: float
    pairs: int
    characters: int


def measure(contender: Contender, limit: int, documents: Sequence[Document], workshop: Workshop) -> Cost:
    """Chunk documents once in a fresh process, without caches.

    Args:
        contender: The chunker.
        limit: Its limit in tokens.
        documents: What it is given; another one is chunked beforehand, so that models are loaded.
        workshop: Folders of data and models.
    """
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        job = pool.submit(_measure, contender, limit, documents, workshop.cache, workshop.data)
        return job.result()


def _measure(
    contender: Contender, limit: int, documents: Sequence[Document], cache: Path, data: Path
) -> Cost:
    workshop = Workshop(cache, data, remember=False)
    before = _memory("VmRSS")
    # 5: forget the peak so far (proc(5)).
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    cut = contender.build(limit, workshop)
    cut([read_file(_WARMING, "warming.txt")])
    begun, begun_cpu = time.perf_counter(), time.process_time()
    cutting = cut(documents)
    seconds, cpu_seconds = time.perf_counter() - begun, time.process_time() - begun_cpu
    memory = (_memory("VmHWM") - before) / _MIB
    characters = sum(len(document.text) for document in documents)
    return Cost(seconds, cpu_seconds, memory, cutting.pairs, characters)


def _memory(field: str) -> int:
    """A field of this process's memory in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * _KIB for line in lines if line.startswith(f"{field}:"))
