"""Real git repositories, made in a temporary folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.git_repository import Repository


@pytest.fixture(autouse=True)
def git_identity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git configuration of the test's own; hands back its file."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    config = tmp_path / "gitconfig"
    config.write_text("[user]\nname = Анна\nemail = anna@example.org\n[protocol.file]\nallow = always\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return config


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "нормы и правила")


@pytest.fixture
def mirrors(tmp_path: Path) -> Path:
    return tmp_path / "home" / "mirrors"
