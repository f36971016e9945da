"""Local files as documents, for commands that work without a source."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from extraction.worker import ExtractionJob, extract_isolated
from rubrica.errors import PoisonDocumentError
from rubrica.model import Document, Failure, Stage
from rubrica.settings import Settings
from sources.content import LFS_POINTER, check_size, is_lfs_pointer

_NOT_REGULAR = "It is no regular file but a folder, pipe, socket or device."


def read_documents(files: Sequence[Path], settings: Settings) -> Iterator[Document | Failure]:
    """Extract files in worker processes.

    Args:
        files: Files to read.
        settings: Limits.

    Yields:
        For each file, in order, its document or why it failed; a bad file harms no other.
    """
    workers = min(os.cpu_count() or 1, max(1, len(files)))
    unreadable: dict[int, PoisonDocumentError] = {}
    jobs = _jobs(files, settings.sources.max_file_mb, unreadable)
    results = extract_isolated(jobs, settings.extraction, workers=workers)
    for number, (path, outcome) in enumerate(zip(files, results, strict=True)):
        error = unreadable.get(number, outcome.error)
        if error is not None:
            yield _failure(path, error)
        elif outcome.document is not None:
            yield outcome.document


def _jobs(
    files: Sequence[Path], max_file_mb: int, unreadable: dict[int, PoisonDocumentError]
) -> Iterator[ExtractionJob]:
    """A job per file, without content for those that ``unreadable`` then names."""
    for number, path in enumerate(files):
        content = b""
        try:
            content = _content(path, max_file_mb)
        except PoisonDocumentError as error:
            unreadable[number] = error
        yield ExtractionJob(path.as_posix(), content)


def _content(path: Path, max_file_mb: int) -> bytes:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # reading a pipe might wait for ever
            raise PoisonDocumentError(_NOT_REGULAR, hint="Save what it yields as a file, and name that.")
        check_size(path.as_posix(), status.st_size, max_file_mb)
        content = path.read_bytes()
    except OSError as error:
        raise PoisonDocumentError(
            f"The file cannot be read: {error.strerror}.", hint="Check that it is there and its permissions."
        ) from error
    if is_lfs_pointer(content):
        raise PoisonDocumentError(LFS_POINTER, hint="Fetch the content with `git lfs pull`.")
    return content


def _failure(path: Path, error: PoisonDocumentError) -> Failure:
    return Failure("", path.as_posix(), Stage.EXTRACT, type(error).__name__, error.reason, error.hint)
