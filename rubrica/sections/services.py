"""Folders, and addresses of the services."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings

from rubrica.sections.base import CONFIG


class HomeSettings(BaseSettings):
    """Folders."""

    model_config = CONFIG

    home: Path = Field(Path(".rubrica"), description="Folder of the local stack: data, logs, mirrors.")
    workspace: str = Field(
        "", description="fsspec URL of the artefacts; empty means the folder `workspace` in the home."
    )


class ServiceSettings(BaseSettings):
    """Addresses of the services; `rubrica up` fills them in for the local stack."""

    model_config = CONFIG

    postgres_url: SecretStr = Field(SecretStr(""), description="PostgreSQL of the catalog, as a URL.")
    redis_url: SecretStr = Field(SecretStr(""), description="Redis of the caches; empty: no cache.")
    milvus_uri: str = Field("", description="Milvus, as `http://host:port`.")
    milvus_token: SecretStr = Field(SecretStr(""), description="Milvus `user:password` or API key.")
    airflow_url: str = Field("", description="Airflow's API server, as `http://host:port`.")
    airflow_user: str = Field("admin", description="User for Airflow's API.")
    airflow_password: SecretStr = Field(SecretStr(""), description="Password of that user.")
