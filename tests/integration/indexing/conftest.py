from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from indexing.catalog import Catalog, Generation
from indexing.store.store import VectorStore
from rubrica.model import SourceSpec
from tests.fixtures.databases import fresh_database


@contextmanager
def _open_catalog(url: str) -> Iterator[Catalog]:
    with Catalog(url) as catalog:
        catalog.migrate()
        catalog.sources.register(SourceSpec("norms", "git", "/srv/norms"))
        yield catalog


@pytest.fixture
def catalog(database_url: str) -> Iterator[Catalog]:
    with _open_catalog(database_url) as catalog:
        yield catalog


@pytest.fixture(scope="module")
def module_catalog(postgres_url: str) -> Iterator[Catalog]:
    """A catalog that the tests of a module share."""
    with fresh_database(postgres_url) as url, _open_catalog(url) as catalog:
        yield catalog


@pytest.fixture(scope="session")
def store(milvus_uri: str) -> Iterator[VectorStore]:
    with VectorStore(milvus_uri) as store:
        yield store


@pytest.fixture(scope="session", params=["milvus_uri", "milvus_server_uri"], ids=["lite", "server"])
def either_store(request: pytest.FixtureRequest) -> Iterator[VectorStore]:
    """Milvus Lite, then a whole Milvus server of an older version."""
    with VectorStore(request.getfixturevalue(request.param)) as store:
        yield store


@pytest.fixture
def generation(catalog: Catalog) -> Generation:
    begun = catalog.generations.begin("docs", {"embedder": "fake"}, embedder="fake", dimension=4)
    return catalog.generations.make_live(begun.id)
