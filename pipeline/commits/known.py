"""The sources that commits may speak of: those that the file declares, and those that commands added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.services import Services
from rubrica.model import SourceSpec
from sources.declared import DeclaredSource


@dataclass(frozen=True, slots=True)
class Watched:
    """A source, and who may tell of its commits.

    Attributes:
        spec: The source.
        webhook_secret_env: Environment variable with its own secret; empty: the common one holds.
    """

    spec: SourceSpec
    webhook_secret_env: str = ""


def watched_sources(services: Services, declared: Sequence[DeclaredSource]) -> tuple[Watched, ...]:
    """All sources; where a name is declared and known to the catalog, as it is declared.

    Args:
        services: Open services.
        declared: What the file of sources declares.

    Raises:
        ServiceUnavailableError: PostgreSQL does not answer.
    """
    first = [Watched(item.spec, item.webhook_secret_env) for item in declared]
    names = {item.spec.name for item in first}
    added = [Watched(known.spec) for known in services.catalog.sources.all() if known.spec.name not in names]
    return (*first, *added)


def register(services: Services, spec: SourceSpec) -> None:
    """Bring the catalog's row of a source to what is declared; a commit may be its first sign."""
    if services.catalog.sources.get(spec.name) != spec:
        services.catalog.sources.register(spec)
