"""The pools that DAGs name are made by `rubrica up` and by the compose file."""

from __future__ import annotations

import re
from pathlib import Path

from pipeline.stack.airflow import POOLS

ROOT = Path(__file__).parents[3]


def test_compose_and_the_local_stack_make_the_same_pools() -> None:
    made = re.findall(r"airflow pools set (\w+) ", (ROOT / "docker-compose.yml").read_text())
    assert sorted(made) == sorted(POOLS)


def test_dags_name_no_other_pool() -> None:
    named = {
        name
        for path in (ROOT / "dags").glob("*.py")
        for name in re.findall(r'pool="(\w+)"', path.read_text())
    }
    assert named <= set(POOLS)
    assert named
