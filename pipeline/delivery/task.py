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


def due() -> list[str]:
    """Names of the channels that have something to be told."""
    with Services() as services:
        return channels_to_tell(services)


def tell(name: str, open_sender: OpenSender) -> dict[str, Any]:
    """Tell a channel all that is due.

    Args:
        name: Name of the channel.
        open_sender: Opens it.

    Raises:
        FatalError: Not all could be told; the next run tries again.
        ConfigurationError: The channel is not set up, or Airflow has no connection for it.
    """
    with Services() as services:
        settings = services.settings.notify
        found = channel(settings, name)
        with open_sender(found, settings) as sender:
            report = deliver(services, found, sender)
    if report.failed:
        reasons = "; ".join(f"alarm {number}: {reason}" for number, reason in report.failed.items())
        raise FatalError(f"{name} could not be told everything: {reasons}", hint="It is tried again.")
    return asdict(report)
