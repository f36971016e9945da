"""Whether the live index is the one that the settings ask for."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.services import Services
from rubrica.errors import ConfigurationError


def settings_drift(services: Services) -> list[str]:
    """What an index that was built now would have otherwise, in words; nothing where it is up to date.

    No model is loaded for it.
    """
    from indexing.generations import drift

    live = services.catalog.generations.live(services.settings.indexing.alias)
    if live is None:
        return []
    try:
        return drift(live, services.unbound.blueprint)
    except ConfigurationError as error:
        return [f"the settings cannot be used: {error.reason}"]


def drift_line(changes: Sequence[str]) -> str:
    """What to tell the user about it, in one sentence."""
    return (
        f"The index keeps the settings that it was built with: {'; '.join(changes)}."
        " `rubrica reindex` builds a new one beside it."
    )
