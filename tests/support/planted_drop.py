"""A drop of recall, planted in a repository: documents that repeat questions and answer none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from indexing.embedders.factory import build_counter
from indexing.recall.model import GoldenQuestion
from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.settings import Settings
from tests.support.git_repository import Repository
from tests.support.recall_corpus import StemEmbedder


@contextmanager
def open_services(settings: Settings) -> Iterator[Services]:
    """Services that embed without a model."""
    with Services(settings) as services:
        services.embedder = StemEmbedder(build_counter(settings.indexing))
        yield services


def ingest(
    services: Services, repository: Repository, message: str, *, allow_removals: bool = False
) -> dict[str, Any]:
    """Commit what the work tree holds and ingest it; returns the run's summary."""
    repository.commit(message)
    spec = declare_source(services, str(repository.path), SourceOptions(name="norms"))
    request = IngestRequest(spec.name, allow_removals=allow_removals)
    return run_here(services, request, new_run_id(spec.name), lambda *_: None)


def plant_echoes(repository: Repository, asked: Iterable[GoldenQuestion], copies: int = 5) -> None:
    """Push the answers of some questions out of the first five hits."""
    for question in asked:
        for number in range(copies):
            repository.write(f"эхо/{question.id}-{number}.md", f"{question.question} {question.question}\n")
