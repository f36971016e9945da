"""The dashboards: generated, valid against Grafana's schema, readable, and about series that exist."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from rubrica.metrics import SERIES, Kind
from tests.support.dashboards import FOLDER, Query, dashboards, panels, queries
from tests.support.prometheus import MONITORING, all_rules

pytest.importorskip("grafana_foundation_sdk", reason="grafana-foundation-sdk is not installed")

# Every Grafana since 8 reads this form of dashboards; the newer one only Grafana 12 and later.
pytestmark = pytest.mark.filterwarnings("ignore:Prefer using dashboardv2:DeprecationWarning")

SCHEMAS = Path(__file__).parents[2] / "support" / "grafana_schema"
ALL = dashboards()
# Of the annotations of Grafana's Prometheus data source; the schema of dashboards leaves them to it.
OF_PROMETHEUS = {"expr", "titleFormat", "textFormat", "useValueForTime"}
COLUMNS = 24


def _schema(name: str) -> jsonschema.Draft7Validator:
    return jsonschema.Draft7Validator(json.loads((SCHEMAS / f"{name}.json").read_text()))


def _errors(name: str, value: Any) -> list[str]:
    return [
        f"{list(error.absolute_path)}: {error.message[:200]}" for error in _schema(name).iter_errors(value)
    ]


def test_the_committed_files_are_what_the_code_makes() -> None:
    from monitoring.dashboards.writing import rendered

    made = dict(rendered())
    assert set(made) == {path.name for path in FOLDER.glob("*.json")}
    for name, text in made.items():
        assert (FOLDER / name).read_text() == text, f"{name}: run `python -m monitoring.dashboards`"


@pytest.mark.parametrize("name", ALL)
def test_a_dashboard_is_valid_against_grafanas_schema(name: str) -> None:
    dashboard = json.loads(json.dumps(ALL[name]))
    for mark in dashboard["annotations"]["list"]:
        assert set(mark) >= OF_PROMETHEUS
        for field in OF_PROMETHEUS:
            del mark[field]
    assert _errors("dashboard", dashboard) == []


@pytest.mark.parametrize("name", ALL)
def test_options_of_panels_are_valid_against_grafanas_schema(name: str) -> None:
    for panel in panels(ALL[name]):
        assert _errors(f"{panel['type']}Options", panel["options"]) == [], panel["title"]
        if (SCHEMAS / f"{panel['type']}Field.json").exists():
            custom = panel["fieldConfig"]["defaults"].get("custom", {})
            assert _errors(f"{panel['type']}Field", custom) == [], panel["title"]


@pytest.mark.parametrize("name", ALL)
def test_the_library_reads_a_dashboard_back(name: str) -> None:
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.cog.plugins import register_default_plugins
    from grafana_foundation_sdk.models.dashboard import Dashboard

    register_default_plugins()
    again = json.loads(JSONEncoder().encode(Dashboard.from_json(ALL[name])))
    assert [panel["title"] for panel in again["panels"]] == [panel["title"] for panel in ALL[name]["panels"]]
    assert [panel.get("targets") for panel in panels(again)] == [
        panel["targets"] for panel in panels(ALL[name])
    ]


@pytest.mark.parametrize("name", ALL)
def test_panels_can_be_read(name: str) -> None:
    titles = [panel["title"] for panel in panels(ALL[name])]
    assert len(titles) == len(set(titles))
    for panel in panels(ALL[name]):
        defaults = panel["fieldConfig"]["defaults"]
        assert len(panel["title"]) <= 32, panel["title"]
        assert len(panel["description"]) > 10, panel["title"]
        assert defaults.get("noValue"), panel["title"]
        assert "unit" in defaults or panel["type"] in {"table", "state-timeline"}, panel["title"]


@pytest.mark.parametrize("name", ALL)
def test_panels_fill_their_rows_and_do_not_overlap(name: str) -> None:
    cells: Counter[tuple[int, int]] = Counter()
    for panel in ALL[name]["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= COLUMNS
        cells.update(
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        )
    assert set(cells.values()) == {1}
    rows = Counter(y for _, y in cells)
    assert set(rows.values()) == {COLUMNS}


def _series(expression: str) -> set[str]:
    return set(re.findall(r"\b(?:rubrica|airflow)[_:][a-z0-9_:]+", expression))


def _known_of_rubrica() -> set[str]:
    names = {series.name for series in SERIES}
    for series in SERIES:
        if series.kind is Kind.HISTOGRAM:
            names |= {f"{series.name}_{end}" for end in ("bucket", "count", "sum")}
    return names | {rule["record"] for rule in all_rules() if "record" in rule}


@pytest.fixture(scope="module")
def known_of_airflow() -> set[str]:
    """Names that Airflow's own registry has, as statsd-exporter calls them."""
    airflow = pytest.importorskip("airflow._shared.observability.metrics")
    text = (Path(airflow.__file__).parent / "metrics_template.yaml").read_text()
    found = set()
    for metric in yaml.safe_load(text)["metrics"]:
        name = "airflow_" + re.sub(r"[^a-zA-Z0-9]", "_", metric["name"])
        ends = ("_bucket", "_count", "_sum") if metric["type"] == "timer" else ("",)
        found |= {name + end for end in ends}
    return found


def _asked() -> list[Query]:
    return [
        *queries(),
        *(Query(rule.get("alert") or rule["record"], rule["expr"]) for rule in all_rules()),
    ]


def test_only_series_that_exist_are_asked_for(known_of_airflow: set[str]) -> None:
    known = _known_of_rubrica() | known_of_airflow
    for query in _asked():
        assert _series(query.expression) <= known, query


def test_every_series_of_rubrica_is_looked_at() -> None:
    seen = {name for query in _asked() for name in _series(query.expression)}
    told = {name.removesuffix("_bucket") for name in seen}
    quiet = {
        *("rubrica_build_info", "rubrica_exporter_read_seconds", "rubrica_exporter_read_timestamp_seconds"),
        *("rubrica_exporter_quality_read_timestamp_seconds", "rubrica_runs", "rubrica_run_seconds_total"),
        *("rubrica_pair_cache_misses_total",),
    }
    assert {series.name for series in SERIES} - told == quiet


def test_provisioning_names_the_folder_that_compose_mounts() -> None:
    provider = yaml.safe_load((MONITORING / "grafana/provisioning/dashboards/rubrica.yml").read_text())
    compose = (MONITORING.parent / "docker-compose.yml").read_text()
    path = provider["providers"][0]["options"]["path"]
    assert f"./monitoring/grafana/dashboards:{path}:ro" in compose
