"""The application without any service behind it: guards, headers, errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

import pytest
from fastapi import FastAPI, HTTPException
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from rubrica_airflow.pages import guards
from rubrica_airflow.pages.app import create_pages

from pipeline.services import Services
from rubrica.errors import ConfigurationError, ServiceUnavailableError, StackDownError

PAGES = ("/", "/search", "/documents", "/documents/x", "/chunks/x", "/failures", "/recall")
RETRY = {"documents": [{"source": "norms", "path": "a.pdf"}]}


def pages(error: Exception, *, open_: bool = True) -> FastAPI:
    """An application whose services cannot be opened."""

    def fail() -> NoReturn:
        raise error

    app = create_pages(fail)
    if open_:
        app.dependency_overrides |= {guards.reader: lambda: None, guards.trigger: lambda: None}
    return app


@pytest.fixture
def client() -> Iterator[TestClient]:
    error = StackDownError("Milvus <b>does</b> not answer at http://me:word@host.", hint="Run `rubrica up`.")
    with TestClient(pages(error), follow_redirects=False) as client:
        yield client


@pytest.mark.parametrize("path", [*PAGES, "/api/documents/x/chunks", "/api/runs/x"])
def test_nobody_reads_what_nobody_guards(path: str) -> None:
    with TestClient(pages(AssertionError(), open_=False)) as client:
        assert client.get(path).status_code == 403
        assert client.post("/api/retry", json=RETRY).status_code == 403


def test_every_route_asks_for_the_reader() -> None:
    routes = [route for route in create_pages().routes if isinstance(route, APIRoute)]
    assert len(routes) >= 10
    for route in routes:
        assert guards.reader in {dependency.call for dependency in route.dependant.dependencies}, route.path


def test_who_is_not_logged_in_goes_to_the_login_and_comes_back() -> None:
    def stranger() -> NoReturn:
        raise HTTPException(401)

    app = pages(AssertionError())
    app.dependency_overrides[guards.reader] = stranger
    app.state.login_url = lambda back: f"/auth/login?next={back}"
    with TestClient(app, follow_redirects=False) as client:
        answer = client.get("/search?q=x")
        assert (answer.status_code, answer.headers["location"]) == (303, "/auth/login?next=/search?q=x")
        assert client.get("/api/runs/x").status_code == 401
        assert client.post("/api/retry", json=RETRY).status_code == 401


@pytest.mark.parametrize("path", PAGES)
def test_a_part_that_is_down_gives_a_page_without_secrets(client: TestClient, path: str) -> None:
    answer = client.get(path, headers={"accept-language": "en"})
    assert answer.status_code == 503
    assert "A part of the stack does not answer" in answer.text
    assert "Milvus &lt;b&gt;does&lt;/b&gt; not answer" in answer.text
    assert "Run `rubrica up`." in answer.text
    assert "word" not in answer.text
    assert "Traceback" not in answer.text


def test_scripts_get_errors_as_json(client: TestClient) -> None:
    answer = client.get("/api/documents/x/chunks?lang=ru")
    assert answer.status_code == 503
    assert answer.json()["title"] == "Часть системы не отвечает"
    assert answer.json()["hint"] == "Run `rubrica up`."


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ConfigurationError("x", hint="y"), 400),
        (ServiceUnavailableError("x"), 503),
        (RuntimeError("secret"), 500),
    ],
)
def test_errors_have_their_status(error: Exception, status: int) -> None:
    with TestClient(pages(error), raise_server_exceptions=False) as client:
        answer = client.get("/search")
        assert answer.status_code == status
        assert "secret" not in answer.text
        assert "script-src 'self'" in answer.headers["content-security-policy"]


def test_headers_let_no_foreign_script_in(client: TestClient) -> None:
    answer = client.get("/search")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'self'" in policy
    assert answer.headers["cache-control"] == "no-store"
    static = client.get("/static/pages.css")
    assert static.status_code == 200
    assert "immutable" in static.headers["cache-control"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://testserver", "sec-fetch-site": "cross-site"}, 403),
        ({"origin": "http://testserver", "sec-fetch-site": "same-origin"}, 503),
        ({"origin": "https://airflow.example.org"}, 503),
        ({"authorization": "Bearer x"}, 503),
    ],
)
def test_a_retry_comes_from_our_own_pages(client: TestClient, headers: dict[str, str], status: int) -> None:
    app = client.app
    assert isinstance(app, FastAPI)
    app.state.hosts = frozenset({"airflow.example.org"})
    assert client.post("/api/retry", json=RETRY, headers=headers).status_code == status


@pytest.mark.parametrize(
    "body", [{}, {"documents": []}, {"documents": RETRY["documents"] * 101}, {"documents": [{"path": "a"}]}]
)
def test_a_retry_of_nothing_or_too_much_is_refused(body: dict[str, object]) -> None:
    with TestClient(create_pages(Services)) as client:
        app = client.app
        assert isinstance(app, FastAPI)
        app.dependency_overrides |= {guards.reader: lambda: None, guards.trigger: lambda: None}
        app.dependency_overrides[guards.same_origin] = lambda: None
        app.state.backend._services = object()
        assert client.post("/api/retry", json=body).status_code == 422
        app.state.backend._services = None


def test_the_language_is_remembered(client: TestClient) -> None:
    assert '<html lang="ru">' in client.get("/search?lang=ru").text
    assert '<html lang="ru">' in client.get("/search", headers={"accept-language": "en"}).text
