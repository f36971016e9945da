"""What every answer carries, and what errors look like."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, HTTPException, Request, Response, status
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from starlette.exceptions import HTTPException as StarletteHTTPException

from rubrica.errors import (
    ConfigurationError,
    RubricaError,
    ServiceUnavailableError,
    StackDownError,
    TransientError,
)
from rubrica.log import get_logger, hide_secrets
from rubrica_airflow.pages.rendering import render, texts_of

_log = get_logger(__name__)

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
    " connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_NO_STORE = "no-store"
_FOR_LONG = "public, max-age=31536000, immutable"
_API = "/api/"
_DATABASE_HINT = "Run `rubrica up`, or check Airflow's `[database] sql_alchemy_conn`."


def install(app: FastAPI) -> None:
    """Add the headers and the pages of errors to the application."""
    app.middleware("http")(_with_headers)
    app.add_exception_handler(RubricaError, _on_error)
    app.add_exception_handler(StarletteHTTPException, _on_refusal)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(Exception, _on_fault)


async def _with_headers(request: Request, call: Callable[[Request], Awaitable[Response]]) -> Response:
    answer = await call(request)
    for name, value in HEADERS.items():
        answer.headers.setdefault(name, value)
    static = "/static/" in request.url.path and answer.status_code == status.HTTP_200_OK
    answer.headers["Cache-Control"] = _FOR_LONG if static else _NO_STORE
    return answer


def _on_error(request: Request, error: Exception) -> Response:
    """An error of ours: what is wrong and what to do, never a trace."""
    assert isinstance(error, RubricaError)
    _log.info("page failed", path=request.url.path, error=type(error).__name__, reason=error.reason)
    down = isinstance(error, (StackDownError, TransientError))
    code = status.HTTP_503_SERVICE_UNAVAILABLE if down else status.HTTP_500_INTERNAL_SERVER_ERROR
    if isinstance(error, ConfigurationError):
        code = status.HTTP_400_BAD_REQUEST
    key = {400: "error.request", 503: "error.down"}.get(code, "error.fault")
    return _failed(request, code, key, hide_secrets(error.reason), hide_secrets(error.hint))


def _on_refusal(request: Request, error: Exception) -> Response:
    """What is refused: those who are not logged in go there and come back, if it is a page they asked for."""
    assert isinstance(error, StarletteHTTPException)
    code = error.status_code
    if code == status.HTTP_401_UNAUTHORIZED and not _is_api(request):
        back = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(request.app.state.login_url(back), status.HTTP_303_SEE_OTHER)
    key = {401: "error.login", 403: "error.forbidden", 404: "error.missing"}.get(code, "error.request")
    return _failed(request, code, key, "", "")


def _on_invalid(request: Request, error: Exception) -> Response:
    del error
    return _failed(request, status.HTTP_422_UNPROCESSABLE_CONTENT, "error.request", "", "")


def _on_fault(request: Request, error: Exception) -> Response:
    """A bug: its trace is in the API server's log."""
    code = status.HTTP_500_INTERNAL_SERVER_ERROR
    answer = _failed(request, code, "error.fault", type(error).__name__, "")
    answer.headers.update(HEADERS | {"Cache-Control": _NO_STORE})  # it is made outside of the middleware
    return answer


def _failed(request: Request, code: int, key: str, reason: str, hint: str) -> Response:
    texts = texts_of(request)
    said: dict[str, Any] = {"title": texts(key), "help": texts(f"{key}.help"), "reason": reason, "hint": hint}
    if _is_api(request):
        return JSONResponse(said, code)
    return render(request, "error", {"said": said, "code": code}, status=code)


def _is_api(request: Request) -> bool:
    return _API in request.url.path.removeprefix(request.scope.get("root_path", ""))


def on_database(request: Request, error: Exception) -> Response:
    """Airflow's own database does not answer: the login cannot be checked, as if the catalog were down."""
    _log.info("airflow's database does not answer", error=type(error).__name__)
    return _on_error(request, ServiceUnavailableError("PostgreSQL does not answer.", hint=_DATABASE_HINT))


def missing() -> HTTPException:
    """There is no such page."""
    return HTTPException(status.HTTP_404_NOT_FOUND)
