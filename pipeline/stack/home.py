"""Folders and files of a home."""

from __future__ import annotations

import os
from pathlib import Path

import pipeline
from rubrica.errors import ConfigurationError


class StackHome:
    """Where everything of one local stack lies.

    Args:
        root: The home, ``RUBRICA_HOME``.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.expanduser().resolve()
        self.state = self.root / "stack.json"
        self.env = self.root / "stack.env"
        self.secrets = self.root / "secrets.json"
        self.lock = self.root / "stack.lock"
        self.postgres = self.root / "postgres"
        self.redis = self.root / "redis"
        self.milvus = self.root / "milvus"
        self.airflow = self.root / "airflow"
        self.logs = self.root / "logs"

    def create(self) -> None:
        """Make the home, closed to others.

        Root's home can be entered, not listed: PostgreSQL runs as another user there.

        Raises:
            ConfigurationError: The folder cannot be made or written.
        """
        mode = 0o711 if os.geteuid() == 0 else 0o700
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=mode)
            self.logs.mkdir(exist_ok=True, mode=0o700)
        except OSError as error:
            raise ConfigurationError(
                f"The home {self.root} cannot be used: {error.strerror}.",
                hint="Set RUBRICA_HOME to a folder that you may write.",
            ) from error

    def log(self, service: str) -> Path:
        """Log of a service."""
        return self.logs / f"{service}.log"


def checkout_root() -> Path:
    """The folder that holds ``dags`` and ``plugins`` beside this package."""
    return Path(pipeline.__file__).resolve().parents[1]
