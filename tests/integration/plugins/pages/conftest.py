"""The pages on a real index, served to a real browser."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI, HTTPException, Request
from rubrica_airflow.pages import guards
from rubrica_airflow.pages.app import create_pages

from pipeline.ingestion import SourceOptions, declare_source, new_run_id, run_here
from pipeline.services import Services
from pipeline.steps import IngestRequest
from rubrica.settings import Settings
from tests.integration.pipeline.conftest import make_settings  # noqa: F401 — a fixture
from tests.support.browser import CHROMIUM, Browser
from tests.support.indexing import make_chunks, make_document

HOSTILE = "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>"
CLAUSES = "\n\n".join(f"5.{number} Причал номер {number} испытывают нагрузкой." for number in range(1, 8))
NORM = f"---\nstandard: СП 900\n---\n# Нормы {HOSTILE}\n\n## 5 Нагрузки\n\n{CLAUSES}\n\n{HOSTILE}\n"
LETTER = "# Storage\n\nBoats are kept under a roof in winter, keel down.\n"
BIG = 2000


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """Serve an application on a free port; gives its address."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(128)
        config = uvicorn.Config(app, log_level="critical", ws="none", timeout_graceful_shutdown=3)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


class FakeAirflow:
    """Airflow's API as far as a retry needs it; every run is queued once and then succeeds."""

    def __init__(self) -> None:
        self.started: dict[str, dict[str, Any]] = {}
        self.app = FastAPI()
        self.app.post("/auth/token")(lambda: {"access_token": "token"})
        self.app.get("/api/v2/dags/ingest")(lambda: {"dag_id": "ingest", "is_paused": False})
        self.app.post("/api/v2/dags/ingest/dagRuns")(self._start)
        self.app.get("/api/v2/dags/ingest/dagRuns/{run_id}")(self._run)
        self._looks: dict[str, int] = {}

    async def _start(self, request: Request) -> dict[str, Any]:
        body = await request.json()
        self.started[body["dag_run_id"]] = body["conf"]
        return self._shown(body["dag_run_id"], "queued")

    def _run(self, run_id: str) -> dict[str, Any]:
        if run_id not in self.started:
            raise HTTPException(404)
        self._looks[run_id] = looks = self._looks.get(run_id, 0) + 1
        return self._shown(run_id, "queued" if looks == 1 else "success")

    def _shown(self, run_id: str, state: str) -> dict[str, Any]:
        empty: dict[str, Any] = {"start_date": None, "end_date": None, "conf": {}, "note": None}
        return {"dag_id": "ingest", "dag_run_id": run_id, "state": state} | empty


@pytest.fixture
def fake_airflow() -> FakeAirflow:
    return FakeAirflow()


@pytest.fixture
def settings(
    make_settings: Callable[..., Settings],  # noqa: F811 — a fixture
    fake_airflow: FakeAirflow,
) -> Iterator[Settings]:
    with serving(fake_airflow.app) as url:
        yield make_settings(
            strategy="recursive", max_tokens=48, min_tokens=0, airflow_url=url, airflow_password="x"
        )


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "нормы.md").write_text(NORM)
    (folder / "letter.md").write_text(LETTER)
    (folder / "битый.pdf").write_bytes(b"%PDF-1.7 nothing")
    return folder


@pytest.fixture
def indexed(settings: Settings, documents: Path) -> Iterator[Services]:
    """Services whose index holds two documents and a failure, made by the real pipeline."""
    with Services(settings) as services:
        spec = declare_source(services, str(documents), SourceOptions(name="norms"))
        run_here(services, IngestRequest(spec.name), new_run_id(spec.name), lambda *_: None)
        yield services


def add_big(services: Services) -> tuple[str, list[str]]:
    """Describe a document of two thousand chunks in the catalog; gives its id and those of its chunks."""
    live = services.catalog.generations.live(services.settings.indexing.alias)
    assert live is not None
    [id_] = services.catalog.documents.register("norms", ["свод.pdf"]).values()
    document = make_document(
        id_, [f"Абзац {i} о причале." for i in range(BIG)], path="свод.pdf", title="Свод"
    )
    chunks = [
        replace(chunk, boundary_score=(i % 7) / 7 if i else None, heading_path=(f"Раздел {i // 100}",))
        for i, chunk in enumerate(make_chunks(document))
    ]
    services.catalog.indexed.save(live.id, document, chunks, mark="m", config_sig="s")
    return id_, [chunk.id for chunk in chunks]


def opened_pages(settings: Settings, *, may_trigger: bool = True) -> FastAPI:
    """The application, open to everybody."""

    def refuse() -> None:
        if not may_trigger:
            raise HTTPException(403)

    app = create_pages(lambda: Services(settings))
    app.dependency_overrides |= {
        guards.reader: lambda: None,
        guards.trigger: refuse,
        guards.may_trigger: lambda: may_trigger,
    }
    return app


@pytest.fixture
def address(settings: Settings) -> Iterator[str]:
    with serving(opened_pages(settings)) as url:
        yield url


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with Browser(tmp_path_factory.mktemp("browser")) as browser:
        yield browser
