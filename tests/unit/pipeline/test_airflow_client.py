"""What a real Airflow shows only after a day or with hundreds of tasks; the rest is an integration test."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from pipeline.airflow_client import AirflowClient, DagRun
from rubrica.errors import ServiceUnavailableError, StackDownError
from rubrica.settings import ServiceSettings

_RUN = {"dag_id": "d", "dag_run_id": "r", "state": "success", "start_date": None, "end_date": None}


class _Server(ThreadingHTTPServer):
    """Answers as Airflow does; counts logins."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.logins = 0
        self.tasks = 250
        self.broken = ""
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.logins += 1
        self._answer(201, {"access_token": f"token {self.server.logins}"})

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if self.server.broken:
            self._answer(500, self.server.broken)
        elif self.headers["Authorization"] == "Bearer token 1":
            self._answer(401, {"detail": "expired"})
        elif url.path.endswith("/taskInstances"):
            query = parse_qs(url.query)
            first = int(query["offset"][0])
            last = min(first + int(query["limit"][0]), self.server.tasks)
            self._answer(200, {"task_instances": [_task(number) for number in range(first, last)]})
        else:
            self._answer(200, _RUN)

    def _answer(self, status: int, body: object) -> None:
        content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _task(number: int) -> dict[str, Any]:
    return {
        "task_id": "chunk",
        "map_index": number,
        "state": None,
        "try_number": 1,
        "duration": None,
        "pool": "gpu",
        "queue": None,
    }


@pytest.fixture
def server() -> Iterator[_Server]:
    with _Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def client(server: _Server) -> Iterator[AirflowClient]:
    with AirflowClient(server.url, "admin", "тайна") as client:
        yield client


def test_an_expired_token_is_renewed_once(server: _Server, client: AirflowClient) -> None:
    assert client.run("d", "r") == DagRun("d", "r", "success")
    assert client.run("d", "r").finished
    assert server.logins == 2


@pytest.mark.parametrize("count", [0, 1, 100, 250])
def test_every_page_of_tasks_is_read(server: _Server, client: AirflowClient, count: int) -> None:
    server.tasks = count
    tasks = client.tasks("d", "r")
    assert [task.map_index for task in tasks] == list(range(count))
    assert {task.state for task in tasks} <= {"none"}


def test_an_error_of_the_server_may_be_tried_again(server: _Server, client: AirflowClient) -> None:
    server.broken = "<html>Bad gateway</html>"
    with pytest.raises(ServiceUnavailableError, match="500 <html>Bad gateway"):
        client.run("d", "r")


def test_without_an_address_the_stack_is_down() -> None:
    with pytest.raises(StackDownError, match="rubrica up"):
        AirflowClient.from_settings(ServiceSettings(airflow_url=""))


def test_nobody_listening_means_that_the_stack_is_down(server: _Server) -> None:
    url = server.url
    server.server_close()
    with AirflowClient(url, "admin", "x") as client, pytest.raises(StackDownError, match="rubrica up"):
        client.run("d", "r")
