"""The dashboards as JSON, in the folder that Grafana provisions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from grafana_foundation_sdk.builders.dashboard import Dashboard
from grafana_foundation_sdk.cog.encoder import JSONEncoder

from monitoring.dashboards import airflow, chunks, glance, throughput

FOLDER = Path(__file__).parents[1] / "grafana" / "dashboards"

_BUILDERS: Mapping[str, Callable[[], Dashboard]] = {
    "at-a-glance": glance.build,
    "chunk-quality": chunks.build,
    "throughput": throughput.build,
    "airflow": airflow.build,
}


def rendered() -> Iterator[tuple[str, str]]:
    """Every dashboard: the name of its file, and its JSON."""
    for name, build in _BUILDERS.items():
        loaded = json.loads(JSONEncoder().encode(build().build()))
        text = json.dumps(_cleaned(loaded), indent=2, sort_keys=True, ensure_ascii=False)
        yield f"{name}.json", f"{text}\n"


def write() -> None:
    """Write them all."""
    for name, text in rendered():
        (FOLDER / name).write_text(text, encoding="utf-8")


def _cleaned(dashboard: dict[str, Any]) -> dict[str, Any]:
    """Without what the library adds and Grafana's schema does not know.

    Links and marks stand in the open, too: the library would put them into a menu, and nowhere else.
    """
    for item in (*dashboard["links"], *dashboard["annotations"]["list"]):
        item.pop("placement", None)
    for variable in dashboard["templating"]["list"]:
        for name in ("auto", "auto_count", "auto_min"):
            variable.pop(name, None)
    for panel in dashboard["panels"]:
        panel.get("options", {}).pop("footer", None)
        for link in panel.get("links", ()):
            link.pop("placement", None)
    return dashboard
