"""How the local stack's Airflow is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.stack.airflow import AirflowPart
from pipeline.stack.credentials import Secrets
from pipeline.stack.home import StackHome
from pipeline.stack.postgres import Postgres
from pipeline.stack.service import Context, signature
from pipeline.stack.state import State


@pytest.fixture
def scheduler(tmp_path: Path) -> AirflowPart:
    home = StackHome(tmp_path / "home")
    context = Context(home, State.load(home.state), Secrets(), tmp_path)
    return AirflowPart(context, "scheduler", Postgres(context))


def test_connections_of_the_caller_reach_airflow_and_nothing_else_of_his_does(
    scheduler: AirflowPart, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = scheduler.launch()
    monkeypatch.setenv("AIRFLOW_CONN_SMTP_DEFAULT", "smtp://mail.example.org:25")
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", "CeleryExecutor")
    launch = scheduler.launch()
    assert launch.env["AIRFLOW_CONN_SMTP_DEFAULT"] == "smtp://mail.example.org:25"
    assert launch.env["AIRFLOW__CORE__EXECUTOR"] == "LocalExecutor"
    assert launch.drop == ("AIRFLOW_",)
    # `rubrica up` starts the parts anew when a connection has changed.
    assert signature(launch) != signature(before)
