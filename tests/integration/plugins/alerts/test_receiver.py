"""Alertmanager's messages become alarms: authorized, limited, and one alarm for one cause."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from rubrica_airflow.alerts.router import MAX_BODY, router

from indexing.catalog.alarms import AlarmKind
from indexing.catalog.deliveries import Event
from pipeline.alarms import note_run_failed
from pipeline.delivery.facts import facts
from pipeline.services import Services
from rubrica.settings import Settings
from tests.support.alarm_making import HOSTILE, new_alarm

pytestmark = pytest.mark.integration

TOKEN = "a-very-long-token"
CAUSE = "recall/docs/harbour"


@pytest.fixture
def services(make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    settings = make_settings()
    monkeypatch.setenv("RUBRICA_HOME", str(settings.home))
    monkeypatch.setenv("RUBRICA_POSTGRES_URL", settings.services.postgres_url.get_secret_value())
    monkeypatch.setenv("RUBRICA_ALERTMANAGER_TOKEN", TOKEN)
    with Services(settings) as services:
        yield services


@pytest.fixture
def client(services: Services) -> Iterator[TestClient]:
    app = FastAPI()
    app.include_router(router)
    with TestClient(app, headers={"Authorization": f"Bearer {TOKEN}"}) as client:
        yield client


def alert(alertname: str = "RecallDrop", /, *, firing: bool = True, **labels: str) -> dict[str, Any]:
    return {
        "status": "firing" if firing else "resolved",
        "labels": {"alertname": alertname, "severity": "critical"} | labels,
        "annotations": {"summary": "Recall fell.", "runbook_url": "https://books.test/x.md"},
        "startsAt": "2026-11-01T10:00:00Z",
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "http://prometheus.test/graph?g0.expr=x",
        "fingerprint": "0a1b2c3d4e5f6071",
    }


def recall(*, firing: bool = True) -> dict[str, Any]:
    return alert(firing=firing, kind="recall", alias="docs", set="harbour")


def message(*alerts: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "version": "4",
        "groupKey": "{}",
        "truncatedAlerts": 0,
        "status": "firing",
        "receiver": "rubrica",
        "groupLabels": {},
        "commonLabels": {},
        "commonAnnotations": {},
        "externalURL": "http://alertmanager.test",
        "alerts": list(alerts),
    } | changes


def test_an_alert_is_an_alarm_while_it_fires(client: TestClient, services: Services) -> None:
    stuck = "GenerationStuck"
    answer = client.post("/alertmanager", json=message(alert(stuck, generation="7")))
    assert (answer.status_code, answer.json()) == (200, {"open": [1], "closed": []})
    client.post("/alertmanager", json=message(alert(stuck, generation="7")))
    (known,) = services.catalog.alarms.open_alarms()
    assert known.said.kind is AlarmKind.ALERT
    assert known.said.summary == "GenerationStuck: Recall fell."
    assert known.said.details["labels"]["generation"] == "7"
    assert known.said.details["runbook"] == "https://books.test/x.md"

    over = client.post("/alertmanager", json=message(alert(stuck, firing=False, generation="7")))
    assert over.json() == {"open": [], "closed": [known.said.cause]}
    again = client.post("/alertmanager", json=message(alert(stuck, firing=False, generation="7")))
    assert again.json() == {"open": [], "closed": []}


def test_summary_and_description_are_sentences(client: TestClient, services: Services) -> None:
    told = alert("GenerationStuck")
    told["annotations"] = {"summary": "Generation 7 is stuck", "description": "See its runs. "}
    client.post("/alertmanager", json=message(told))
    (known,) = services.catalog.alarms.open_alarms()
    assert known.said.summary == "GenerationStuck: Generation 7 is stuck. See its runs."
    assert known.said.details["reasons"] == ["Generation 7 is stuck.", "See its runs."]
    assert facts(services.settings, known, Event.OPENED).commands == (
        ("rubrica alarms show 1", "shows all that the alert says"),
    )


def test_a_recall_alert_meets_the_alarm_of_the_check(client: TestClient, services: Services) -> None:
    own = services.catalog.alarms.open(new_alarm())
    assert client.post("/alertmanager", json=message(recall())).json()["open"] == [own.id]
    (met,) = services.catalog.alarms.open_alarms()
    assert met.said == own.said

    # Neither closes what the other still sees.
    client.post("/alertmanager", json=message(recall(firing=False)))
    assert [alarm.holders for alarm in services.catalog.alarms.open_alarms()] == [("rubrica",)]
    client.post("/alertmanager", json=message(recall()))
    assert not services.catalog.alarms.release(CAUSE, "The check passed.")
    assert client.post("/alertmanager", json=message(recall(firing=False))).json()["closed"] == [CAUSE]


def test_an_alert_that_is_first_opens_the_alarm_of_the_check(client: TestClient, services: Services) -> None:
    client.post("/alertmanager", json=message(recall()))
    (first,) = services.catalog.alarms.open_alarms()
    assert (first.said.cause, first.said.kind, first.said.set_name) == (CAUSE, AlarmKind.RECALL, None)
    assert services.catalog.alarms.open(new_alarm()).id == first.id


def test_alerts_about_runs_meet_the_alarms_of_runs(client: TestClient, services: Services) -> None:
    own = note_run_failed(services, "ingest", "run-1", "It is broken.", source="norms")
    sent = message(alert("RunFailed", source="norms"), alert("RunStuck", source="norms"))
    assert client.post("/alertmanager", json=sent).status_code == 200
    causes = {alarm.said.cause: alarm.id for alarm in services.catalog.alarms.open_alarms()}
    assert causes.keys() == {"run/ingest/norms", "deadline/ingest/norms"}
    assert causes["run/ingest/norms"] == own.id


def test_hostile_labels_are_only_text(client: TestClient, services: Services) -> None:
    text = HOSTILE + "\0" + "Ж" * 5000
    sent = message(alert(text), alert(kind="recall", alias=text, set=text), alert(kind="gate", alias="docs"))
    assert client.post("/alertmanager", json=sent).status_code == 200
    causes = [alarm.said.cause for alarm in services.catalog.alarms.open_alarms()]
    assert len(causes) == 3
    assert not any(cause.startswith("gate") for cause in causes)


@pytest.mark.parametrize("header", ["", "Bearer wrong", "Bearer ", "Basic c2VzYW1l", f"bearer{TOKEN}"])
def test_whoever_shows_no_token_is_refused(client: TestClient, services: Services, header: str) -> None:
    headers = {b"authorization": header.encode()}
    answer = client.post("/alertmanager", json=message(recall()), headers=headers)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert services.catalog.alarms.all() == []


def test_a_token_may_have_any_letters(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUBRICA_ALERTMANAGER_TOKEN", "совсем-тайно")
    for token, status in (("совсем-тайно", 200), ("совсем-тайна", 401)):
        headers = {b"authorization": f"Bearer {token}".encode()}
        assert client.post("/alertmanager", json=message(recall()), headers=headers).status_code == status


def test_without_a_token_in_the_settings_nobody_is_let_in(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RUBRICA_ALERTMANAGER_TOKEN")
    for headers in ({}, {"Authorization": "Bearer "}):
        answer = client.post("/alertmanager", json=message(recall()), headers=headers)
        assert answer.status_code in {401, 403}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        json.dumps(message(recall(), version="3")).encode(),
        json.dumps(message(recall() | {"fingerprint": "../../x"})).encode(),
        json.dumps(message(recall() | {"labels": {"a": {"b": 1}}})).encode(),
        json.dumps(message(recall() | {"status": "pending"})).encode(),
    ],
)
def test_what_is_no_message_is_refused(client: TestClient, services: Services, body: bytes) -> None:
    answer = client.post("/alertmanager", content=body)
    assert answer.status_code == 400
    assert "Alertmanager" in answer.json()["detail"]
    assert services.catalog.alarms.all() == []


def test_an_oversized_message_is_refused(client: TestClient) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(MAX_BODY // 65536 + 2):
            yield b" " * 65536

    # In chunks: no length is announced.
    assert client.post("/alertmanager", content=endless()).status_code == 413
    assert client.post("/alertmanager", content=b" " * (MAX_BODY + 1)).status_code == 413


def test_when_the_catalog_is_down_alertmanager_is_asked_to_try_again(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUBRICA_POSTGRES_URL", "postgresql://nobody@127.0.0.1:1/none")
    answer = client.post("/alertmanager", json=message(recall()))
    assert answer.status_code == 503
    assert "127.0.0.1" not in answer.text
