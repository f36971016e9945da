"""Real Prometheus and Alertmanager on the real exporter of a real pipeline."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from monitoring.exporter import Watched
from tests.support.dashboards import queries
from tests.support.prometheus import Prometheus, alertmanager, alerts, all_rules, eventually, prometheus

pytestmark = pytest.mark.integration

# What holds in the catalog of `tests.support.watched_pipeline`: recall fell, a document fails.
FIRING = {"RecallUnderFloor", "RecallDrop", "DocumentFailures"}
# The share of nothing: no run ends while Prometheus looks.
EMPTY_HERE = {"throughput.json: Pairs from the cache A"}


class Receiver:
    """Stands for Rubrica's receiver in Airflow: keeps what Alertmanager posts."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, dict[str, Any]]] = []
        messages = self.messages

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                messages.append((self.headers["Authorization"], json.loads(body)))
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/rubrica-hooks/alertmanager"

    def alerts(self) -> dict[str, dict[str, Any]]:
        """The last that was told of each alert."""
        return {
            alert["labels"]["alertname"]: alert for _, message in self.messages for alert in message["alerts"]
        }


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    thread = Thread(target=made.server.serve_forever)
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


@pytest.fixture(scope="module")
def running(
    exporter_url: str, receiver: Receiver, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Prometheus]:
    """Prometheus that has scraped and evaluated at least twice, and tells Alertmanager."""
    folder: Path = tmp_path_factory.mktemp("prometheus")
    with (
        alertmanager(folder / "alertmanager", receiver.url, "a-token") as alertmanager_url,
        prometheus(
            folder / "prometheus",
            {"rubrica": exporter_url.removeprefix("http://")},
            alertmanager_url=alertmanager_url,
        ) as made,
    ):
        eventually(lambda: made.query("count_over_time(rubrica_up[1m]) > 2"))
        eventually(lambda: made.query("rubrica:recall_at_5:live"))
        yield made


def test_every_rule_is_evaluated_without_an_error(running: Prometheus) -> None:
    assert len(running.rules()) == len(all_rules())
    eventually(lambda: all(rule["health"] == "ok" for rule in running.rules()))
    assert [rule.get("lastError") for rule in running.rules() if rule.get("lastError")] == []


def test_every_query_of_every_dashboard_is_answered(running: Prometheus) -> None:
    # Of other programs there is nothing here: `test_other_programs` asks for that.
    empty = {query.where for query in queries() if not running.query(query.expression) and query.is_ours}
    assert empty == EMPTY_HERE


def test_the_records_are_what_the_catalog_says(running: Prometheus, watched: Watched) -> None:
    (recall,) = running.query("rubrica:recall_at_5:live")
    assert recall["metric"] == {
        "__name__": "rubrica:recall_at_5:live",
        "alias": watched.alias,
        "set": "harbour",
    }
    (raw,) = running.query('rubrica_recall_at_k{k="5", generation="2"}')
    assert recall["value"][1] == raw["value"][1]


def test_what_is_wrong_fires_and_nothing_else(running: Prometheus) -> None:
    eventually(lambda: {alert["labels"]["alertname"] for alert in running.alerts()} == FIRING)
    for alert in running.alerts():
        for text in alert["annotations"].values():
            assert "<" not in text, text
            assert "{{" not in text, text
        assert alert["annotations"]["runbook_url"].startswith("https://runbooks.test/")
    assert set(alerts()) > FIRING


def test_alertmanager_tells_the_receiver_who_shows_the_token(
    running: Prometheus, receiver: Receiver, watched: Watched
) -> None:
    told = eventually(
        lambda: (
            receiver.alerts() if {"RecallUnderFloor", "DocumentFailures"} <= set(receiver.alerts()) else None
        )
    )
    assert {header for header, _ in receiver.messages} == {"Bearer a-token"}
    labels = told["RecallUnderFloor"]["labels"]
    # Those of the alarm record: one cause, one ticket.
    assert {name: labels[name] for name in ("kind", "alias", "set")} == {
        "kind": "recall",
        "alias": watched.alias,
        "set": "harbour",
    }
    assert not {"runbooks", "airflow"} & set(labels)
    # The floor says more than the drop, which is inhibited once both are known.
    assert told["RecallUnderFloor"]["status"] == "firing"
