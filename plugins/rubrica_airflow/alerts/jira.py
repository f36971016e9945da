"""Tickets in Jira: one that is open for each cause, found again by its label."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

import requests
from airflow.providers.atlassian.jira.hooks.jira import JiraHook
from atlassian import Jira

from indexing.catalog.deliveries import Event
from pipeline.delivery.jira_text import comment, mark, ticket
from pipeline.delivery.model import Parcel
from rubrica.errors import FatalError, ServiceUnavailableError
from rubrica.log import get_logger
from rubrica.settings import NotifySettings
from rubrica_airflow.alerts.errors import require_connection

_TIMEOUT_S = 20
_BUSY = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS})
_log = get_logger(__name__)


class JiraSender:
    """Opens, comments and closes tickets through version 2 of Jira's API."""

    def __init__(self, connection: str, settings: NotifySettings) -> None:
        """Choose the connection; it is opened on first use.

        Args:
            connection: Airflow's connection.
            settings: How tickets are made.
        """
        self._connection = connection
        self._settings = settings
        self._open: Jira | None = None

    def close(self) -> None:
        """Close the session."""
        if self._open is not None:
            self._open.close()

    @property
    def _client(self) -> Jira:
        if self._open is None:
            self._open = _connect(self._connection)
        return self._open

    def send(self, parcel: Parcel) -> str:
        """Tell Jira; returns the key of the ticket.

        Raises:
            ConfigurationError: Airflow knows no such connection.
            ServiceUnavailableError: Jira does not answer, or is busy.
            FatalError: Jira refuses.
        """
        with _errors():
            key = self._existing(parcel)
            if not key:
                # Nothing is to be said of what has passed where no ticket was ever made.
                return "" if parcel.event is Event.CLOSED else self._create(parcel)
            if not self._has_said(key, parcel):
                self._client.issue_add_comment(key, comment(parcel.facts))
            if parcel.event is Event.CLOSED:
                self._finish(key)
            return key

    def _existing(self, parcel: Parcel) -> str:
        if parcel.external_id and self._exists(parcel.external_id):
            return parcel.external_id
        project, label = self._settings.jira_project, parcel.facts.label
        query = (
            f'project = "{project}" AND labels = "{label}" AND statusCategory != Done ORDER BY created ASC'
        )
        found = self._client.jql(query, fields=["key"], limit=1)
        issues: list[dict[str, Any]] = (found or {}).get("issues", [])
        return str(issues[0]["key"]) if issues else ""

    def _exists(self, key: str) -> bool:
        try:
            return bool(self._client.issue(key, fields="status"))
        except requests.HTTPError as error:
            if error.response is not None and error.response.status_code == HTTPStatus.NOT_FOUND:
                return False
            raise

    def _create(self, parcel: Parcel) -> str:
        new = ticket(parcel.facts)
        fields: dict[str, Any] = {
            "project": {"key": self._settings.jira_project},
            "issuetype": {"name": self._settings.jira_issue_type},
            "summary": new.summary,
            "description": new.description,
            "labels": list(new.labels),
        }
        if self._settings.jira_priority:
            fields["priority"] = {"name": self._settings.jira_priority}
        return str(self._client.create_issue(fields)["key"])

    def _has_said(self, key: str, parcel: Parcel) -> bool:
        """Whether an earlier try, whose end nobody noted, got through."""
        if not parcel.unsure:
            return False
        issue = self._client.issue(key, fields="description,comment")["fields"]
        texts = [issue["description"] or "", *(item["body"] for item in issue["comment"]["comments"])]
        wanted = mark(parcel.facts)
        return any(wanted in text.replace("\\", "") for text in texts)

    def _finish(self, key: str) -> None:
        wanted = self._settings.jira_done_transition
        if not wanted:
            return
        offered = self._client.get_issue_transitions(key)
        chosen = [
            item["id"]
            for item in offered
            if wanted.casefold() in {_folded(item["name"]), _folded(item["to"])}
        ]
        if chosen:
            self._client.set_issue_status_by_transition_id(key, chosen[0])
        else:
            # Somebody has closed it already, or its workflow has another name for it.
            names = [item["name"] for item in offered]
            _log.warning("ticket stays as it is", key=key, wanted=wanted, offered=names)


def _connect(connection: str) -> Jira:
    extra = require_connection(connection, "Jira").extra_dejson
    client = JiraHook(connection).get_conn()
    client.timeout = _TIMEOUT_S
    # The client would sleep for as long as a busy server asks; the outbox waits better.
    client.retry_with_header = False
    # Cloud has taken back the old search and offers a new one, which the client uses when told.
    client.cloud = bool(extra.get("cloud", ".atlassian.net" in str(client.url)))
    return client


def _folded(name: object) -> str:
    return str(name).casefold()


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except requests.HTTPError as error:
        status = error.response.status_code if error.response is not None else 0
        reason = " ".join(str(error).split())[:300]
        if status in _BUSY or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise ServiceUnavailableError(f"Jira answers {status}: {reason}") from error
        raise FatalError(
            f"Jira refuses ({status}): {reason}",
            hint="Check RUBRICA_JIRA_* and the rights of its user, see docs/alarms.md.",
        ) from error
    except requests.RequestException as error:
        raise ServiceUnavailableError(f"Jira does not answer: {type(error).__name__}.") from error
