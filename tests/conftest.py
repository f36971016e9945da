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


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Keep in one process what shares a server: the tests of a file, and those of a whole stack."""
    from tests.support.spreading import SharedServers

    return SharedServers(config, log)


@pytest.fixture(autouse=True)
def _logs_as_they_were() -> Iterator[None]:
    yield
    structlog.reset_defaults()


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("RUBRICA_"):
            monkeypatch.delenv(name)
