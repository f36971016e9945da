"""Cutting documents."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings

from rubrica.errors import ConfigurationError
from rubrica.sections.base import CONFIG

_LEAST_SHARE = 4
"""A chunk should have at least this part of the most tokens."""


class ChunkingSettings(BaseSettings):
    """Cutting documents."""

    model_config = CONFIG

    strategy: Literal["smart", "fixed", "recursive", "semantic", "cluster", "heading", "code", "agentic"] = (
        Field("smart", description="How documents are cut.")
    )
    mode: Literal["optimal", "window", "full"] = Field(
        "optimal", description="How `smart` turns scores into cuts."
    )
    max_tokens: int = Field(512, ge=16, description="Most tokens of a chunk, prefix and context included.")
    min_tokens: int = Field(
        default_factory=lambda values: values.get("max_tokens", 0) // _LEAST_SHARE,
        ge=0,
        description="Tokens that a chunk should have at least.",
        json_schema_extra={"default": "a quarter of `RUBRICA_MAX_TOKENS`"},
    )
    overlap: int = Field(0, ge=0, description="Tokens of the preceding text carried beside a chunk's body.")
    window_tokens: int = Field(96, ge=1, description="Tokens of each side of a cut that the scorer reads.")
    structure_rules: bool = Field(True, description="Let headings, clauses, tables and code steer the cuts.")
    context_line: bool = Field(True, description="Embed title and headings in front of the chunk.")
    newline_ends_sentence: Literal["auto", "always", "never"] = Field(
        "auto",
        description="Whether a newline ends a sentence; `auto`: in plain text, code and list items of PDF.",
    )
    scorer: str = Field(
        "boundary-ru-en",
        min_length=1,
        description="Bundled scorer, a folder that `rubrica train-scorer` wrote, or any Hugging Face "
        "cross-encoder (name or folder).",
    )
    scorer_revision: str = Field("", description="Revision of a Hugging Face scorer.")
    scorer_device: str = Field("auto", description="`auto`, `cpu` or `cuda`, for a Hugging Face scorer.")
    scorer_dtype: Literal["auto", "float32", "bfloat16", "float16"] = Field(
        "auto", description="Precision of a Hugging Face scorer; `auto`: bf16/fp16 on CUDA, else float32."
    )
    scorer_batch_tokens: int = Field(
        16384, ge=64, description="Tokens of one scorer batch, padding included."
    )
    scorer_threads: int = Field(0, ge=0, description="Parallel CPU sessions; 0 means one per core.")
    pair_cache_days: int = Field(90, ge=1, description="Days that an unused pair score is kept.")
    pair_cache_mb: int = Field(
        512, ge=1, description="Most of Redis' memory for pair scores, in MiB; half of it for new ones."
    )
    vector_cache_days: int = Field(
        90, ge=1, description="Days that the unused vector of a passage or sentence is kept."
    )
    vector_cache_mb: int = Field(
        512, ge=1, description="Most of Redis' memory for vectors, in MiB; half of it for new ones."
    )
    agentic_window_tokens: int = Field(
        1200, ge=100, description="Tokens of text in one question to the language model, for `agentic`."
    )
    agentic_max_calls: int = Field(
        200,
        ge=1,
        description="Most questions to the language model about one document; the rest is cut by rules.",
    )

    semantic_percentile: float = Field(
        95.0, ge=0, le=100, description="`semantic` cuts where the distance is above this percentile."
    )
    semantic_neighbours: int = Field(
        1, ge=0, le=10, description="Sentences that `semantic` embeds with the one at the cut, on its side."
    )
    cluster_min_tokens: int = Field(
        150, ge=0, description="Tokens under which `cluster` joins a cluster with a neighbour like it."
    )
    cluster_max_tokens: int = Field(
        250,
        ge=16,
        description="Most tokens of a cluster before those under `min_tokens` are joined; `max_tokens`, "
        "where lower, scales both down.",
    )
    cluster_silhouette: float = Field(
        0.25, ge=-1, le=1, description="Silhouette from which on `cluster` keeps two neighbours apart."
    )

    @model_validator(mode="after")
    def _sizes_fit(self) -> Self:
        if self.cluster_min_tokens > self.cluster_max_tokens:
            raise ValueError("RUBRICA_CLUSTER_MIN_TOKENS must not be larger than RUBRICA_CLUSTER_MAX_TOKENS")
        if misfit := self._misfit():
            raise ValueError(misfit)
        return self

    def _misfit(self) -> str:
        if self.min_tokens > self.max_tokens:
            return "RUBRICA_MIN_TOKENS must not be larger than RUBRICA_MAX_TOKENS"
        if self.overlap >= self.max_tokens:
            return "RUBRICA_OVERLAP must be smaller than RUBRICA_MAX_TOKENS"
        return ""

    def within(self, limit: int) -> Self:
        """The same for an embedder that reads no more than ``limit`` tokens: the sizes follow it.

        Raises:
            ConfigurationError: A size that was given is too large for it.
        """
        if self.max_tokens <= limit:
            return self
        given = self.model_fields_set
        lowered = self.model_copy(
            update={"max_tokens": limit}
            | ({} if "min_tokens" in given else {"min_tokens": limit // _LEAST_SHARE})
        )
        if misfit := lowered._misfit():  # noqa: SLF001 (of the same class)
            raise ConfigurationError(
                f"{misfit}, which is {limit} here: the embedder reads no more.", hint="Lower it."
            )
        return lowered
