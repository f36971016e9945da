"""The compose file, as far as it can be checked without a Docker engine."""

from __future__ import annotations

import base64
import re
import stat
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.compose_env import compose_environment, write
from rubrica.settings import SECTIONS

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return loaded


def test_required_variables_are_those_that_make_compose_env_writes() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    without_default = set(re.findall(r"(?<!\$)\$\{([A-Z_]+)(?::\?[^}]*)?\}", text))
    assert without_default == set(compose_environment())


def test_every_rubrica_variable_is_a_setting(compose: dict[str, Any]) -> None:
    known = {f"RUBRICA_{name}".upper() for section in SECTIONS for name in section.model_fields}
    given = {name for name in compose["x-airflow"]["environment"] if name.startswith("RUBRICA_")}
    assert given <= known


def test_defaults_are_those_of_the_settings(compose: dict[str, Any]) -> None:
    fields = {name: section for section in SECTIONS for name in section.model_fields}
    checked = 0
    for variable, value in compose["x-airflow"]["environment"].items():
        default = re.fullmatch(rf"\$\{{{variable}:?-(.*)\}}", str(value))
        if default and variable.startswith("RUBRICA_"):
            name = variable.removeprefix("RUBRICA_").lower()
            given = fields[name].model_validate({name: default[1]})
            assert getattr(given, name) == getattr(fields[name](), name), variable
            checked += 1
    assert checked > 15


def test_every_dependency_and_volume_is_declared(compose: dict[str, Any]) -> None:
    services = compose["services"]
    for service in services.values():
        for dependency, wish in service.get("depends_on", {}).items():
            assert dependency in services
            if wish["condition"] == "service_healthy":
                assert "healthcheck" in services[dependency]
        mounted = {volume.split(":")[0] for volume in service.get("volumes", [])}
        assert {name for name in mounted if not name.startswith(".")} <= set(compose["volumes"])
        assert all((ROOT / name).is_dir() for name in mounted if name.startswith("."))


def test_what_people_look_at_is_published_and_only_on_loopback(compose: dict[str, Any]) -> None:
    published = {
        name: service["ports"] for name, service in compose["services"].items() if "ports" in service
    }
    assert published == {
        "airflow-apiserver": ["127.0.0.1:8080:8080"],
        "exporter": ["127.0.0.1:9850:9850"],
        "prometheus": ["127.0.0.1:9090:9090"],
        "alertmanager": ["127.0.0.1:9093:9093"],
        "grafana": ["127.0.0.1:3000:3000"],
    }


def test_one_worker_listens_to_each_queue(compose: dict[str, Any]) -> None:
    assert "--queues ${RUBRICA_CPU_QUEUES:-default,gpu}" in compose["services"]["airflow-worker"]["command"]
    assert "--queues gpu" in compose["services"]["airflow-worker-gpu"]["command"]


def test_the_image_holds_every_folder_that_the_pipeline_imports() -> None:
    copied = set(re.findall(r"^COPY \S+ (\w+) \w+$", (ROOT / "Dockerfile").read_text(), re.MULTILINE))
    assert {
        "rubrica",
        "sources",
        "extraction",
        "chunking",
        "training",
        "indexing",
        "monitoring",
        "pipeline",
        "dags",
        "plugins",
    } == copied


def test_the_environment_file_is_private_and_never_overwritten(tmp_path: Path) -> None:
    target = tmp_path / ".env"
    assert write(target)
    first = target.read_text()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert not write(target)
    assert target.read_text() == first


def test_an_older_environment_file_gets_what_it_lacks_and_keeps_the_rest(tmp_path: Path) -> None:
    target = tmp_path / ".env"
    target.write_text("POSTGRES_PASSWORD=mine\nRUBRICA_SOAK_DAYS=7")
    assert write(target)
    lines = target.read_text().splitlines()
    assert lines[:2] == ["POSTGRES_PASSWORD=mine", "RUBRICA_SOAK_DAYS=7"]
    added = {line.partition("=")[0] for line in lines[2:]}
    assert added == set(compose_environment()) - {"POSTGRES_PASSWORD"}


def test_the_fernet_key_has_32_bytes() -> None:
    assert len(base64.urlsafe_b64decode(compose_environment()["AIRFLOW_FERNET_KEY"])) == 32
