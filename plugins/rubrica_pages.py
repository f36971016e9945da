"""Search, documents, failures and recall in Airflow's own user interface."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from airflow.plugins_manager import AirflowPlugin

PREFIX = "/rubrica"

_VIEWS = (
    ("Rubrica", "", "rubrica", True),
    ("Rubrica: search", "search", "rubrica-search", False),
    ("Rubrica: documents", "documents", "rubrica-documents", False),
    ("Rubrica: failures", "failures", "rubrica-failures", False),
    ("Rubrica: recall", "recall", "rubrica-recall", False),
)
"""Name, page, route and whether it stands in the bar itself instead of under "Plugins"."""


class RubricaPages(AirflowPlugin):
    """The pages, below ``/rubrica`` and inside Airflow's navigation.

    Every process of Airflow loads plugins, tasks too; only the API server asks for these two, and only then
    is anything imported for them.
    """

    name = "rubrica_pages"

    @cached_property
    def fastapi_apps(self) -> list[Any]:  # type: ignore[override]
        """The application, mounted by the API server."""
        from rubrica_airflow.pages.airflow_access import guard
        from rubrica_airflow.pages.app import create_pages

        return [{"app": guard(create_pages()), "url_prefix": PREFIX, "name": "Rubrica"}]

    @cached_property
    def external_views(self) -> list[Any]:  # type: ignore[override]
        """The entries of Airflow's navigation, which show the pages in a frame."""
        from rubrica_airflow.pages.airflow_access import airflow_root

        root = f"{airflow_root().rstrip('/')}{PREFIX}"
        return [
            {
                "name": name,
                "href": f"{root}/{page}",
                "destination": "nav",
                "url_route": route,
                "nav_top_level": top,
                "icon": f"{root}/static/icon.svg",
                "icon_dark_mode": f"{root}/static/icon-dark.svg",
            }
            for name, page, route, top in _VIEWS
        ]
