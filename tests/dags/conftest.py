"""Airflow as the stack runs it, but without its services."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session", autouse=True)
def _airflow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An empty Airflow home, set before Airflow is imported for the first time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AIRFLOW_HOME", str(tmp_path_factory.mktemp("airflow")))
        patch.setenv("AIRFLOW__CORE__LOAD_EXAMPLES", "False")
        patch.setenv("AIRFLOW__CORE__DAGS_FOLDER", str(ROOT / "dags"))
        patch.setenv("AIRFLOW__CORE__PLUGINS_FOLDER", str(ROOT / "plugins"))
        patch.setenv("AIRFLOW__CORE__UNIT_TEST_MODE", "False")
        yield
