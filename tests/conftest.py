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

pytest_plugins = ["tests.fixtures.databases", "tests.fixtures.milvus", "tests.fixtures.redis"]


@pytest.fixture(autouse=True)
def _logs_as_they_were() -> Iterator[None]:
    yield
    structlog.reset_defaults()


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("RUBRICA_"):
            monkeypatch.delenv(name)
