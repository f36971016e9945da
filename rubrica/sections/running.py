"""Runs, and what starts them."""

from __future__ import annotations

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings

from rubrica.sections.base import CONFIG


class IngestSettings(BaseSettings):
    """Running the pipeline."""

    model_config = CONFIG

    batch_pairs: int = Field(2000, ge=1, description="Estimated pairs per batch of documents.")
    max_batches: int = Field(256, ge=1, le=1024, description="Most batches (mapped tasks) of a run.")
    removal_guard: float = Field(
        0.5, gt=0, le=1, description="A run that would remove more than this share of a source stops first."
    )
    lock_timeout_s: int = Field(
        900,
        ge=0,
        description="Longest wait for another run of the same source, in seconds; the DAG `ingest` waits"
        " without limit, and without a worker.",
    )
    ingest_deadline_s: int = Field(
        7200,
        ge=0,
        description="Seconds from its queueing after which an ingestion that has not ended opens an alarm;"
        " 0: never.",
    )
    reconcile_schedule: str = Field(
        "@daily",
        pattern=r"^(@[a-z]+|\S+( \S+){4})?$",
        description="When PostgreSQL and Milvus are compared and mended: cron, or empty for never.",
    )


class CommitSettings(BaseSettings):
    """Hearing of commits: webhooks and polls."""

    model_config = CONFIG

    webhook_secret: SecretStr = Field(
        SecretStr(""),
        description="Secret that push webhooks are signed with; several, parted by spaces, all hold."
        " Empty: webhooks are refused, but for sources with a secret of their own.",
    )
    webhook_max_mb: int = Field(
        25, ge=1, le=100, description="Largest webhook that is read, in MiB; GitHub sends up to 25."
    )
    poll_parallel: int = Field(8, ge=1, le=64, description="Most sources that are asked at a time.")
