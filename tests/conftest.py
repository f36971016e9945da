"""What every test shares: the servers, and an environment free of the developer's own settings."""

from __future__ import annotations

import os

import pytest

pytest_plugins = ["tests.fixtures.databases", "tests.fixtures.redis"]


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("RUBRICA_"):
            monkeypatch.delenv(name)
