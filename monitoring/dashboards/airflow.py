"""*Airflow*: scheduler, runs, tasks, pools; through statsd-exporter (monitoring/statsd/mapping.yml)."""

from __future__ import annotations

from grafana_foundation_sdk.builders.dashboard import Dashboard, Row

from monitoring.dashboards import look
from monitoring.dashboards.look import ANY_IS_BAD, GREEN, RED, page_link, query
from monitoring.dashboards.panels import Text, lines, number

_NONE = "Airflow sends no metrics"


def build() -> Dashboard:
    """The dashboard."""
    made = look.new_dashboard(
        "rubrica-airflow",
        "Rubrica: Airflow",
        "Whether Airflow lives, what it runs, and what waits for what.",
    )
    return _tasks(_runs(_health(made)))


def _health(made: Dashboard) -> Dashboard:
    panels = (
        number(
            Text("Scheduler", "Heartbeats a minute. None: nothing is started any more.", _NONE),
            query("sum(rate(airflow_scheduler_heartbeat[5m])) * 60"),
            steps=((None, RED), (1, GREEN)),
            decimals=0,
        ),
        number(
            Text("DAG processor", "Heartbeats a minute. None: changed DAG files are not read.", _NONE),
            query("sum(rate(airflow_dag_processor_heartbeat[5m])) * 60"),
            steps=((None, RED), (1, GREEN)),
            decimals=0,
        ),
        number(
            Text("Triggerer", "Heartbeats a minute. None: sources are not polled.", _NONE),
            query("sum(rate(airflow_triggerer_heartbeat[5m])) * 60"),
            steps=((None, RED), (1, GREEN)),
            decimals=0,
        ),
        number(
            Text("DAG files with errors", "`airflow dags list-import-errors` says which and why.", _NONE),
            query("max(airflow_dag_processing_import_errors)"),
            steps=ANY_IS_BAD,
            links=[page_link("DAGs", "dags")],
        ),
        number(
            Text(
                "Task failures, 24 h",
                "Tries of tasks that failed, those that were tried again included.",
                "0",
            ),
            query("sum(increase(airflow_ti_failures[24h])) or vector(0)"),
            steps=look.ANY_IS_NOTED,
            decimals=0,
        ),
        number(
            Text("Deadlines missed, 24 h", "Ingestions that did not end in RUBRICA_INGEST_DEADLINE_S.", "0"),
            query("sum(increase(airflow_deadline_alerts_deadline_missed[24h])) or vector(0)"),
            steps=look.ANY_IS_NOTED,
            decimals=0,
        ),
    )
    for panel in panels:
        made = made.with_panel(panel)
    return made


def _runs(made: Dashboard) -> Dashboard:
    made = made.with_row(Row("Runs"))
    made = made.with_panel(
        lines(
            Text("Runs that ended", "By DAG and how they ended, per hour.", _NONE),
            [
                query(
                    f"sum by (dag_id) (increase(airflow_dagrun_duration_{state}_count[1h]))",
                    f"{{{{dag_id}}}}: {state}",
                )
                for state in ("success", "failed")
            ],
            width=8,
            low=0,
            stacked=True,
        )
    )
    made = made.with_panel(
        lines(
            Text("Length of runs", "95th percentile of the runs that ended well, over the last day.", _NONE),
            [
                query(
                    "histogram_quantile(0.95, sum by (le, dag_id)"
                    " (increase(airflow_dagrun_duration_success_bucket[1d])))",
                    "{{dag_id}}",
                )
            ],
            unit="s",
            width=8,
            low=0,
        )
    )
    return made.with_panel(
        lines(
            Text(
                "Started by changes of assets",
                "Runs that an asset started (a poll that saw a commit, an index that changed), and"
                " updates, per"
                " hour.",
                _NONE,
            ),
            [
                query("sum(increase(airflow_asset_triggered_dagruns[1h]))", "runs started"),
                query("sum(increase(airflow_asset_updates[1h]))", "updates"),
            ],
            width=8,
            low=0,
        )
    )


def _tasks(made: Dashboard) -> Dashboard:
    made = made.with_row(Row("Tasks and pools"))
    made = made.with_panel(
        lines(
            Text("Time of tasks", "Mean of the last hour.", _NONE),
            [
                query(
                    "sum by (dag_id, task_id) (rate(airflow_task_duration_sum[1h]))"
                    " / (sum by (dag_id, task_id) (rate(airflow_task_duration_count[1h])) > 0)",
                    "{{dag_id}}.{{task_id}}",
                )
            ],
            unit="s",
            width=12,
            low=0,
            table_legend=True,
        )
    )
    made = made.with_panel(
        lines(
            Text(
                "Waiting for a worker",
                "Mean time between a task's turn and its start, last hour. Long: too few workers.",
                _NONE,
            ),
            [
                query(
                    "sum by (dag_id) (rate(airflow_task_queued_duration_sum[1h]))"
                    " / (sum by (dag_id) (rate(airflow_task_queued_duration_count[1h])) > 0)",
                    "{{dag_id}}",
                )
            ],
            unit="s",
            width=12,
            low=0,
        )
    )
    made = made.with_panel(
        lines(
            Text("Pools: slots in use", "Running tasks by pool.", _NONE),
            [query("max by (pool_name) (airflow_pool_running_slots)", "{{pool_name}}")],
            width=8,
            low=0,
            stacked=True,
        )
    )
    made = made.with_panel(
        lines(
            Text("Pools: waiting", "Tasks that wait for a worker (queued) or for a slot (scheduled).", _NONE),
            [
                query(f"max by (pool_name) (airflow_pool_{state}_slots)", f"{{{{pool_name}}}}: {state}")
                for state in ("queued", "scheduled")
            ],
            width=8,
            low=0,
            stacked=True,
        )
    )
    return made.with_panel(
        lines(
            Text("Triggers", "Triggers that run in the triggerer, and those that failed per hour.", _NONE),
            [
                query("sum(airflow_triggers_running)", "running"),
                query("sum(increase(airflow_triggers_failed[1h]))", "failed"),
            ],
            width=8,
            low=0,
        )
    )
