"""One pipeline with a history, and its exporter, for all tests of this folder."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from monitoring.exporter import CatalogCollector, MetricsServer, Watched
from pipeline.recall import RecallRequest
from rubrica.settings import Settings
from tests.fixtures.databases import fresh_database
from tests.support.git_repository import Repository
from tests.support.watched_pipeline import SettingsFactory, build_history


@pytest.fixture(scope="session")
def watched_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("watched")


@pytest.fixture(scope="session")
def watched_database(postgres_url: str) -> Iterator[str]:
    with fresh_database(postgres_url) as url:
        yield url


@pytest.fixture(scope="session")
def make_settings(
    watched_folder: Path, watched_database: str, redis_url: str, milvus_uri: str
) -> SettingsFactory:
    alias = f"t_{uuid.uuid4().hex}"

    def make(**overrides: object) -> Settings:
        addresses = {
            "home": watched_folder / "home",
            "postgres_url": watched_database,
            "redis_url": redis_url,
            "milvus_uri": milvus_uri,
            "alias": alias,
        }
        return Settings(**addresses | overrides)

    return make


@pytest.fixture(scope="session")
def watched(watched_folder: Path, make_settings: SettingsFactory) -> Watched:
    """What the exporter watches: a catalog that a real pipeline filled."""
    with pytest.MonkeyPatch.context() as patch:
        config = watched_folder / "gitconfig"
        config.write_text("[user]\nname = Анна\nemail = anna@example.org\n")
        patch.setenv("GIT_CONFIG_GLOBAL", str(config))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        build_history(make_settings, Repository(watched_folder / "нормы"))
    settings = make_settings()
    return Watched(
        settings.services.postgres_url.get_secret_value(),
        settings.indexing.alias,
        RecallRequest().search,
        settings.recall.recall_floor,
        settings.recall.recall_labels_floor,
    )


@pytest.fixture(scope="session")
def exporter_url(watched: Watched) -> Iterator[str]:
    """A running exporter."""
    collector = CatalogCollector(watched, cache_s=0.5)
    with MetricsServer(collector, host="127.0.0.1", port=0) as server:
        thread = Thread(target=server.serve)
        thread.start()
        try:
            yield server.url
        finally:
            server.stop()
            thread.join()
            collector.close()
