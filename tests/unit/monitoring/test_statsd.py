"""What Airflow sends by StatsD, and what statsd-exporter is told to make of it."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.prometheus import MONITORING

pytest.importorskip("statsd", reason="statsd is not installed")
airflow = pytest.importorskip("airflow._shared.observability.metrics", reason="Airflow is not installed")

MAPPING = yaml.safe_load((MONITORING / "statsd" / "mapping.yml").read_text())
# Sent under names that Airflow's registry does not list.
UNLISTED = {"airflow.dagrun.*.first_task_scheduling_delay"}


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as bound:
        bound.bind(("127.0.0.1", 0))
        bound.settimeout(10)
        yield bound


def _registry() -> list[dict[str, Any]]:
    text = (Path(airflow.__file__).parent / "metrics_template.yaml").read_text()
    found: list[dict[str, Any]] = yaml.safe_load(text)["metrics"]
    return found


def test_compose_lets_airflow_send_tags_and_one_name(listener: socket.socket) -> None:
    from airflow._shared.observability.metrics.statsd_logger import get_statsd_logger

    compose = yaml.safe_load((MONITORING.parent / "docker-compose.yml").read_text())
    environment = compose["x-airflow"]["environment"]
    assert environment["AIRFLOW__METRICS__STATSD_INFLUXDB_ENABLED"] == "true"
    assert environment["AIRFLOW__METRICS__LEGACY_NAMES_ON"] == "false"
    logger = get_statsd_logger(
        stats_class=__import__("statsd").StatsClient,
        host="127.0.0.1",
        port=listener.getsockname()[1],
        prefix="airflow",
        influxdb_tags_enabled=True,
        statsd_disabled_tags="job_id,run_id",
        statsd_influxdb_enabled=True,
    )
    logger.gauge("pool.queued_slots", 3, tags={"pool_name": "gpu"})
    assert listener.recv(1024) == b"airflow.pool.queued_slots,pool_name=gpu:3|g"
    logger.timing("task.duration", 1500.0, tags={"dag_id": "ingest", "task_id": "chunk", "run_id": "r"})
    assert listener.recv(1024) == b"airflow.task.duration,dag_id=ingest,task_id=chunk:1500.000000|ms"
    logger.statsd.close()


def test_every_mapping_is_of_a_name_that_airflow_sends() -> None:
    sent = {"airflow." + re.sub(r"{.*?}", "x", metric["name"]) for metric in _registry()}
    for mapping in MAPPING["mappings"]:
        if mapping["match"] not in UNLISTED:
            assert any(fnmatchcase(name, mapping["match"]) for name in sent), mapping["match"]


def test_names_stay_as_dashboards_know_them() -> None:
    for mapping in MAPPING["mappings"]:
        if mapping.get("action") != "drop" and mapping.get("labels") is None:
            plain = mapping["match"].replace(".", "_").replace("*", "$1")
            assert mapping["name"] == plain


def test_what_is_dropped_is_asked_for_nowhere() -> None:
    from tests.support.dashboards import queries
    from tests.support.prometheus import all_rules

    asked = " ".join([*(query.expression for query in queries()), *(rule["expr"] for rule in all_rules())])
    for mapping in MAPPING["mappings"]:
        if mapping.get("action") == "drop":
            start = mapping["match"].rstrip("*").partition("*")[0].replace(".", "_")
            assert start == "airflow_dagrun_" or start not in asked
