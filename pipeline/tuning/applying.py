"""Writes settings into the user's file, without touching what else it says."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dotenv import set_key

from rubrica.errors import ConfigurationError

FILE_NAME = "settings.env"


def setting_lines(values: Mapping[str, Any]) -> list[str]:
    """Settings as the file has them: ``RUBRICA_MAX_TOKENS=256``."""
    return [f"{variable(name)}={_written(value)}" for name, value in values.items()]


def write_settings(home: Path, values: Mapping[str, Any]) -> Path:
    """Set values in ``settings.env``; other lines stay as they are.

    Args:
        home: Folder of the file; made when it is missing.
        values: Settings by name.

    Returns:
        The file.

    Raises:
        ConfigurationError: It cannot be written.
    """
    file = home / FILE_NAME
    try:
        home.mkdir(parents=True, exist_ok=True)
        for name, value in values.items():
            set_key(file, variable(name), _written(value), quote_mode="never", encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be written: {error.strerror}.") from error
    return file


def overruled(values: Mapping[str, Any]) -> list[str]:
    """Variables of the environment that are stronger than what the file says of these settings."""
    return [name for name in map(variable, values) if name in os.environ]


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return f"RUBRICA_{name}".upper()


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
