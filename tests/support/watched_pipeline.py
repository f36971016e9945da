"""A pipeline with something to see: a document that fails, two generations, recall that fell."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.recall_checking import check_set
from pipeline.reindexing import starting
from pipeline.reindexing.request import ReindexRequest
from rubrica.settings import Settings
from tests.support.git_repository import Repository
from tests.support.planted_drop import ingest, open_services, plant_echoes
from tests.support.recall_corpus import fill, questions

SettingsFactory = Callable[..., Settings]


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
        plant_echoes(repository, golden.questions[:7])
        ingest(services, repository, "Эхо вопросов")
        check_set(services, golden.name, trigger="ingest")
