"""Airflow's plugin that takes push webhooks at ``/rubrica-hooks``."""

from __future__ import annotations

from airflow.plugins_manager import AirflowPlugin
from rubrica_airflow.webhooks.app import make_app


class RubricaWebhooks(AirflowPlugin):
    """Mounts the application in Airflow's API server."""

    name = "rubrica_webhooks"
    fastapi_apps = [  # noqa: RUF012 (as Airflow's base class declares it)
        {"name": "Rubrica webhooks", "app": make_app(), "url_prefix": "/rubrica-hooks"}
    ]
