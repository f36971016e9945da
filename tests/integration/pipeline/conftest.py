"""A pipeline of the test's own on real services, driven without Airflow."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.settings import Settings
from tests.support.git_repository import Repository

Ingest = Callable[..., dict[str, Any]]


@pytest.fixture
def make_settings(
    tmp_path: Path, database_url: str, redis_url: str, milvus_uri: str
) -> Callable[..., Settings]:
    alias = f"t_{uuid.uuid4().hex}"

    def make(**overrides: Any) -> Settings:
        addresses = {
            "home": tmp_path / "home",
            "postgres_url": database_url,
            "redis_url": redis_url,
            "milvus_uri": milvus_uri,
            "alias": alias,
        }
        return Settings(**addresses | overrides)

    return make


def take_over(services: Services, source: str, doing: str) -> None:
    """Let the lock of a source run out under whoever is ``doing`` something, and another run take it."""
    locks = services.catalog.locks
    owner = locks.owner(source) or ""
    assert f"{doing}__" in owner
    locks.refresh(source, owner, ttl_s=-1)
    assert locks.acquire(source, "another", ttl_s=600)


@pytest.fixture
def services(make_settings: Callable[..., Settings]) -> Iterator[Services]:
    with Services(make_settings()) as services:
        yield services


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    config = tmp_path / "gitconfig"
    config.write_text("[user]\nname = Анна\nemail = anna@example.org\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return Repository(tmp_path / "нормы и правила")


@pytest.fixture
def ingest(services: Services, repository: Repository) -> Ingest:
    """Ingest the repository's head; returns the run's summary."""

    def run(**request: Any) -> dict[str, Any]:
        spec = declare_source(services, str(repository.path), SourceOptions(name="norms"))
        asked = IngestRequest(spec.name, **request)
        return run_here(services, asked, new_run_id(spec.name), lambda *_: None)

    return run
