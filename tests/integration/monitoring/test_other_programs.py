"""Panels on the programs around Rubrica: real series of Airflow, Redis and Milvus, written ones of a GPU."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fixtures.redis import RedisServer
from tests.support.dashboards import queries
from tests.support.other_exporters import GPU_METRICS, metrics_server, redis_exporter, search_once
from tests.support.prometheus import eventually, prometheus
from tests.support.statsd_bridge import send_airflow_metrics, statsd_bridge

pytestmark = pytest.mark.integration


@pytest.fixture
def limited_redis(tmp_path: Path) -> Iterator[RedisServer]:
    """A Redis with a limit, as compose starts it."""
    server = RedisServer(tmp_path, "--maxmemory", "64mb")
    server.start()
    yield server
    server.kill()


def test_every_panel_on_the_programs_around_has_series(
    tmp_path: Path, limited_redis: RedisServer, milvus_server_uri: str, milvus_server_metrics: str
) -> None:
    asked = [query for query in queries() if not query.is_ours]
    assert len(asked) > 20
    search_once(milvus_server_uri)
    with (
        statsd_bridge() as airflow,
        metrics_server(airflow.series.text) as airflow_address,
        metrics_server(lambda: GPU_METRICS) as gpu_address,
        redis_exporter(limited_redis.url) as redis_address,
        prometheus(
            tmp_path / "prometheus",
            {
                "airflow": airflow_address,
                "gpu": gpu_address,
                "milvus": milvus_server_metrics,
                "redis": redis_address,
            },
        ) as made,
    ):

        def empty() -> set[str]:
            send_airflow_metrics(airflow.port)  # rates are of what happens between two scrapes
            return {query.where for query in asked if not made.query(query.expression)}

        eventually(lambda: not empty(), timeout_s=90)
