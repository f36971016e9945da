"""Airflow's login and permissions before the pages."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

from airflow.api_fastapi.app import API_ROOT_PATH, get_auth_manager
from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity, DagDetails
from airflow.api_fastapi.core_api.security import GetUserDep, requires_access_dag
from airflow.configuration import conf
from fastapi import FastAPI, Request, Response
from sqlalchemy.exc import DBAPIError, OperationalError

from rubrica_airflow.pages import answers, guards

DAG_ID = "ingest"
"""Who may read this DAG may read the documents that it indexes."""


def guard(app: FastAPI) -> FastAPI:
    """Let Airflow decide who sees the pages; returns the same application."""
    app.dependency_overrides |= {
        guards.reader: requires_access_dag("GET", None, DAG_ID),
        guards.trigger: requires_access_dag("POST", DagAccessEntity.RUN, DAG_ID),
        guards.may_trigger: _may_trigger,
    }
    app.add_exception_handler(DBAPIError, _on_database)
    app.state.airflow_root = airflow_root()
    app.state.login_url = login_url
    # Behind a proxy that does not pass the host on, the browser still knows the public one.
    app.state.hosts = frozenset({urlsplit(conf.get("api", "base_url", fallback="")).netloc} - {""})
    return app


def airflow_root() -> str:
    """Path of Airflow's UI, with a slash at its end."""
    return API_ROOT_PATH


def login_url(back: str) -> str:
    """Where users log in.

    Args:
        back: Path where they come back to.
    """
    return f"{airflow_root()}api/v2/auth/login?{urlencode({'next': back})}"


def _on_database(request: Request, error: Exception) -> Response:
    """A connection that fails is told of as such; any other error of the database is a bug."""
    if isinstance(error, OperationalError) or (
        isinstance(error, DBAPIError) and error.connection_invalidated
    ):
        return answers.on_database(request, error)
    raise error


def _may_trigger(user: GetUserDep) -> bool:
    from airflow.models.dag import DagModel

    return get_auth_manager().is_authorized_dag(
        method="POST",
        access_entity=DagAccessEntity.RUN,
        details=DagDetails(id=DAG_ID, team_name=DagModel.get_team_name(DAG_ID)),
        user=user,
    )
