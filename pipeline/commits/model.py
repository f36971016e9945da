"""What is said about a commit, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Change:
    """A source has a revision that the index may lack.

    Attributes:
        source: Name of the source.
        revision: A commit id, or the mark of another kind of source.
    """

    source: str
    revision: str

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Read what ``to_json`` made."""
        return cls(str(value["source"]), str(value["revision"]))

    def to_json(self) -> dict[str, str]:
        """As an event carries it."""
        return asdict(self)


class Outcome(StrEnum):
    """What became of a commit.

    ``STARTED``: a run was started. ``RUNNING``: its run is queued or works. ``RESTARTED``: its run had
    failed, or the index has left the commit since, and it runs again. ``INDEXED``: the index is there.
    ``STALE``: its run ended well, and found that the source's newest commit is another one.
    """

    STARTED = "started"
    RUNNING = "running"
    RESTARTED = "restarted"
    INDEXED = "indexed"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a commit of one source.

    Attributes:
        change: The commit.
        outcome: What became of it.
        run_id: The run that brings or brought it.
    """

    change: Change
    outcome: Outcome
    run_id: str
