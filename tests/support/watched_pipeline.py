"""A pipeline with something to see: a document that fails, two generations, recall that fell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from indexing.embedders.factory import build_counter
from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.recall_checking import check_set
from pipeline.reindexing import starting
from pipeline.reindexing.request import ReindexRequest
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.settings import Settings
from tests.support.git_repository import Repository
from tests.support.recall_corpus import StemEmbedder, fill, questions

SettingsFactory = Callable[..., Settings]


@contextmanager
def open_services(settings: Settings) -> Iterator[Services]:
    """Services that embed without a model."""
    with Services(settings) as services:
        services.embedder = StemEmbedder(build_counter(settings.indexing))
        yield services


def ingest(services: Services, repository: Repository, message: str) -> dict[str, Any]:
    """Commit what the work tree holds and ingest it."""
    repository.commit(message)
    spec = declare_source(services, str(repository.path), SourceOptions(name="norms"))
    return run_here(services, IngestRequest(spec.name), new_run_id(spec.name), lambda *_: None)


def build_history(make_settings: SettingsFactory, repository: Repository) -> None:
    """Ingest, measure, rebuild with other sizes, and plant decoys that push answers out of the first five."""
    golden = questions()
    with open_services(make_settings(max_tokens=96, min_tokens=16)) as services:
        fill(repository)
        repository.write("сломан.pdf", b"%PDF-1.7\nnothing")
        ingest(services, repository, "Правила порта")
        services.catalog.golden.save(golden)
        check_set(services, golden.name)
    with open_services(make_settings(max_tokens=128, min_tokens=16)) as services:
        starting.run_here(services, ReindexRequest(), "reindex-1", lambda *_: None)
        check_set(services, golden.name)
        for question in golden.questions[:7]:
            for number in range(5):
                repository.write(
                    f"эхо/{question.id}-{number}.md", f"{question.question} {question.question}\n"
                )
        ingest(services, repository, "Эхо вопросов")
        check_set(services, golden.name, trigger="ingest")
