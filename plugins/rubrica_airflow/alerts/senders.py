"""Opens the channels that alarms are told through."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pipeline.delivery.channels import Channel, ChannelName
from rubrica.settings import NotifySettings

if TYPE_CHECKING:
    from pipeline.delivery.model import Sender


@contextmanager
def open_sender(channel: Channel, settings: NotifySettings) -> Iterator[Sender]:
    """A channel, open until the block ends.

    Args:
        channel: Which.
        settings: How tickets and letters are to be made.

    Raises:
        ConfigurationError: Airflow knows no such connection.
    """
    sender = _OPENERS[channel.name](channel, settings)
    try:
        yield sender
    finally:
        close = getattr(sender, "close", None)
        if close:
            close()


def _jira(channel: Channel, settings: NotifySettings) -> Sender:
    from rubrica_airflow.alerts.jira import JiraSender

    return JiraSender(channel.connection, settings)


def _slack(channel: Channel, _: NotifySettings) -> Sender:
    from rubrica_airflow.alerts.slack import SlackSender

    return SlackSender(channel.connection)


def _mail(channel: Channel, settings: NotifySettings) -> Sender:
    from rubrica_airflow.alerts.mail import MailSender

    return MailSender(channel.connection, settings)


_OPENERS: dict[ChannelName, Callable[[Channel, NotifySettings], Sender]] = {
    ChannelName.JIRA: _jira,
    ChannelName.SLACK: _slack,
    ChannelName.MAIL: _mail,
}
