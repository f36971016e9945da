"""The steps of the DAG ``alarms``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import Any

from pipeline.delivery.channels import Channel, channel
from pipeline.delivery.delivering import channels_to_tell, deliver
from pipeline.delivery.model import Sender
from pipeline.services import Services
from rubrica.errors import FatalError
from rubrica.settings import NotifySettings

OpenSender = Callable[[Channel, NotifySettings], AbstractContextManager[Sender]]


def due(*, by_hand: bool = False) -> list[str]:
    """Names of the channels that have something to be told.

    Args:
        by_hand: A person asks for it: channels that rest after an error are tried now.
    """
    with Services() as services:
        return channels_to_tell(services, by_hand=by_hand)


def tell(name: str, open_sender: OpenSender, *, by_hand: bool = False) -> dict[str, Any]:
    """Tell a channel all that is due.

    Args:
        name: Name of the channel.
        open_sender: Opens it.
        by_hand: A person asks for it, see ``due``.

    Raises:
        FatalError: Not all could be told; the next run tries again.
        ConfigurationError: The channel is not set up, or Airflow has no connection for it.
    """
    with Services() as services:
        settings = services.settings.notify
        found = channel(settings, name)
        with open_sender(found, settings) as sender:
            report = deliver(services, found, sender, by_hand=by_hand)
    if report.failed:
        reasons = "; ".join(f"alarm {number}: {reason}" for number, reason in report.failed.items())
        raise FatalError(f"{name} could not be told everything: {reasons}", hint="It is tried again.")
    return asdict(report)
