"""E-mail."""

from __future__ import annotations

from smtplib import SMTPException

from airflow.providers.smtp.notifications.smtp import SmtpNotifier
from airflow.sdk.exceptions import AirflowException

from pipeline.delivery.mail_text import letter
from pipeline.delivery.model import Parcel
from rubrica.mail import mail_addresses
from rubrica.settings import NotifySettings
from rubrica_airflow.alerts.errors import require_connection, unavailable


class MailSender:
    """Sends letters; a letter's id is its own."""

    def __init__(self, connection: str, settings: NotifySettings) -> None:
        self._connection = connection
        self._from = ", ".join(mail_addresses(settings.mail_from)) or None
        self._to = list(mail_addresses(settings.mail_to))

    def send(self, parcel: Parcel) -> str:
        """Send a letter; returns its message id.

        Raises:
            ConfigurationError: Airflow knows no such connection.
            ServiceUnavailableError: The mail server does not take it.
        """
        require_connection(self._connection, "mail")
        said = letter(parcel.facts)
        notifier = SmtpNotifier(
            to=self._to,
            from_email=self._from,
            subject=said.subject,
            html_content=said.html,
            custom_headers=dict(said.headers),
            smtp_conn_id=self._connection,
        )
        with unavailable("The mail server", AirflowException, SMTPException, OSError):
            # Not called like a callback: that would render foreign text as a template.
            notifier.notify({})
        return said.headers["Message-ID"]
