"""Airflow's plugin that knows from when on Rubrica's deadlines count."""

from __future__ import annotations

from airflow.plugins_manager import AirflowPlugin
from rubrica_airflow.deadlines import RunCreated


class RubricaDeadlines(AirflowPlugin):
    """Without it Airflow could not create a run of a DAG with a deadline."""

    name = "rubrica_deadlines"
    deadline_references = [RunCreated]  # noqa: RUF012 (as Airflow's base class declares it)
