"""The web application behind ``/rubrica-hooks``."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, TypeVar

import anyio
from anyio import CapacityLimiter
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from rubrica.errors import ConfigurationError
from rubrica.log import get_logger
from rubrica_airflow.alerts.router import router as alertmanager
from rubrica_airflow.webhooks.body import BodyError, BodyReader
from rubrica_airflow.webhooks.reply import BUSY, NO_PROVIDER, Reply
from rubrica_airflow.webhooks.signatures import Provider

if TYPE_CHECKING:
    from rubrica_airflow.webhooks.delivery import Receiver

_T = TypeVar("_T")

_AT_ONCE = 4
_MOST_WAITING = 64
_DELIVERY_HEADERS = (
    "x-github-delivery",
    "x-gitlab-event-uuid",
    "x-gitea-delivery",
    "x-request-uuid",
    "x-request-id",
)
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9_.:-]")
_log = get_logger(__name__)


class Hooks:
    """Takes deliveries off the event loop.

    A delivery asks Airflow's API, which runs in this very process; so deliveries have threads of their own:
    in those of the API they could wait for each other for ever.
    """

    def __init__(self) -> None:
        self._made: Receiver | None = None
        self._reader = BodyReader()
        self._threads = CapacityLimiter(_AT_ONCE)

    async def deliver(self, request: Request, provider: str, source: str) -> Reply:
        """Read a delivery and answer it."""
        from rubrica_airflow.webhooks.delivery import Delivery

        if provider not in set(Provider):
            return NO_PROVIDER
        if self._threads.statistics().tasks_waiting >= _MOST_WAITING:
            return BUSY
        sender, headers = Provider(provider), dict(request.headers)
        try:
            admission = await self._in_thread(partial(self._receiver.admit, sender, headers))
            if isinstance(admission, Reply):
                return admission
            body = await self._reader.read(request, admission)
            delivery = Delivery(sender, source, headers, body)
            return await self._in_thread(partial(self._receiver.receive, delivery))
        except BodyError as error:
            return error.reply
        except ConfigurationError as error:
            log = {"error": type(error).__name__, "why": error.reason, "hint": error.hint}
            return Reply(HTTPStatus.SERVICE_UNAVAILABLE, "not_set_up", "The settings are not valid.", log=log)

    @property
    def _receiver(self) -> Receiver:
        # Imported on first use: every process of Airflow loads its plugins, and one of them takes deliveries.
        from rubrica_airflow.webhooks.delivery import Receiver

        self._made = self._made or Receiver()
        return self._made

    async def _in_thread(self, call: Callable[[], _T]) -> _T:
        return await anyio.to_thread.run_sync(call, limiter=self._threads)


def make_app() -> FastAPI:
    """The application; ``POST /{provider}``, ``POST /{provider}/{source}`` and ``POST /alertmanager``."""
    app = FastAPI(title="Rubrica: webhooks", docs_url=None, redoc_url=None, openapi_url=None)
    app.include_router(alertmanager)
    hooks = Hooks()

    @app.post("/{provider}")
    @app.post("/{provider}/{source}")
    async def receive(request: Request, provider: str, source: str = "") -> JSONResponse:
        reply = await hooks.deliver(request, provider, source)
        _tell(request, provider, source, reply)
        return reply.response()

    return app


def _tell(request: Request, provider: str, source: str, reply: Reply) -> None:
    """One line a delivery; what the sender wrote is cut and cleaned."""
    identity = next((request.headers[name] for name in _DELIVERY_HEADERS if name in request.headers), "")
    _log.info(
        "webhook",
        provider=_plain(provider),
        source=_plain(source),
        delivery=_plain(identity),
        status=int(reply.status),
        outcome=reply.outcome,
        runs=[run["run_id"] for run in reply.runs],
        **reply.log,
    )


def _plain(text: str) -> str:
    return _NOT_PLAIN.sub("?", text[:100])
