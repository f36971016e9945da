"""Which secrets hold, and for which sources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pipeline.commits.known import Watched
from rubrica.settings import Settings
from sources.declared import DeclaredSource, webhook_secrets

COMMON = ""
"""Name of the secret of all sources that have none of their own."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The secrets that are set.

    Attributes:
        secrets: By name: an environment variable's, or ``COMMON``; several while one is replaced.
    """

    secrets: dict[str, tuple[str, ...]]

    def proven(self, holds: Callable[[str], bool]) -> frozenset[str]:
        """Names of those that the sender knows; every one is tried, so that the time tells nothing.

        Args:
            holds: Whether a signature was made with a secret.
        """
        tried = [(name, holds(secret)) for name, several in self.secrets.items() for secret in several]
        return frozenset(name for name, known in tried if known)


def read_keys(settings: Settings, declared: Sequence[DeclaredSource]) -> Keys:
    """The secrets as they are set now, so that a new one holds without a restart.

    Args:
        settings: The common secret, and the home whose ``settings.env`` may hold the others.
        declared: Sources that may name a secret of their own.
    """
    names = {COMMON, *(item.webhook_secret_env for item in declared)}
    found = {name: webhook_secrets(settings, name) for name in sorted(names)}
    return Keys({name: several for name, several in found.items() if several})


def those_that_listen(watched: Iterable[Watched], proven: frozenset[str]) -> list[Watched]:
    """Sources that a sender who knows those secrets may speak of."""
    return [item for item in watched if item.webhook_secret_env in proven]
