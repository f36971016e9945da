"""What every test shares: the servers, and an environment free of the developer's own settings."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import settings

# How fast a machine is must not decide whether a test passes.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# A console keeps the width that it finds when it is made, and pytest-xdist gives its processes one.
for _size in ("COLUMNS", "LINES"):
    os.environ.pop(_size, None)

pytest_plugins = ["tests.fixtures.databases", "tests.fixtures.milvus", "tests.fixtures.redis"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep a file's tests in one process: they share what its fixtures start."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(str(item.path.relative_to(config.rootpath))))


@pytest.fixture(autouse=True)
def _logs_as_they_were() -> Iterator[None]:
    yield
    structlog.reset_defaults()


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("RUBRICA_"):
            monkeypatch.delenv(name)
