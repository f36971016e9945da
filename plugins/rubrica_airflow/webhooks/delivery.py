"""One delivery, from its signature to its runs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from pipeline.airflow_client import AirflowClient
from pipeline.commits.declared_file import DeclaredFile
from pipeline.commits.known import Watched, register, watched_sources
from pipeline.commits.model import Answer, Change, Outcome
from pipeline.commits.starting import start_commit
from pipeline.services import Services
from rubrica.errors import RubricaError
from rubrica.settings import Settings
from rubrica_airflow.webhooks import matching
from rubrica_airflow.webhooks.keys import Keys, read_keys, those_that_listen
from rubrica_airflow.webhooks.payloads import PayloadError, Push, event_of, read_push
from rubrica_airflow.webhooks.reply import FORBIDDEN, NO_SECRET, NO_SOURCES, UNKNOWN, Reply
from rubrica_airflow.webhooks.signatures import Provider, holds, is_signed

_AIRFLOW_TIMEOUT_S = 8.0  # GitHub waits 10 s for an answer


@dataclass(frozen=True, slots=True)
class Delivery:
    """What was sent.

    Attributes:
        provider: Kind of host, from the URL.
        source: Source, from the URL; empty where it names none.
        headers: By name in small letters.
        body: As it was received.
    """

    provider: Provider
    source: str
    headers: Mapping[str, str]
    body: bytes


class Receiver:
    """Answers deliveries; its methods may run in several threads."""

    def __init__(self) -> None:
        self._file = DeclaredFile()

    def admit(self, provider: Provider, headers: Mapping[str, str]) -> Reply | int:
        """Most bytes that are worth reading of a body, or why it is not."""
        settings = Settings()
        keys = self._keys(settings)
        if not self._file.known:
            return NO_SOURCES
        if not keys.secrets:
            return NO_SECRET
        return settings.commits.webhook_max_mb * 1024**2 if is_signed(provider, headers) else FORBIDDEN

    def receive(self, delivery: Delivery) -> Reply:
        """Check a delivery and do what it asks for.

        Nothing is parsed and no service is asked before the signature has been found good.
        """
        settings = Settings()
        proven = self._proven(settings, delivery)
        if not proven:
            return FORBIDDEN
        event = event_of(delivery.provider, delivery.headers)
        if event != "push":
            reason = "The hook works." if event == "ping" else f"{event} is no push."
            return Reply(HTTPStatus.OK, "pong" if event == "ping" else "ignored", reason)
        try:
            push = read_push(delivery.provider, delivery.body)
        except PayloadError as error:
            return Reply(HTTPStatus.BAD_REQUEST, "not_a_push", f"This is no payload of a push: {error}.")
        try:
            return self._follow(settings, delivery, proven, push)
        except RubricaError as error:
            return _not_now(error)

    def _keys(self, settings: Settings) -> Keys:
        return read_keys(settings, self._file.sources(settings))

    def _proven(self, settings: Settings, delivery: Delivery) -> frozenset[str]:
        now = time.time()
        return self._keys(settings).proven(
            lambda secret: holds(delivery.provider, delivery.headers, delivery.body, secret, now=now)
        )

    def _follow(self, settings: Settings, delivery: Delivery, proven: frozenset[str], push: Push) -> Reply:
        with Services(settings) as services:
            watched = watched_sources(services, self._file.sources(settings))
            allowed = those_that_listen(watched, proven)
            if delivery.source:
                meant = matching.of_name(allowed, delivery.source)
            else:
                meant = matching.of_repository(allowed, push)
            if not meant:
                return UNKNOWN
            changes = matching.changes(meant, push)
            if not changes:
                return Reply(HTTPStatus.OK, "ignored", "No branch that is followed has a new commit.")
            return _answer(_start(services, changes))


def _start(services: Services, changes: list[tuple[Watched, Change]]) -> list[Answer]:
    answers = []
    with AirflowClient.from_settings(services.settings.services, timeout_s=_AIRFLOW_TIMEOUT_S) as client:
        for item, change in changes:
            register(services, item.spec)
            answers.append(start_commit(services, client, change, trigger="webhook", dag_wait_s=0))
    return answers


def _answer(answers: list[Answer]) -> Reply:
    runs = tuple(
        answer.change.to_json() | {"outcome": answer.outcome.value, "run_id": answer.run_id}
        for answer in answers
    )
    begun = [a for a in answers if a.outcome in {Outcome.STARTED, Outcome.RESTARTED}]
    told = (begun or answers)[0].outcome.value
    return Reply(HTTPStatus.ACCEPTED if begun else HTTPStatus.OK, told, _REASONS[told], runs)


_REASONS = {
    Outcome.STARTED.value: "A run was started.",
    Outcome.RESTARTED.value: "The run of this commit was started again.",
    Outcome.RUNNING.value: "The run of this commit is queued or running.",
    Outcome.INDEXED.value: "The index is at this commit.",
    Outcome.STALE.value: "The run of this commit ended well, and the branch is at another commit.",
}


def _not_now(error: RubricaError) -> Reply:
    return Reply(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "not_now",
        "The run could not be started; send it again.",
        log={"error": type(error).__name__, "why": error.reason, "hint": error.hint},
    )
