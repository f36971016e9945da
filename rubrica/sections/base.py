"""What every section shares."""

from __future__ import annotations

from pydantic_settings import SettingsConfigDict

CONFIG = SettingsConfigDict(env_prefix="RUBRICA_", frozen=True, extra="ignore")
