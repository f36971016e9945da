"""Local files as documents, for commands that work without a source."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from extraction.worker import ExtractionJob, extract_isolated
from rubrica.errors import PoisonDocumentError
from rubrica.model import Document, Failure, Stage
from rubrica.settings import Settings


def read_documents(files: Sequence[Path], settings: Settings) -> Iterator[Document | Failure]:
    """Extract files in worker processes.

    Args:
        files: Files to read.
        settings: Limits.

    Yields:
        For each file, in order, its document or why it failed; a bad file harms no other.
    """
    workers = min(os.cpu_count() or 1, max(1, len(files)))
    jobs = (ExtractionJob(path.as_posix(), path.read_bytes()) for path in files)
    results = extract_isolated(jobs, settings.extraction, workers=workers)
    for path, outcome in zip(files, results, strict=True):
        if outcome.error is not None:
            yield _failure(path, outcome.error)
        elif outcome.document is not None:
            yield outcome.document


def _failure(path: Path, error: PoisonDocumentError) -> Failure:
    return Failure("", path.as_posix(), Stage.EXTRACT, type(error).__name__, error.reason, error.hint)
