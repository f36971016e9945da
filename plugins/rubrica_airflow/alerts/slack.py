"""Messages in Slack, through an incoming webhook."""

from __future__ import annotations

import logging
from http.client import HTTPException

from airflow.providers.slack.notifications.slack_webhook import SlackWebhookNotifier
from airflow.sdk.exceptions import AirflowException

from pipeline.delivery.model import Parcel
from pipeline.delivery.slack_text import message
from rubrica_airflow.alerts.errors import require_connection, unavailable

_TIMEOUT_S = 20


class SlackSender:
    """Posts messages; Slack gives them no names."""

    def __init__(self, connection: str) -> None:
        self._connection = connection

    def send(self, parcel: Parcel) -> str:
        """Post a message.

        Raises:
            ConfigurationError: Airflow knows no such connection.
            ServiceUnavailableError: Slack does not take it.
        """
        require_connection(self._connection, "Slack")
        said = message(parcel.facts)
        notifier = SlackWebhookNotifier(
            slack_webhook_conn_id=self._connection,
            text=said.text,
            blocks=list(said.blocks),
            unfurl_links=False,
            unfurl_media=False,
            timeout=_TIMEOUT_S,
        )
        # Slack's client asks its logger for a level, which Airflow's own kind of logger does not have.
        notifier.hook.extra_client_args["logger"] = logging.getLogger(__name__)
        with unavailable("Slack", AirflowException, HTTPException, OSError):
            # Not called like a callback: that would render foreign text as a template.
            notifier.notify({})  # type: ignore[no-untyped-call]
        return ""
