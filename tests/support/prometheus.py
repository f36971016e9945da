"""Real Prometheus and Alertmanager, as Debian packages them, on Rubrica's own configuration.

``docs/monitoring.md`` says what is watched; here the same files run with seconds instead of minutes.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from tests.fixtures.databases import free_port

MONITORING = Path(__file__).parents[2] / "monitoring"
RULES = sorted((MONITORING / "prometheus" / "rules").glob("*.yml"))
_START_TIMEOUT_S = 60
_STOP_TIMEOUT_S = 20


def binary(*names: str) -> str:
    """The first of these programs that is installed; the test is skipped where there is none."""
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"{names[0]} is not installed (Debian: prometheus, prometheus-alertmanager)")
    return found


def all_rules() -> list[dict[str, Any]]:
    """Every rule of ours."""
    groups = [group for path in RULES for group in yaml.safe_load(path.read_text())["groups"]]
    return [rule for group in groups for rule in group["rules"]]


def alerts() -> dict[str, dict[str, Any]]:
    """The rules that raise an alert, by its name."""
    return {rule["alert"]: rule for rule in all_rules() if "alert" in rule}


class Prometheus:
    """A running Prometheus."""

    def __init__(self, url: str) -> None:
        self.url = url

    def query(self, expression: str) -> list[dict[str, Any]]:
        """The result of an instant query; fails the test when Prometheus refuses it."""
        answer = self._get("query", query=expression)
        found: list[dict[str, Any]] = answer["result"]
        return found

    def alerts(self) -> list[dict[str, Any]]:
        """Alerts that are pending or firing."""
        found: list[dict[str, Any]] = self._get("alerts")["alerts"]
        return found

    def rules(self) -> list[dict[str, Any]]:
        """Every rule with its health and last error."""
        groups = self._get("rules")["groups"]
        return [rule for group in groups for rule in group["rules"]]

    def _get(self, path: str, **parameters: str) -> dict[str, Any]:
        answer = httpx.get(f"{self.url}/api/v1/{path}", params=parameters, timeout=30)
        assert answer.status_code == 200, f"{parameters or path}: {answer.text}"
        data: dict[str, Any] = answer.json()["data"]
        return data


@contextmanager
def prometheus(
    folder: Path, targets: Mapping[str, str], *, alertmanager_url: str = "", interval_s: int = 1
) -> Iterator[Prometheus]:
    """Prometheus with all of Rubrica's rules, evaluated every second, without waiting for ``for``.

    Args:
        folder: An empty folder for its configuration and data.
        targets: Address (``host:port``) to scrape by job: ``{"rubrica": "127.0.0.1:9850"}``.
        alertmanager_url: Where alerts are sent; nowhere by default.
        interval_s: Seconds between two scrapes, and between two evaluations.
    """
    program, port = binary("prometheus"), free_port()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "prometheus.yml").write_text(
        yaml.safe_dump(_configuration(folder, targets, alertmanager_url, interval_s))
    )
    command = [
        *(program, f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}"),
        *(f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"),
    ]
    url = f"http://127.0.0.1:{port}"
    with _running(command, folder / "prometheus.log", f"{url}/-/ready"):
        yield Prometheus(url)


@contextmanager
def alertmanager(folder: Path, receiver_url: str, token: str) -> Iterator[str]:
    """Alertmanager on Rubrica's routes, with seconds instead of minutes; gives its URL.

    Args:
        folder: An empty folder for its configuration and data.
        receiver_url: Where it posts to instead of Rubrica's receiver in Airflow.
        token: The bearer token that it sends.
    """
    program, port = binary("prometheus-alertmanager", "alertmanager"), free_port()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "token").write_text(token)
    loaded = yaml.safe_load((MONITORING / "alertmanager" / "alertmanager.yml").read_text())
    _hasten(loaded["route"])
    for receiver in loaded["receivers"]:
        for hook in receiver.get("webhook_configs", []):
            hook["url"] = receiver_url
            hook["http_config"]["authorization"]["credentials_file"] = str(folder / "token")
    (folder / "alertmanager.yml").write_text(yaml.safe_dump(loaded))
    command = [
        *(program, f"--config.file={folder / 'alertmanager.yml'}", f"--storage.path={folder / 'data'}"),
        *(f"--web.listen-address=127.0.0.1:{port}", "--cluster.listen-address=", "--log.level=warn"),
    ]
    url = f"http://127.0.0.1:{port}"
    with _running(command, folder / "alertmanager.log", f"{url}/-/ready"):
        yield url


def eventually(found: Callable[[], Any], *, timeout_s: float = 30) -> Any:
    """What ``found`` gives as soon as that is true; fails the test when it never is."""
    deadline = time.monotonic() + timeout_s
    while not (value := found()):
        assert time.monotonic() < deadline, f"nothing within {timeout_s} s"
        time.sleep(0.2)
    return value


def _configuration(
    folder: Path, targets: Mapping[str, str], alertmanager_url: str, interval_s: int
) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((MONITORING / "prometheus" / "prometheus.yml").read_text())
    loaded["global"] |= {"scrape_interval": f"{interval_s}s", "evaluation_interval": f"{interval_s}s"}
    loaded["global"]["external_labels"] = {
        "runbooks": "https://runbooks.test",
        "airflow": "http://airflow.test",
    }
    loaded["rule_files"] = [str(_quick(folder, path, interval_s)) for path in RULES]
    loaded["scrape_configs"] = [
        {"job_name": job, "static_configs": [{"targets": [address]}]} for job, address in targets.items()
    ]
    managers = [{"static_configs": [{"targets": [alertmanager_url.removeprefix("http://")]}]}]
    loaded["alerting"]["alertmanagers"] = managers if alertmanager_url else []
    return loaded


def _quick(folder: Path, path: Path, interval_s: int) -> Path:
    """The same rules, firing at once."""
    loaded = yaml.safe_load(path.read_text())
    for group in loaded["groups"]:
        group["interval"] = f"{interval_s}s"
        for rule in group["rules"]:
            rule.pop("for", None)
    copy = folder / f"rules-{path.name}"
    copy.write_text(yaml.safe_dump(loaded))
    return copy


def _hasten(route: dict[str, Any]) -> None:
    for name in ("group_wait", "group_interval"):
        if name in route:
            route[name] = "1s"
    for child in route.get("routes", []):
        _hasten(child)


@contextmanager
def _running(command: list[str], log_path: Path, ready_url: str) -> Iterator[None]:
    with log_path.open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait(process, log_path, ready_url)
        yield
    finally:
        process.terminate()
        try:
            process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process: subprocess.Popen[bytes], log_path: Path, url: str) -> None:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(url, timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    pytest.fail(f"{process.args!r} did not start:\n{log_path.read_text(errors='replace')}")
