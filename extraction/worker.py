"""Extraction in processes of its own: a hang, a crash or a memory bomb costs one document."""

from __future__ import annotations

import os
import resource
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice

from loky.backend import get_context  # type: ignore[import-untyped]
from pebble import ProcessExpired, ProcessPool

from extraction.border import cause_of
from extraction.extract import extract
from rubrica.errors import (
    CorruptDocumentError,
    FatalError,
    LimitExceededError,
    PoisonDocumentError,
    RubricaError,
    TransientError,
)
from rubrica.log import LogOptions, configure_logging, get_logger, logging_options
from rubrica.model import Document, Stage
from rubrica.settings import ExtractionSettings

_log = get_logger(__name__)

_MIB = 2**20
_RECYCLE_AFTER = 200  # documents per process: libraries leak
_GRACE_S = 2
# How allocators written in C and C++ end a process that gets no more memory.
_ALLOCATOR_SIGNALS = frozenset({signal.SIGABRT, signal.SIGTRAP, signal.SIGILL})

Extractor = Callable[[bytes, str, ExtractionSettings], Document]


@dataclass(frozen=True, slots=True)
class ExtractionJob:
    """A file to read: its path inside the source and its bytes."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class ExtractionOutcome:
    """What became of a job: a document, or the error that keeps it out."""

    path: str
    document: Document | None = None
    error: PoisonDocumentError | None = None


def extract_isolated(
    jobs: Iterable[ExtractionJob],
    settings: ExtractionSettings,
    *,
    workers: int = 1,
    extractor: Extractor = extract,
) -> Generator[ExtractionOutcome, None, None]:
    """Read files in worker processes, under limits of time and memory.

    Jobs are drawn from ``jobs`` only as fast as workers take them, so that their contents need not be
    in memory all at once.

    Args:
        jobs: Files.
        settings: ``extract_timeout_s`` and ``extract_memory_mb`` limit each document.
        workers: How many processes; 1 for a handful of documents.
        extractor: What reads a file: a function at the top of a module.

    Yields:
        One outcome per job, in the order of the jobs.

    Raises:
        TransientError: Worker processes do not start.
        FatalError: A library is missing, or a program that the settings ask for.
    """
    waiting: deque[tuple[ExtractionJob, Future[ExtractionOutcome]]] = deque()
    queue = iter(jobs)
    pool = ProcessPool(
        max_workers=workers,
        max_tasks=_RECYCLE_AFTER,
        initializer=_prepare_worker,
        initargs=(settings.extract_memory_mb, logging_options()),
        # Fresh processes that share no threads, connections or locks with this one, and that, unlike
        # those of the standard library, do not run its main script again.
        context=get_context("loky"),
    )
    try:
        while True:
            for job in islice(queue, workers * 2 - len(waiting)):
                waiting.append((job, _schedule(pool, job, settings, extractor)))
            if not waiting:
                break
            yield _outcome(*waiting.popleft(), settings)
    finally:
        pool.stop()  # type: ignore[no-untyped-call]
        pool.join()


def _schedule(
    pool: ProcessPool, job: ExtractionJob, settings: ExtractionSettings, extractor: Extractor
) -> Future[ExtractionOutcome]:
    try:
        # An extractor that watches the time itself can say how far it came; it is given the chance.
        timeout = settings.extract_timeout_s + _GRACE_S
        return pool.schedule(_work, args=(job, settings, extractor), timeout=timeout)
    except RuntimeError as error:
        raise _cannot_start(error) from error


def _cannot_start(error: Exception) -> TransientError:
    return TransientError(
        f"The processes that read files do not start: {cause_of(error)}.",
        stage=Stage.EXTRACT,
        hint="Look for a shortage of memory or processes on this machine.",
    )


def _prepare_worker(memory_mb: int, logs: LogOptions) -> None:
    """Let this process log as its parent does, and limit it; what is mapped already comes on top."""
    configure_logging(**logs)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    limit = memory_mb * _MIB + _mapped_bytes()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _mapped_bytes() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:  # noqa: PTH123 (not a file of ours)
            return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # no /proc outside Linux
        return 0


def _work(job: ExtractionJob, settings: ExtractionSettings, extractor: Extractor) -> ExtractionOutcome:
    try:
        return ExtractionOutcome(job.path, document=extractor(job.content, job.path, settings))
    except PoisonDocumentError as error:
        poison = error
    # Its frames hold what was read so far: after a want of memory, too much to send the answer.
    poison.__cause__ = poison.__context__ = None
    poison.at(document=job.path, stage=Stage.EXTRACT)
    return ExtractionOutcome(job.path, error=poison.with_traceback(None))


def _outcome(
    job: ExtractionJob, future: Future[ExtractionOutcome], settings: ExtractionSettings
) -> ExtractionOutcome:
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, BrokenProcessPool):
        raise _cannot_start(error) from error
    if not isinstance(error, Exception) or (
        isinstance(error, RubricaError) and not isinstance(error, PoisonDocumentError)
    ):
        raise error  # not this document's fault: an interrupt, or an installation that lacks something
    if isinstance(error, ImportError):
        # Every document of its kind would fail: that is this installation's fault, not theirs.
        raise FatalError(
            f"Rubrica is not installed completely: {cause_of(error)}.",
            document=job.path,
            stage=Stage.EXTRACT,
            hint="Run `make setup`.",
        ) from error
    _log.warning("extraction worker failed", path=job.path, reason=cause_of(error))
    poison = _explain(error, settings).at(document=job.path, stage=Stage.EXTRACT)
    return ExtractionOutcome(job.path, error=poison)


def _explain(error: Exception, settings: ExtractionSettings) -> PoisonDocumentError:
    if isinstance(error, TimeoutError):
        return LimitExceededError(
            f"Reading the file takes more than {settings.extract_timeout_s} seconds.",
            limit="RUBRICA_EXTRACT_TIMEOUT_S",
            hint="Raise RUBRICA_EXTRACT_TIMEOUT_S if the file is honest.",
        )
    if isinstance(error, MemoryError) or _died_of_memory(error):
        return LimitExceededError(
            f"Reading the file needs more than {settings.extract_memory_mb} MiB of memory.",
            limit="RUBRICA_EXTRACT_MEMORY_MB",
            hint="Raise RUBRICA_EXTRACT_MEMORY_MB if the file is honest.",
        )
    if isinstance(error, ProcessExpired):
        hint = "The file is damaged or meets a fault in a library; open it and save it again."
        if -(error.exitcode or 0) in _ALLOCATOR_SIGNALS:
            hint = f"It may need more memory than RUBRICA_EXTRACT_MEMORY_MB allows. {hint}"
        return CorruptDocumentError(
            f"The process that read the file crashed ({_death(error)}).",
            hint=hint,
        )
    return CorruptDocumentError(
        f"Reading the file failed: {cause_of(error)}.",
        hint="If other programs open it, please report the file as a bug.",
    )


def _died_of_memory(error: Exception) -> bool:
    """Whether the kernel ended the process for want of memory; nothing else here sends that signal."""
    return isinstance(error, ProcessExpired) and error.exitcode == -signal.SIGKILL


def _death(error: ProcessExpired) -> str:
    code = error.exitcode or 0
    if code >= 0:
        return f"exit status {code}"
    known = {item.value: item.name for item in signal.Signals}
    return known.get(-code, f"signal {-code}")
