"""What a run is asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from rubrica.errors import ConfigurationError

HERE = "here"
"""Trigger of a run whose steps all run in the caller's process."""


@dataclass(frozen=True, slots=True)
class IngestRequest:
    """The parameters of an ingestion.

    Attributes:
        source: Name of the source.
        allow_removals: Go on where the removal guard would stop.
        trigger: Who asked: "command", "retry", "demo", "webhook", "poll", "airflow", or ``HERE``.
    """

    source: str
    allow_removals: bool = False
    trigger: str = "airflow"

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> Self:
        """Read the parameters of a DAG run.

        Raises:
            ConfigurationError: No source is named.
        """
        source = str(params.get("source") or "")
        if not source:
            raise ConfigurationError(
                "The run names no source.",
                hint='Trigger it with {"source": "<name>"}, or run `rubrica ingest <place>`.',
            )
        return cls(source, bool(params.get("allow_removals")), str(params.get("trigger") or "airflow"))

    def to_params(self) -> dict[str, Any]:
        """The parameters for a DAG run."""
        return asdict(self)
