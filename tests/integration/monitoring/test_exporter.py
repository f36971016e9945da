"""The exporter on a catalog that a real pipeline filled, and without one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Thread

import httpx
import psycopg
import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families
from psycopg.conninfo import conninfo_to_dict

from indexing.catalog import Catalog
from indexing.catalog.runs import RunState
from monitoring.exporter import CatalogCollector, MetricsServer, Watched
from rubrica.errors import ConfigurationError
from rubrica.metrics import SERIES, Counter, Kind, Series
from rubrica.model import SourceSpec
from rubrica.settings import Settings

pytestmark = pytest.mark.integration

Values = dict[tuple[str, frozenset[tuple[str, str]]], float]


def _values(families: Iterator[Metric]) -> Values:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def _scrape(url: str) -> Values:
    answer = httpx.get(f"{url}/metrics", timeout=30)
    assert answer.status_code == 200
    return _values(iter(list(text_string_to_metric_families(answer.text))))


def _value(values: Values, name: str, **labels: str) -> float:
    return values[name, frozenset(labels.items())]


@pytest.fixture
def catalog(database_url: str) -> Iterator[Catalog]:
    with Catalog(database_url) as catalog:
        catalog.migrate()
        catalog.sources.register(SourceSpec("norms", "git", "/srv/norms"))
        yield catalog


def _watched(url: str) -> Watched:
    return Watched(url, "rubrica", {}, 0.9, 0.9)


@contextmanager
def _collector(url: str) -> Iterator[Callable[[], Values]]:
    collector = CatalogCollector(_watched(url), cache_s=0)
    registry = CollectorRegistry(auto_describe=False)
    registry.register(collector)
    try:
        yield lambda: _values(iter(list(registry.collect())))
    finally:
        collector.close()


def _finish(catalog: Catalog, run_id: str, **counted: int) -> None:
    catalog.runs.start(run_id, "norms", trigger="test")
    catalog.runs.add_counters(run_id, "chunk", "0", {Counter(name): value for name, value in counted.items()})
    catalog.runs.finish(run_id, RunState.SUCCESS, to_revision="r")


# --- What is told ------------------------------------------------------------------------------------


def test_every_series_is_served_with_its_labels_and_nothing_else(exporter_url: str) -> None:
    values = _scrape(exporter_url)
    known: dict[str, Series] = {}
    for series in SERIES:
        ends = ("_bucket", "_count", "_sum") if series.kind is Kind.HISTOGRAM else ("",)
        known |= {f"{series.name}{end}": series for end in ends}
    for name, labels in values:
        assert {label for label, _ in labels} - {"le"} == set(known[name].labels), name
    unserved = set(known) - {name for name, _ in values}
    # Prometheus takes no sum of values that can be negative.
    assert unserved == {"rubrica_boundary_score_count", "rubrica_boundary_score_sum"}


def test_it_tells_what_the_pipeline_did(exporter_url: str, watched: Watched) -> None:
    values = _scrape(exporter_url)
    answers = {"alias": watched.alias, "set": "harbour"}
    assert _value(values, "rubrica_up") == 1
    assert _value(values, "rubrica_documents", source="norms", state="failed") == 1
    assert _value(values, "rubrica_failures", source="norms", stage="extract") == 1
    assert _value(values, "rubrica_recall_at_k", **answers, generation="1", k="5") == 1
    assert _value(values, "rubrica_recall_at_k", **answers, generation="2", k="5") < 0.9
    assert _value(values, "rubrica_recall_accepted", **answers, k="5") == 1
    assert _value(values, "rubrica_alarms_open", kind="recall") == 1
    assert _value(values, "rubrica_generation_state", alias=watched.alias, generation="2", state="live") == 1
    assert _value(values, "rubrica_last_run_state", source="norms", state="warning") == 1
    assert _value(values, "rubrica_stage_seconds_total", source="norms", stage="chunk") > 0
    chunks = _value(values, "rubrica_chunks", source="norms", generation="2")
    assert _value(values, "rubrica_chunks_measured", source="norms", generation="2") == chunks
    assert _value(values, "rubrica_chunk_tokens_count", source="norms", generation="2") == chunks


def test_health_is_told_and_other_paths_are_not_found(exporter_url: str) -> None:
    assert httpx.get(f"{exporter_url}/health").status_code == 200
    assert httpx.get(f"{exporter_url}/").status_code == 404


# --- Without a catalog -------------------------------------------------------------------------------


def test_without_postgresql_it_says_so_and_nothing_else() -> None:
    with _collector("postgresql://nobody@127.0.0.1:1/none") as collect:
        values = collect()
    assert {name for name, _ in values} == {"rubrica_up", "rubrica_build_info"}
    assert _value(values, "rubrica_up") == 0


def test_it_comes_back_with_the_catalog(catalog: Catalog, database_url: str, postgres_url: str) -> None:
    name = conninfo_to_dict(database_url)["dbname"]
    with _collector(database_url) as collect, psycopg.connect(postgres_url, autocommit=True) as admin:
        assert _value(collect(), "rubrica_up") == 1
        admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        try:
            assert {series for series, _ in collect()} == {"rubrica_up", "rubrica_build_info"}
        finally:
            admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        assert _value(collect(), "rubrica_documents", source="norms", state="indexed") == 0


def test_a_database_without_tables_is_down(database_url: str) -> None:
    with _collector(database_url) as collect:
        assert _value(collect(), "rubrica_up") == 0


# --- Counters ----------------------------------------------------------------------------------------


def test_counters_do_not_fall_when_runs_are_deleted(catalog: Catalog, database_url: str) -> None:
    def pairs(values: Values) -> float:
        return _value(values, "rubrica_pairs_scored_total", source="norms")

    with _collector(database_url) as collect, psycopg.connect(database_url, autocommit=True) as connection:
        assert pairs(collect()) == 0
        _finish(catalog, "one", pairs_scored=5)
        _finish(catalog, "two", pairs_scored=7)
        assert pairs(collect()) == 12
        assert pairs(collect()) == 12
        connection.execute("DELETE FROM runs WHERE id = 'one'")
        assert pairs(collect()) == 12
        _finish(catalog, "three", pairs_scored=1)
        assert pairs(collect()) == 13
        # A run that is done again has done its work again.
        _finish(catalog, "three", pairs_scored=2)
        assert pairs(collect()) == 15
        assert _value(collect(), "rubrica_runs_finished_total", source="norms", state="success") == 4


def test_a_run_that_is_committed_late_is_counted(catalog: Catalog, database_url: str) -> None:
    with _collector(database_url) as collect, psycopg.connect(database_url) as late:
        catalog.runs.start("late", "norms", trigger="test")
        # Its end is older than that of the next run, and is seen after it.
        late.execute(
            "UPDATE runs SET state = 'success', finished_at = %s WHERE id = 'late'", (datetime.now(UTC),)
        )
        _finish(catalog, "early", pairs_scored=1)
        assert _value(collect(), "rubrica_runs_finished_total", source="norms", state="success") == 1
        late.commit()
        assert _value(collect(), "rubrica_runs_finished_total", source="norms", state="success") == 2


# --- The command -------------------------------------------------------------------------------------


def test_a_port_that_is_taken_is_told(exporter_url: str, watched: Watched) -> None:
    port = int(exporter_url.rpartition(":")[2])
    collector = CatalogCollector(watched)
    with pytest.raises(ConfigurationError, match=f"cannot listen on 127.0.0.1:{port}"):
        MetricsServer(collector, host="127.0.0.1", port=port)
    collector.close()


def test_the_command_serves_and_ends_on_a_signal(make_settings: Callable[..., Settings]) -> None:
    settings = make_settings()
    environment = {
        "PATH": "/usr/bin:/bin",
        "RUBRICA_HOME": str(settings.home),
        "RUBRICA_POSTGRES_URL": settings.services.postgres_url.get_secret_value(),
    }
    command = [sys.executable, "-m", "pipeline.cli", "exporter", "--port", "0", "--json"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        url = line.split('"url": "')[1].split('"')[0]
        assert url.startswith("http://127.0.0.1:")
        assert "rubrica_up" in httpx.get(url, timeout=30).text
        process.terminate()
        process.wait(30)


def test_scrapes_at_the_same_time_read_once(watched: Watched) -> None:
    collector = CatalogCollector(watched, cache_s=60)
    found: list[float] = []

    def read() -> None:
        found.append(_value(_values(collector.collect()), "rubrica_exporter_read_timestamp_seconds"))

    threads = [Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    collector.close()
    assert len(set(found)) == 1
    assert len(found) == 4
