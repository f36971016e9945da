"""Airflow's metrics as Prometheus gets them, by ``monitoring/statsd/mapping.yml``.

statsd-exporter comes as an image only, so this does what the mapping asks of it: globs, names and labels
with ``$1``, ``drop``, one set of buckets, times from milliseconds to seconds. What is sent is real: every
metric of Airflow's own registry, with its tags, by Airflow's own client.
"""

from __future__ import annotations

import re
import socket
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import yaml

from tests.support.prometheus import MONITORING

Labels = tuple[tuple[str, str], ...]

_DATAGRAM = 65_535
_POLL_S = 0.2
_MS = 1000.0
# What tags say in the dashboards' own terms; any other tag says "x".
_TAGS = {"pool_name": "gpu", "dag_id": "ingest", "task_id": "chunk"}


@dataclass
class Series:
    """Values by name and labels, in Prometheus' text format."""

    buckets: list[float]
    values: dict[tuple[str, Labels], float] = field(default_factory=lambda: defaultdict(float))
    _lock: Lock = field(default_factory=Lock)

    def take(self, name: str, labels: Labels, value: float, kind: str) -> None:
        """Count (``c``), set (``g``) or observe (``ms``) a value."""
        with self._lock:
            if kind == "g":
                self.values[name, labels] = value
            elif kind == "c":
                self.values[name, labels] += value
            else:
                self._observe(name, labels, value / _MS)

    def text(self) -> str:
        """All of it."""
        with self._lock:
            rows = [f"{name}{{{_written(labels)}}} {value}" for (name, labels), value in self.values.items()]
        return "\n".join([*rows, ""])

    def _observe(self, name: str, labels: Labels, value: float) -> None:
        self.values[f"{name}_sum", labels] += value
        self.values[f"{name}_count", labels] += 1
        for limit in [*self.buckets, float("inf")]:
            told = "+Inf" if limit == float("inf") else f"{limit:g}"
            self.values[f"{name}_bucket", (*labels, ("le", told))] += value <= limit


def _written(labels: Labels) -> str:
    return ",".join(f'{name}="{value}"' for name, value in labels)


class StatsdBridge:
    """Takes datagrams on ``port``, keeps ``series``."""

    def __init__(self) -> None:
        loaded = yaml.safe_load((MONITORING / "statsd" / "mapping.yml").read_text())
        self._mappings: list[dict[str, Any]] = loaded["mappings"]
        self.series = Series(loaded["defaults"]["histogram_options"]["buckets"])
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.settimeout(_POLL_S)
        self.port = int(self._socket.getsockname()[1])
        self._open = True

    def serve(self) -> None:
        """Take datagrams until ``close``."""
        while self._open:
            try:
                datagram = self._socket.recv(_DATAGRAM)
            except TimeoutError:
                continue
            for line in datagram.decode().splitlines():
                self._take(line)
        self._socket.close()

    def close(self) -> None:
        """End ``serve``."""
        self._open = False

    def _take(self, line: str) -> None:
        told, _, rest = line.partition(":")
        value, kind = rest.split("|")[:2]
        name, *tags = told.split(",")
        labels = tuple((key, text) for key, _, text in (tag.partition("=") for tag in tags))
        mapping = next((item for item in self._mappings if fnmatchcase(name, item["match"])), {})
        if mapping.get("action") == "drop":
            return
        parts = re.fullmatch(_as_groups(mapping.get("match", name)), name)
        assert parts is not None
        own = {key: _filled(text, parts) for key, text in mapping.get("labels", {}).items()}
        mapped = _filled(mapping.get("name", name), parts)
        self.series.take(re.sub(r"\W", "_", mapped), (*labels, *own.items()), float(value), kind)


def _as_groups(glob: str) -> str:
    return re.escape(glob).replace(r"\*", "(.*)")


def _filled(template: str, parts: re.Match[str]) -> str:
    return re.sub(r"\$(\d+)", lambda found: str(parts[int(found[1])]), template)


@contextmanager
def statsd_bridge() -> Iterator[StatsdBridge]:
    """A bridge that takes datagrams."""
    bridge = StatsdBridge()
    thread = Thread(target=bridge.serve)
    thread.start()
    try:
        yield bridge
    finally:
        bridge.close()
        thread.join()


def send_airflow_metrics(port: int) -> None:
    """Every metric of Airflow's registry once, by Airflow's client, set up as compose sets it up."""
    import statsd  # type: ignore[import-untyped]
    from airflow._shared.observability import metrics
    from airflow._shared.observability.metrics.statsd_logger import get_statsd_logger

    registry = yaml.safe_load((Path(metrics.__file__).parent / "metrics_template.yaml").read_text())
    logger = get_statsd_logger(
        stats_class=statsd.StatsClient,
        host="127.0.0.1",
        port=port,
        prefix="airflow",
        influxdb_tags_enabled=True,
        statsd_influxdb_enabled=True,
    )
    for metric in registry["metrics"]:
        name = re.sub(r"{.*?}", "x", metric["name"])
        tags = {tag: _TAGS.get(tag, "x") for tag in metric.get("name_variables", [])}
        send = {"counter": logger.incr, "gauge": logger.gauge, "timer": logger.timing}[metric["type"]]
        send(name, 1500, tags=tags)
    logger.statsd.close()
