"""What the committed dashboards ask, read from their JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.support.prometheus import MONITORING

FOLDER = MONITORING / "grafana" / "dashboards"
_VARIABLES = {
    "$__interval": "5m",
    "$__range": "1h",
    "$__rate_interval": "5m",
    "$source": ".*",
    "$set": ".*",
    "$generation": ".*",
}
_OTHERS = ("airflow_", "redis_", "milvus_", "DCGM_")


@dataclass(frozen=True, slots=True)
class Query:
    """A query of a panel, of an annotation or of a variable.

    Attributes:
        where: Dashboard and panel.
        expression: PromQL with variables filled in.
    """

    where: str
    expression: str

    @property
    def is_ours(self) -> bool:
        """Whether it asks only for series of Rubrica or of Prometheus itself."""
        return not any(name in self.expression for name in _OTHERS)


def dashboards() -> dict[str, dict[str, Any]]:
    """Every committed dashboard by the name of its file."""
    return {path.name: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}


def panels(dashboard: dict[str, Any]) -> list[dict[str, Any]]:
    """Its panels, rows left out."""
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def queries() -> Iterator[Query]:
    """Every query of every dashboard."""
    for name, dashboard in dashboards().items():
        for panel in panels(dashboard):
            for target in panel["targets"]:
                yield Query(f"{name}: {panel['title']} {target['refId']}", _filled(target["expr"]))
        for mark in dashboard["annotations"]["list"]:
            yield Query(f"{name}: {mark['name']}", mark["expr"])
        for variable in dashboard["templating"]["list"]:
            if variable["type"] == "query":
                series = re.match(r"label_values\((\w+), \w+\)", variable["query"]["query"])
                assert series is not None
                yield Query(f"{name}: ${variable['name']}", series[1])


def _filled(expression: str) -> str:
    for variable, value in _VARIABLES.items():
        expression = expression.replace(variable, value)
    assert "$" not in expression, expression
    return expression
