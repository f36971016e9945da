"""What is to be told, and who can tell it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from indexing.catalog.deliveries import Event
from pipeline.delivery.facts import Facts


@dataclass(frozen=True, slots=True)
class Parcel:
    """Something to tell a channel.

    Attributes:
        facts: What.
        digest: Names what the alarm says.
        why: Why now, in a sentence.
        external_id: What the channel calls the alarm, where it was told before.
        unsure: Whether an earlier try may have got through without its end being noted.
    """

    facts: Facts
    digest: str
    why: str
    external_id: str = ""
    unsure: bool = False

    @property
    def event(self) -> Event:
        """What has happened."""
        return self.facts.event


class Sender(Protocol):
    """A channel that is open."""

    def send(self, parcel: Parcel, /) -> str:
        """Tell it.

        Returns:
            What the channel calls the alarm now; empty where it has no names.

        Raises:
            ServiceUnavailableError: The channel does not answer; nothing else is told it for now.
            RubricaError: It refuses this one.
        """
        ...
