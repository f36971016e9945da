"""The application up to the signature; what comes after it needs the services."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from rubrica_airflow.webhooks.app import make_app
from structlog.testing import capture_logs


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setenv("RUBRICA_HOME", str(tmp_path))
    monkeypatch.setenv("RUBRICA_WEBHOOK_MAX_MB", "1")
    with TestClient(make_app()) as client:
        yield client


@pytest.fixture
def secret(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("RUBRICA_WEBHOOK_SECRET", "older newer")
    return "newer"


def _send(client: TestClient, body: bytes, secret: str, event: str = "push", **headers: str) -> Any:
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    given = {
        "Content-Type": "application/json",
        "X-GitHub-Event": event,
        "X-Hub-Signature-256": f"sha256={signature}",
    }
    return client.post("/github", content=body, headers=given | headers)


def test_without_a_secret_everything_is_refused_and_the_hint_says_why(client: TestClient) -> None:
    answer = _send(client, b"{}", "")
    assert answer.status_code == 503
    assert "RUBRICA_WEBHOOK_SECRET" in answer.json()["reason"]


@pytest.mark.parametrize("known", ["older", "newer"])
def test_while_a_secret_is_replaced_both_hold(client: TestClient, secret: str, known: str) -> None:
    assert _send(client, b"{}", known, "ping").json() == {"outcome": "pong", "reason": "The hook works."}
    assert _send(client, b"{}", "older newer", "ping").status_code == 403


def test_a_secret_that_is_written_into_the_settings_holds_at_once(client: TestClient, tmp_path: Path) -> None:
    assert _send(client, b"{}", "late", "ping").status_code == 503
    (tmp_path / "settings.env").write_text("RUBRICA_WEBHOOK_SECRET=late\n")
    assert _send(client, b"{}", "late", "ping").status_code == 200


def test_a_broken_settings_file_is_no_stack_trace(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "settings.env").write_text("RUBRICA_MAX_TOKENS=many\n")
    answer = _send(client, b"{}", "any", "ping")
    assert (answer.status_code, answer.json()["outcome"]) == (503, "not_set_up")
    assert "many" not in answer.text


def test_the_common_secret_does_not_speak_for_sources_that_could_never_be_read(
    client: TestClient, secret: str, tmp_path: Path
) -> None:
    file = tmp_path / "sources.yaml"
    file.write_text("sources: [\n")
    answer = _send(client, b"{}", secret, "ping")
    assert (answer.status_code, answer.json()["outcome"]) == (503, "not_set_up")
    file.write_text("sources: []\n")
    assert _send(client, b"{}", secret, "ping").status_code == 200
    file.write_text("sources: [ \n")  # the sources from before are known
    assert _send(client, b"{}", secret, "ping").status_code == 200


def test_a_forged_delivery_is_not_even_parsed(client: TestClient, secret: str) -> None:
    for body in (b"{}", b"[" * 50_000):
        assert _send(client, body, "guessed").status_code == 403
    unsigned = client.post("/github", content=b"{}", headers={"Content-Type": "application/json"})
    assert unsigned.status_code == 403


def test_other_events_are_told_to_mean_nothing(client: TestClient, secret: str) -> None:
    answer = _send(client, b"{}", secret, "issues")
    assert (answer.status_code, answer.json()["reason"]) == (200, "issues is no push.")


def test_only_plain_json_is_read(client: TestClient, secret: str) -> None:
    for headers in (
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": ""},
        {"Content-Encoding": "gzip"},
    ):
        assert _send(client, b"{}", secret, **headers).status_code == 415


def test_the_limit_holds_with_a_length_and_without(client: TestClient, secret: str) -> None:
    def parts() -> Iterator[bytes]:
        yield from [b" " * 2**16] * 17

    exact = b" " * 2**20
    assert _send(client, exact, secret).status_code == 400
    assert _send(client, exact + b" ", secret).status_code == 413
    whole = b"".join(parts())
    signature = hmac.new(secret.encode(), whole, hashlib.sha256).hexdigest()
    headers = {"Content-Type": "application/json", "X-Hub-Signature-256": f"sha256={signature}"}
    assert client.post("/github", content=parts(), headers=headers).status_code == 413


def test_an_unknown_host_and_other_methods(client: TestClient, secret: str) -> None:
    assert client.post("/sourceforge", content=b"{}").status_code == 404
    assert client.get("/github").status_code == 405
    assert client.get("/docs").status_code in {404, 405}
    assert client.get("/openapi.json").status_code in {404, 405}


def test_the_log_has_one_line_and_no_secret(client: TestClient, secret: str) -> None:
    with capture_logs() as lines:
        _send(client, b"{}", secret, "ping", **{"X-GitHub-Delivery": "72d3162e\t'; DROP"})
        _send(client, b"{}", "guessed", **{"X-GitHub-Delivery": "x" * 5000})
    assert [(line["event"], line["status"], line["outcome"]) for line in lines] == [
        ("webhook", 200, "pong"),
        ("webhook", 403, "forbidden"),
    ]
    assert lines[0]["delivery"] == "72d3162e????DROP"
    assert len(lines[1]["delivery"]) == 100
    assert not any(word in repr(lines) for word in ("older", "newer", "sha256"))


def test_a_body_that_stops_half_way_is_given_up(client: TestClient, secret: str) -> None:
    answer = _send(client, b'{"ref": ', secret)
    assert (answer.status_code, answer.json()["outcome"]) == (400, "not_a_push")
