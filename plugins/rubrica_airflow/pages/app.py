"""The application: routes, guards, static files, and services that live as long as the server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from pipeline.services import Services
from rubrica_airflow.pages import answers, api, pages
from rubrica_airflow.pages.backend import Backend
from rubrica_airflow.pages.rendering import FOLDER


def create_pages(make: Callable[[], Services] = Services) -> FastAPI:
    """The application; nobody may read it until its guards are replaced (see ``guards``).

    Args:
        make: Opens the services.
    """
    backend = Backend(make)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        del app
        try:
            yield
        finally:
            backend.close()

    app = FastAPI(title="Rubrica", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.state.backend = backend
    app.state.airflow_root = "/"
    app.state.login_url = lambda back: f"/login?next={back}"
    app.state.hosts = frozenset()
    answers.install(app)
    app.mount("/static", StaticFiles(directory=FOLDER / "static"), name="static")
    app.include_router(api.router)
    app.include_router(pages.router)
    return app
