"""Who may do what: closed until somebody who knows users takes the place of these functions."""

from __future__ import annotations

from typing import NoReturn

from fastapi import HTTPException, Request, status

_CLOSED = "Nobody guards these pages."


def reader() -> NoReturn:
    """Lets those pass who may read the DAG ``ingest``; the others get 401 or 403."""
    raise HTTPException(status.HTTP_403_FORBIDDEN, _CLOSED)


def trigger() -> NoReturn:
    """Lets those pass who may start runs of ``ingest``."""
    raise HTTPException(status.HTTP_403_FORBIDDEN, _CLOSED)


def may_trigger() -> bool:
    """Whether the user may start runs of ``ingest``, so that buttons say so beforehand."""
    return False


def same_origin(request: Request) -> None:
    """Refuse what a page of another site makes a browser send with the user's cookie.

    A request with a bearer token carries what no browser adds by itself, so it needs no origin.

    Raises:
        HTTPException: It comes from elsewhere, or does not say where from.
    """
    if request.headers.get("authorization", "").lower().startswith("bearer "):
        return
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin" or not _is_own(request):
        raise HTTPException(status.HTTP_403_FORBIDDEN, "The request comes from another site.")


def _is_own(request: Request) -> bool:
    _, found, host = request.headers.get("origin", "").partition("://")
    allowed = {request.headers.get("host", ""), *request.app.state.hosts}
    return bool(found) and host in allowed
