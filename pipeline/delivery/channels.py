"""The channels that settings name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rubrica.errors import ConfigurationError
from rubrica.settings import NotifySettings

NOBODY = (
    "Nobody is told of alarms: set RUBRICA_JIRA_PROJECT, RUBRICA_SLACK_CONNECTION or RUBRICA_MAIL_TO,"
    " see docs/alarms.md."
)


class ChannelName(StrEnum):
    """A way to tell somebody."""

    JIRA = "jira"
    SLACK = "slack"
    MAIL = "mail"


@dataclass(frozen=True, slots=True)
class Channel:
    """Somebody who is told.

    Attributes:
        name: How.
        target: Who, for people.
        connection: Airflow's connection.
    """

    name: ChannelName
    target: str
    connection: str


def configured(settings: NotifySettings) -> tuple[Channel, ...]:
    """All that are set up."""
    everyone = (
        (ChannelName.JIRA, settings.jira_project, settings.jira_connection),
        (ChannelName.SLACK, settings.slack_connection, settings.slack_connection),
        (ChannelName.MAIL, settings.mail_to, settings.mail_connection),
    )
    return tuple(Channel(name, target, connection) for name, target, connection in everyone if target)


def channel(settings: NotifySettings, name: str) -> Channel:
    """One that is set up.

    Raises:
        ConfigurationError: It is not.
    """
    for found in configured(settings):
        if found.name == name:
            return found
    raise ConfigurationError(f"The channel {name!r} is not set up.", hint="See docs/alarms.md.")
